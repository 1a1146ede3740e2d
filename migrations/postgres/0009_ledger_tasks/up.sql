-- What is to be done in the linked accounting system. It is written by the transaction that wants it, and done once that is committed.

CREATE TABLE ledger_tasks (
    account_id uuid NOT NULL REFERENCES accounts (id),
    id uuid NOT NULL,
    invoice_id uuid NOT NULL,
    what text NOT NULL CHECK (what IN ('push', 'void')),
    -- The accounting system's id of the invoice that is to be void.
    ledger_invoice_id text,
    queued_at timestamptz NOT NULL,
    state text NOT NULL CHECK (state IN ('waiting', 'done', 'given_up')),
    -- How often it was leased for an attempt.
    attempts bigint NOT NULL CHECK (attempts >= 0),
    -- When the next attempt is due. A lease moves it to its own end.
    due_at timestamptz NOT NULL,
    finished_at timestamptz,
    -- Why the last attempt did not succeed.
    reason text,
    PRIMARY KEY (account_id, id),
    CHECK ((state = 'waiting') = (finished_at IS NULL)),
    CHECK ((what = 'void') = (ledger_invoice_id IS NOT NULL))
);

CREATE INDEX ledger_tasks_due ON ledger_tasks (due_at) WHERE state = 'waiting';
