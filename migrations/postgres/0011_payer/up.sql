-- The payment page: promises to pay, views, replaced tokens, and the bank details that it shows.

CREATE TABLE promises (
    account_id uuid NOT NULL,
    id uuid NOT NULL,
    invoice_id uuid NOT NULL,
    -- The last day of the promise, in the account's time zone.
    promised_on date NOT NULL,
    made_by text NOT NULL,
    -- The message that the promise was read from; NULL: it was entered on a page.
    message_id uuid,
    -- Whether the promise replaced one that was still open.
    is_replacement boolean NOT NULL,
    made_at timestamptz NOT NULL,
    -- When a later promise replaced this one.
    superseded_at timestamptz,
    -- When the owner found that the message promises nothing.
    withdrawn_at timestamptz,
    PRIMARY KEY (account_id, id),
    FOREIGN KEY (account_id, invoice_id) REFERENCES invoices (account_id, id)
);

CREATE INDEX promises_by_invoice ON promises (account_id, invoice_id, id);
CREATE UNIQUE INDEX promises_latest ON promises (account_id, invoice_id) WHERE superseded_at IS NULL;

-- Tokens of payment pages that were replaced by new ones.
CREATE TABLE replaced_pay_tokens (
    account_id uuid NOT NULL,
    pay_token text NOT NULL,
    invoice_id uuid NOT NULL,
    replaced_at timestamptz NOT NULL,
    PRIMARY KEY (account_id, pay_token),
    FOREIGN KEY (account_id, invoice_id) REFERENCES invoices (account_id, id)
);

-- The first view of a payment page on each day of its account's time zone.
CREATE TABLE page_views (
    account_id uuid NOT NULL,
    invoice_id uuid NOT NULL,
    viewed_on date NOT NULL,
    first_at timestamptz NOT NULL,
    PRIMARY KEY (account_id, invoice_id, viewed_on),
    FOREIGN KEY (account_id, invoice_id) REFERENCES invoices (account_id, id)
);

-- Each entry of bank details is a row. For each currency, the entry in force is the latest one that has come
-- into force and was not withdrawn.
CREATE TABLE bank_details (
    account_id uuid NOT NULL REFERENCES accounts (id),
    id uuid NOT NULL,
    -- ISO 4217 code.
    currency text NOT NULL CHECK (length(currency) = 3),
    -- A JSON object.
    details text NOT NULL,
    entered_at timestamptz NOT NULL,
    in_force_at timestamptz NOT NULL CHECK (in_force_at >= entered_at),
    -- SHA-256 of the token of the link that undoes the entry.
    undo_token_hash bytea NOT NULL CHECK (length(undo_token_hash) = 32),
    withdrawn_at timestamptz,
    PRIMARY KEY (account_id, id),
    UNIQUE (account_id, undo_token_hash)
);

CREATE INDEX bank_details_by_currency ON bank_details (account_id, currency, in_force_at, id)
    WHERE withdrawn_at IS NULL;
