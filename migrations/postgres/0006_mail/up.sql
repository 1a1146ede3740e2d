-- Outgoing mail: queued by the transaction that it belongs to, sent by the mail worker after the commit.
CREATE TABLE outgoing_mail (
    account_id uuid NOT NULL REFERENCES accounts (id),
    id uuid NOT NULL,
    -- The record that it is about, such as an invoice.
    resource_id uuid,
    -- The name of the template that renders it.
    template text NOT NULL,
    -- Mail to customers is held while the account is switched off or has its communications off.
    audience text NOT NULL CHECK (audience IN ('customer', 'owner')),
    recipient text NOT NULL,
    -- What the template needs, as JSON; NULL once sent.
    payload text,
    -- The account's letterhead as it was at the commit, as JSON; only for mail to customers.
    letterhead text,
    queued_at timestamptz NOT NULL,
    state text NOT NULL CHECK (state IN ('waiting', 'sent', 'given_up')),
    -- How often it was leased.
    attempts bigint NOT NULL CHECK (attempts >= 0),
    -- When the next attempt is due. A lease moves this to the end of the lease.
    due_at timestamptz NOT NULL,
    finished_at timestamptz,
    -- Why the last attempt failed.
    last_error text,
    PRIMARY KEY (account_id, id),
    CHECK ((state = 'waiting') = (finished_at IS NULL)),
    CHECK (payload IS NOT NULL OR state = 'sent')
);

-- The worker serves all accounts: what has been due longest comes first.
CREATE INDEX outgoing_mail_due ON outgoing_mail (due_at) WHERE state = 'waiting';
