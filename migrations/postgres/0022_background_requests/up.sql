-- Work that a request begins and a worker does after the response.

-- Requests for a new password. A row is written for each e-mail address, known or not, and processed after
-- the response: the table has no account, and few short-lived rows.
CREATE TABLE reset_requests (
    id uuid NOT NULL PRIMARY KEY,
    email text NOT NULL,
    requested_at timestamptz NOT NULL
);

-- Replays of many deliveries that an owner requested, with their progress.
CREATE TABLE bulk_replays (
    account_id uuid NOT NULL REFERENCES accounts (id),
    id uuid NOT NULL,
    -- Deliveries that were abandoned at this time or later are replayed.
    abandoned_since timestamptz NOT NULL,
    requested_at timestamptz NOT NULL,
    -- How many deliveries had to be replayed, and how many new deliveries were made.
    total bigint NOT NULL CHECK (total >= 0),
    made bigint NOT NULL CHECK (made >= 0),
    finished_at timestamptz,
    PRIMARY KEY (account_id, id)
);
