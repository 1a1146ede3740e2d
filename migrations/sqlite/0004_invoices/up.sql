-- Invoices with their line items and payments, and the sequence of their numbers.
--
-- Amounts are minor units of the invoice's currency; quantities, unit amounts and tax rates are
-- ten-thousandths.

CREATE TABLE invoices (
    account_id blob NOT NULL REFERENCES accounts (id),
    id blob NOT NULL,
    number text NOT NULL,
    status text NOT NULL
        CHECK (status IN ('DRAFT', 'SCHEDULED', 'UNPAID', 'OVERDUE', 'PARTIALLY_PAID', 'PAID', 'CANCELLED')),
    contact_id blob,
    -- The contact at the time of issue, as a JSON object.
    contact text,
    invoice_date text NOT NULL,
    due_date text NOT NULL,
    -- ISO 4217 code.
    currency text NOT NULL CHECK (length(currency) = 3),
    line_amount_types text NOT NULL CHECK (line_amount_types IN ('EXCLUSIVE', 'INCLUSIVE', 'NO_TAX')),
    sub_total integer NOT NULL,
    tax_total integer NOT NULL,
    total integer NOT NULL CHECK (total >= 0),
    amount_paid integer NOT NULL CHECK (amount_paid BETWEEN 0 AND total),
    reference text,
    notes text,
    staff text,
    last_sent_at integer,
    send_count integer NOT NULL CHECK (send_count >= 0),
    -- Begins with the account's id, so that it can be looked up within the account.
    pay_token text NOT NULL,
    ledger_invoice_id text,
    -- The first day, in the account's time zone, on which the passing of time changes the status: the invoice
    -- date while SCHEDULED, the day after the due date while UNPAID, NULL when there is none.
    status_changes_on text CHECK (status_changes_on <= '9999-12-31'),
    created_at integer NOT NULL,
    updated_at integer NOT NULL,
    cancelled_at integer,
    -- When a draft was issued. NULL: it was issued when it was created, or was not issued yet.
    issued_at integer,
    PRIMARY KEY (account_id, id),
    UNIQUE (account_id, number),
    UNIQUE (account_id, pay_token),
    FOREIGN KEY (account_id, contact_id) REFERENCES contacts (account_id, id),
    CHECK ((contact_id IS NULL) = (contact IS NULL)),
    CHECK (due_date >= invoice_date),
    CHECK (sub_total + tax_total = total)
) STRICT;

-- Lists are in the order of ids, newest first: each index ends with the id, so that a page needs no sort.
CREATE INDEX invoices_by_contact ON invoices (account_id, contact_id, id);
CREATE INDEX invoices_by_status ON invoices (account_id, status, id);

CREATE INDEX invoices_by_reference ON invoices (account_id, reference, id) WHERE reference IS NOT NULL;

-- The figures of open invoices are read only from this index.
CREATE INDEX invoices_open ON invoices (account_id, currency, due_date, total, amount_paid, status)
    WHERE status IN ('SCHEDULED', 'UNPAID', 'OVERDUE', 'PARTIALLY_PAID');

-- One invoice of the ledger belongs to one invoice.
CREATE UNIQUE INDEX invoices_by_ledger_invoice ON invoices (account_id, ledger_invoice_id)
    WHERE ledger_invoice_id IS NOT NULL;

-- The worker that changes statuses walks this index across all accounts, so the day comes first.
CREATE INDEX invoices_by_status_change ON invoices (status_changes_on, account_id, id)
    WHERE status_changes_on IS NOT NULL;

CREATE TABLE line_items (
    account_id blob NOT NULL,
    invoice_id blob NOT NULL,
    position integer NOT NULL CHECK (position >= 0),
    id blob NOT NULL,
    description text NOT NULL,
    quantity integer NOT NULL CHECK (quantity > 0),
    unit_amount integer NOT NULL,
    tax_rate integer NOT NULL CHECK (tax_rate BETWEEN 0 AND 1000000),
    tax_type text,
    tax_amount integer NOT NULL,
    line_amount integer NOT NULL,
    PRIMARY KEY (account_id, invoice_id, position),
    FOREIGN KEY (account_id, invoice_id) REFERENCES invoices (account_id, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE payments (
    account_id blob NOT NULL,
    invoice_id blob NOT NULL,
    id blob NOT NULL,
    amount integer NOT NULL CHECK (amount > 0),
    received_at integer NOT NULL,
    method text NOT NULL
        CHECK (method IN ('card', 'bank_transfer', 'direct_debit', 'cash', 'cheque', 'other')),
    reference text,
    recorded_by text NOT NULL CHECK (recorded_by IN ('payment_page', 'dashboard', 'operator', 'ledger')),
    PRIMARY KEY (account_id, invoice_id, id),
    FOREIGN KEY (account_id, invoice_id) REFERENCES invoices (account_id, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX payments_by_time ON payments (account_id, received_at, id);

CREATE TABLE invoice_sequences (
    account_id blob PRIMARY KEY NOT NULL REFERENCES accounts (id),
    -- The number that the next invoice gets.
    next integer NOT NULL CHECK (next >= 1)
) STRICT, WITHOUT ROWID;
