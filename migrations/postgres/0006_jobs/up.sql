-- Background jobs, such as mail and calls of the accounting system: queued in the transaction that causes
-- them, and carried out by a worker after the commit.
CREATE TABLE jobs (
    account_id uuid NOT NULL REFERENCES accounts (id),
    id uuid NOT NULL,
    -- The kind of worker that carries out the job.
    kind text NOT NULL,
    -- The record that the job is about, such as an invoice.
    resource_id uuid,
    -- Whether it writes to customers: such a job is held while the account or its communications are off.
    to_customer boolean NOT NULL,
    -- The job's content as JSON; NULL once done.
    payload text,
    -- The account's letterhead at the time of the commit, as JSON; only for jobs that write to customers.
    letterhead text,
    queued_at timestamptz NOT NULL,
    state text NOT NULL CHECK (state IN ('waiting', 'done', 'given_up')),
    -- How often the job was leased.
    attempts bigint NOT NULL CHECK (attempts >= 0),
    -- When the next attempt is due. A lease moves this to the end of the lease.
    due_at timestamptz NOT NULL,
    finished_at timestamptz,
    -- Why the last attempt failed.
    last_error text,
    PRIMARY KEY (account_id, id),
    CHECK ((state = 'waiting') = (finished_at IS NULL)),
    CHECK (payload IS NOT NULL OR state = 'done')
);

-- A worker serves all accounts: the job that has been due longest comes first.
CREATE INDEX jobs_due ON jobs (kind, due_at) WHERE state = 'waiting';

-- Mail to owners is leased before mail to customers, of which many may wait.
CREATE INDEX jobs_due_to_owners ON jobs (kind, due_at) WHERE state = 'waiting' AND NOT to_customer;

-- Old jobs are removed across all accounts.
CREATE INDEX jobs_finished ON jobs (finished_at) WHERE state <> 'waiting';

CREATE INDEX jobs_by_resource ON jobs (account_id, resource_id, id) WHERE resource_id IS NOT NULL;
