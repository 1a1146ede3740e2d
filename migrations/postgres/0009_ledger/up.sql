-- Tasks for the linked accounting system: queued by the transaction that needs them, done after the commit.
CREATE TABLE ledger_tasks (
    account_id uuid NOT NULL REFERENCES accounts (id),
    id uuid NOT NULL,
    invoice_id uuid NOT NULL,
    operation text NOT NULL CHECK (operation IN ('push', 'void')),
    -- The accounting system's id of the invoice to void.
    ledger_invoice_id text,
    queued_at timestamptz NOT NULL,
    state text NOT NULL CHECK (state IN ('waiting', 'done', 'given_up')),
    -- How often it was leased.
    attempts bigint NOT NULL CHECK (attempts >= 0),
    -- When the next attempt is due. A lease moves this to the end of the lease.
    due_at timestamptz NOT NULL,
    finished_at timestamptz,
    -- Why the last attempt failed.
    last_error text,
    PRIMARY KEY (account_id, id),
    CHECK ((state = 'waiting') = (finished_at IS NULL)),
    CHECK ((operation = 'void') = (ledger_invoice_id IS NOT NULL))
);

CREATE INDEX ledger_tasks_due ON ledger_tasks (due_at) WHERE state = 'waiting';
