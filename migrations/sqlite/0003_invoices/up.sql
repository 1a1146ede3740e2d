-- Invoices with their lines and payments, and the sequence that their numbers come from.
--
-- Amounts are whole minor units of the invoice's currency; quantities, unit amounts and tax rates are whole ten-thousandths.

CREATE TABLE invoices (
    account_id blob NOT NULL REFERENCES accounts (id),
    id blob NOT NULL,
    number text NOT NULL,
    status text NOT NULL
        CHECK (status IN ('DRAFT', 'SCHEDULED', 'UNPAID', 'OVERDUE', 'PARTIALLY_PAID', 'PAID', 'CANCELLED')),
    contact_id blob,
    -- The contact as it was when the invoice was issued, as a JSON object.
    contact text,
    invoice_date text NOT NULL,
    due_date text NOT NULL,
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
    pay_token text NOT NULL UNIQUE,
    ledger_invoice_id text,
    created_at integer NOT NULL,
    updated_at integer NOT NULL,
    PRIMARY KEY (account_id, id),
    UNIQUE (account_id, number),
    FOREIGN KEY (account_id, contact_id) REFERENCES contacts (account_id, id),
    CHECK ((contact_id IS NULL) = (contact IS NULL)),
    CHECK (due_date >= invoice_date),
    CHECK (sub_total + tax_total = total)
) STRICT;

-- Lists are walked by id, newest first: each index ends with it, so that no page is sorted.
CREATE INDEX invoices_of_contact ON invoices (account_id, contact_id, id);
CREATE INDEX invoices_by_status ON invoices (account_id, status, id);

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
    method text NOT NULL CHECK (method IN ('card', 'bank_transfer', 'direct_debit', 'cash', 'cheque', 'other')),
    reference text,
    recorded_by text NOT NULL CHECK (recorded_by IN ('payment_page', 'dashboard', 'operator')),
    PRIMARY KEY (account_id, invoice_id, id),
    FOREIGN KEY (account_id, invoice_id) REFERENCES invoices (account_id, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE invoice_sequences (
    account_id blob PRIMARY KEY NOT NULL REFERENCES accounts (id),
    -- The number that the next creation takes.
    next integer NOT NULL CHECK (next >= 1)
) STRICT, WITHOUT ROWID;
