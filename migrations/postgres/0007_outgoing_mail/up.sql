-- Mail that is to be delivered. It is written by the transaction that it belongs to, and taken by a postman once that is committed.

CREATE TABLE outgoing_mail (
    account_id uuid NOT NULL REFERENCES accounts (id),
    id uuid NOT NULL,
    -- The record that it is about, such as an invoice.
    about uuid,
    -- What it says, as a JSON object; nothing once it is sent.
    message text,
    queued_at timestamptz NOT NULL,
    state text NOT NULL CHECK (state IN ('waiting', 'sent', 'given_up')),
    -- How often it was leased for an attempt.
    attempts bigint NOT NULL CHECK (attempts >= 0),
    -- When the next attempt is due. A lease moves it to its own end, so that a mail whose postman is lost comes up again.
    due_at timestamptz NOT NULL,
    finished_at timestamptz,
    -- Why the last attempt did not succeed.
    reason text,
    PRIMARY KEY (account_id, id),
    CHECK ((state = 'waiting') = (finished_at IS NULL)),
    CHECK (message IS NOT NULL OR state = 'sent')
);

-- The postman works for every account: what is due longest comes first, whoever it belongs to.
CREATE INDEX outgoing_mail_due ON outgoing_mail (due_at) WHERE state = 'waiting';
