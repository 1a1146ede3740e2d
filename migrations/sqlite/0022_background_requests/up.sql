-- Work that a request begins and a worker does after the response.

-- Requests for a new password. A row is written for each e-mail address, known or not, and processed after
-- the response: the table has no account, and few short-lived rows.
CREATE TABLE reset_requests (
    id blob NOT NULL PRIMARY KEY,
    email text NOT NULL,
    requested_at integer NOT NULL
) STRICT;

-- Replays of many deliveries that an owner requested, with their progress.
CREATE TABLE bulk_replays (
    account_id blob NOT NULL REFERENCES accounts (id),
    id blob NOT NULL,
    -- Deliveries that were abandoned at this time or later are replayed.
    abandoned_since integer NOT NULL,
    requested_at integer NOT NULL,
    -- How many deliveries had to be replayed, and how many new deliveries were made.
    total integer NOT NULL CHECK (total >= 0),
    made integer NOT NULL CHECK (made >= 0),
    finished_at integer,
    PRIMARY KEY (account_id, id)
) STRICT;
