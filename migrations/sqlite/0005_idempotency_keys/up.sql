-- Responses stored for requests that are repeated with the same Idempotency-Key.
CREATE TABLE idempotency_keys (
    account_id blob NOT NULL REFERENCES accounts (id),
    operation text NOT NULL,
    key text NOT NULL,
    -- SHA-256 of the request.
    fingerprint blob NOT NULL CHECK (length(fingerprint) = 32),
    status integer NOT NULL CHECK (status BETWEEN 100 AND 599),
    body blob NOT NULL,
    -- By the database's clock, which all processes share; used only to remove old rows.
    stored_at integer NOT NULL DEFAULT (CAST(unixepoch('subsec') * 1000000 AS integer)),
    PRIMARY KEY (account_id, operation, key)
) STRICT;

-- Old rows are removed across all accounts, oldest first.
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (stored_at);
