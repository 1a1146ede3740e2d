-- Work that is begun by a request and done behind its answer.

-- Requests for a new password. A row is written for each e-mail address, known or not, and looked up behind
-- the answer: the table has no account, and few rows, each for a moment.
CREATE TABLE reset_requests (
    id uuid NOT NULL PRIMARY KEY,
    email text NOT NULL,
    requested_at timestamptz NOT NULL
);

-- What an owner asked to be replayed at once, and how far that is.
CREATE TABLE webhook_replays (
    account_id uuid NOT NULL REFERENCES accounts (id),
    id uuid NOT NULL,
    -- Deliveries that were abandoned at this instant or later.
    abandoned_since timestamptz NOT NULL,
    requested_at timestamptz NOT NULL,
    -- How many deliveries there were to replay, and how many were made anew.
    total bigint NOT NULL CHECK (total >= 0),
    made bigint NOT NULL CHECK (made >= 0),
    finished_at timestamptz,
    PRIMARY KEY (account_id, id)
);
