-- Connections to gateways. An account has few; an incoming event names its connection only by the id.
CREATE TABLE gateway_accounts (
    account_id blob NOT NULL REFERENCES accounts (id),
    id blob NOT NULL,
    kind text NOT NULL,
    -- Sealed under the master key, as the other secrets are.
    secret_key blob NOT NULL,
    -- A key that replaces the one above.
    next_key blob,
    next_key_in_force_at integer,
    undo_token_hash blob CHECK (length(undo_token_hash) = 32),
    webhook_secret blob,
    connected_at integer NOT NULL,
    disconnected_at integer,
    -- The time up to which the gateway's charges were listed.
    listed_until integer,
    -- When the last key was entered, and when the owner undid that by the link in the mail.
    key_entered_at integer,
    key_undone_at integer,
    -- The entry of the key in force while another key waits: its link in the owner's mail stays usable.
    earlier_undo_token_hash blob,
    earlier_key_entered_at integer,
    PRIMARY KEY (account_id, id)
) STRICT;

CREATE INDEX gateway_accounts_by_id ON gateway_accounts (id);

-- Workers remove replaced keys once nothing needs them.
CREATE INDEX gateway_accounts_replaced ON gateway_accounts (next_key_in_force_at) WHERE next_key IS NOT NULL;

-- Owners' settings for online payments. Without a row: full payments only, and unapplied money is returned.
CREATE TABLE payment_settings (
    account_id blob NOT NULL PRIMARY KEY REFERENCES accounts (id),
    minimum_percent integer NOT NULL CHECK (minimum_percent BETWEEN 1 AND 100),
    unapplied text NOT NULL
) STRICT;

-- An amount of an invoice that a payer began to pay.
CREATE TABLE payment_intents (
    account_id blob NOT NULL,
    id blob NOT NULL,
    invoice_id blob NOT NULL,
    gateway_account_id blob NOT NULL,
    amount integer NOT NULL CHECK (amount > 0),
    currency text NOT NULL,
    state text NOT NULL,
    checkout_id text,
    checkout_url text,
    -- The token of the payment page on which the payment was begun.
    pay_token text NOT NULL,
    created_at integer NOT NULL,
    expires_at integer NOT NULL,
    -- SHA-256 of the request that opens a checkout: a different request under the same id would be refused.
    opened_with blob,
    PRIMARY KEY (account_id, id),
    FOREIGN KEY (account_id, invoice_id) REFERENCES invoices (account_id, id),
    FOREIGN KEY (account_id, gateway_account_id) REFERENCES gateway_accounts (account_id, id)
) STRICT;

CREATE INDEX payment_intents_of_invoice ON payment_intents (account_id, invoice_id);
CREATE INDEX payment_intents_of_page ON payment_intents (account_id, pay_token);
CREATE INDEX payment_intents_of_checkout ON payment_intents (account_id, checkout_id);
-- Workers read the open intents of all accounts.
CREATE INDEX payment_intents_open ON payment_intents (account_id, id) WHERE state <> 'ended';

-- Charges of gateways, captured or pending.
CREATE TABLE charges (
    account_id blob NOT NULL,
    id blob NOT NULL,
    gateway_account_id blob NOT NULL,
    -- The gateway's id of this record.
    gateway_id text NOT NULL,
    intent_id blob NOT NULL,
    invoice_id blob NOT NULL,
    state text NOT NULL,
    amount integer NOT NULL CHECK (amount >= 0),
    currency text NOT NULL,
    method text NOT NULL,
    captured_at integer NOT NULL,
    -- The part that was recorded as a payment.
    applied integer NOT NULL CHECK (applied BETWEEN 0 AND amount),
    payment_id blob,
    keeps_unapplied integer NOT NULL CHECK (keeps_unapplied IN (0, 1)),
    PRIMARY KEY (account_id, id),
    FOREIGN KEY (account_id, intent_id) REFERENCES payment_intents (account_id, id),
    CHECK ((applied > 0) = (payment_id IS NOT NULL))
) STRICT;

CREATE UNIQUE INDEX charges_once ON charges (account_id, gateway_account_id, gateway_id);
CREATE INDEX charges_of_invoice ON charges (account_id, invoice_id);
CREATE UNIQUE INDEX charges_of_payment ON charges (account_id, payment_id) WHERE payment_id IS NOT NULL;

-- Amounts of charges that are paid back, by refund or dispute.
CREATE TABLE charge_reversals (
    account_id blob NOT NULL,
    id blob NOT NULL,
    charge_id blob NOT NULL,
    reason text NOT NULL,
    amount integer NOT NULL CHECK (amount > 0),
    currency text NOT NULL,
    state text NOT NULL,
    -- The id with which the gateway is asked for the refund.
    gateway_refund_key blob NOT NULL,
    -- The gateway's id of this record.
    gateway_id text,
    created_at integer NOT NULL,
    -- When the money went back to the payer; NULL before that.
    succeeded_at integer,
    PRIMARY KEY (account_id, id),
    FOREIGN KEY (account_id, charge_id) REFERENCES charges (account_id, id),
    CHECK ((state = 'succeeded') = (succeeded_at IS NOT NULL))
) STRICT;

CREATE UNIQUE INDEX charge_reversals_once ON charge_reversals (account_id, charge_id, gateway_id)
    WHERE gateway_id IS NOT NULL;
CREATE INDEX charge_reversals_of_charge ON charge_reversals (account_id, charge_id);

-- The events that gateways sent. Each is processed by a job.
CREATE TABLE gateway_events (
    account_id blob NOT NULL,
    gateway_account_id blob NOT NULL,
    event_id text NOT NULL,
    received_at integer NOT NULL,
    PRIMARY KEY (account_id, gateway_account_id, event_id)
) STRICT;

-- Old rows are removed across all accounts, oldest first.
CREATE INDEX gateway_events_by_age ON gateway_events (received_at);

-- The checkouts of the sandbox, each with its charges as JSON.
CREATE TABLE sandbox_checkouts (
    account_id blob NOT NULL REFERENCES accounts (id),
    id text NOT NULL,
    content text NOT NULL,
    written_at integer NOT NULL,
    PRIMARY KEY (account_id, id)
) STRICT;

CREATE INDEX sandbox_checkouts_by_age ON sandbox_checkouts (account_id, written_at);
