-- Tasks for the linked accounting system: queued by the transaction that needs them, done after the commit.
CREATE TABLE ledger_tasks (
    account_id blob NOT NULL REFERENCES accounts (id),
    id blob NOT NULL,
    invoice_id blob NOT NULL,
    operation text NOT NULL CHECK (operation IN ('push', 'void')),
    -- The accounting system's id of the invoice to void.
    ledger_invoice_id text,
    queued_at integer NOT NULL,
    state text NOT NULL CHECK (state IN ('waiting', 'done', 'given_up')),
    -- How often it was leased.
    attempts integer NOT NULL CHECK (attempts >= 0),
    -- When the next attempt is due. A lease moves this to the end of the lease.
    due_at integer NOT NULL,
    finished_at integer,
    -- Why the last attempt failed.
    last_error text,
    PRIMARY KEY (account_id, id),
    CHECK ((state = 'waiting') = (finished_at IS NULL)),
    CHECK ((operation = 'void') = (ledger_invoice_id IS NOT NULL))
) STRICT;

CREATE INDEX ledger_tasks_due ON ledger_tasks (due_at) WHERE state = 'waiting';
