-- Invoices with their line items and payments, and the sequence of their numbers.
--
-- Amounts are minor units of the invoice's currency; quantities, unit amounts and tax rates are
-- ten-thousandths.

CREATE TABLE invoices (
    account_id uuid NOT NULL REFERENCES accounts (id),
    id uuid NOT NULL,
    number text NOT NULL,
    status text NOT NULL
        CHECK (status IN ('DRAFT', 'SCHEDULED', 'UNPAID', 'OVERDUE', 'PARTIALLY_PAID', 'PAID', 'CANCELLED')),
    contact_id uuid,
    -- The contact at the time of issue, as a JSON object.
    contact text,
    invoice_date date NOT NULL,
    due_date date NOT NULL,
    -- ISO 4217 code.
    currency text NOT NULL CHECK (length(currency) = 3),
    line_amount_types text NOT NULL CHECK (line_amount_types IN ('EXCLUSIVE', 'INCLUSIVE', 'NO_TAX')),
    sub_total bigint NOT NULL,
    tax_total bigint NOT NULL,
    total bigint NOT NULL CHECK (total >= 0),
    amount_paid bigint NOT NULL CHECK (amount_paid BETWEEN 0 AND total),
    reference text,
    notes text,
    staff text,
    last_sent_at timestamptz,
    send_count bigint NOT NULL CHECK (send_count >= 0),
    -- Begins with the account's id, so that it can be looked up within the account.
    pay_token text NOT NULL,
    ledger_invoice_id text,
    -- The first day, in the account's time zone, on which the passing of time changes the status: the invoice
    -- date while SCHEDULED, the day after the due date while UNPAID, NULL when there is none.
    status_changes_on date CHECK (status_changes_on <= DATE '9999-12-31'),
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    cancelled_at timestamptz,
    -- When a draft was issued. NULL: it was issued when it was created, or was not issued yet.
    issued_at timestamptz,
    PRIMARY KEY (account_id, id),
    UNIQUE (account_id, number),
    UNIQUE (account_id, pay_token),
    FOREIGN KEY (account_id, contact_id) REFERENCES contacts (account_id, id),
    CHECK ((contact_id IS NULL) = (contact IS NULL)),
    CHECK (due_date >= invoice_date),
    CHECK (sub_total + tax_total = total)
);

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
    account_id uuid NOT NULL,
    invoice_id uuid NOT NULL,
    position integer NOT NULL CHECK (position >= 0),
    id uuid NOT NULL,
    description text NOT NULL,
    quantity bigint NOT NULL CHECK (quantity > 0),
    unit_amount bigint NOT NULL,
    tax_rate bigint NOT NULL CHECK (tax_rate BETWEEN 0 AND 1000000),
    tax_type text,
    tax_amount bigint NOT NULL,
    line_amount bigint NOT NULL,
    PRIMARY KEY (account_id, invoice_id, position),
    FOREIGN KEY (account_id, invoice_id) REFERENCES invoices (account_id, id)
);

CREATE TABLE payments (
    account_id uuid NOT NULL,
    invoice_id uuid NOT NULL,
    id uuid NOT NULL,
    amount bigint NOT NULL CHECK (amount > 0),
    received_at timestamptz NOT NULL,
    method text NOT NULL
        CHECK (method IN ('card', 'bank_transfer', 'direct_debit', 'cash', 'cheque', 'other')),
    reference text,
    recorded_by text NOT NULL CHECK (recorded_by IN ('payment_page', 'dashboard', 'operator', 'ledger')),
    PRIMARY KEY (account_id, invoice_id, id),
    FOREIGN KEY (account_id, invoice_id) REFERENCES invoices (account_id, id)
);

CREATE INDEX payments_by_time ON payments (account_id, received_at, id);

CREATE TABLE invoice_sequences (
    account_id uuid PRIMARY KEY REFERENCES accounts (id),
    -- The number that the next invoice gets.
    next bigint NOT NULL CHECK (next >= 1)
);
