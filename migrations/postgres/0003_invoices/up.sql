-- Invoices with their lines and payments, and the sequence that their numbers come from.
--
-- Amounts are whole minor units of the invoice's currency; quantities, unit amounts and tax rates are whole ten-thousandths.

CREATE TABLE invoices (
    account_id uuid NOT NULL REFERENCES accounts (id),
    id uuid NOT NULL,
    number text NOT NULL,
    status text NOT NULL
        CHECK (status IN ('DRAFT', 'SCHEDULED', 'UNPAID', 'OVERDUE', 'PARTIALLY_PAID', 'PAID', 'CANCELLED')),
    contact_id uuid,
    -- The contact as it was when the invoice was issued, as a JSON object.
    contact text,
    invoice_date date NOT NULL,
    due_date date NOT NULL,
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
    pay_token text NOT NULL UNIQUE,
    ledger_invoice_id text,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (account_id, id),
    UNIQUE (account_id, number),
    FOREIGN KEY (account_id, contact_id) REFERENCES contacts (account_id, id),
    CHECK ((contact_id IS NULL) = (contact IS NULL)),
    CHECK (due_date >= invoice_date),
    CHECK (sub_total + tax_total = total)
);

-- Lists are walked by id, newest first: each index ends with it, so that no page is sorted.
CREATE INDEX invoices_of_contact ON invoices (account_id, contact_id, id);
CREATE INDEX invoices_by_status ON invoices (account_id, status, id);

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
    method text NOT NULL CHECK (method IN ('card', 'bank_transfer', 'direct_debit', 'cash', 'cheque', 'other')),
    reference text,
    recorded_by text NOT NULL CHECK (recorded_by IN ('payment_page', 'dashboard', 'operator')),
    PRIMARY KEY (account_id, invoice_id, id),
    FOREIGN KEY (account_id, invoice_id) REFERENCES invoices (account_id, id)
);

CREATE TABLE invoice_sequences (
    account_id uuid PRIMARY KEY REFERENCES accounts (id),
    -- The number that the next creation takes.
    next bigint NOT NULL CHECK (next >= 1)
);
