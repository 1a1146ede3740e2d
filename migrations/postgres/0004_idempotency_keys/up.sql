-- Answers that are kept for requests sent again under the same Idempotency-Key.
CREATE TABLE idempotency_keys (
    account_id uuid NOT NULL REFERENCES accounts (id),
    endpoint text NOT NULL,
    key text NOT NULL,
    fingerprint bytea NOT NULL CHECK (length(fingerprint) = 32),
    status integer NOT NULL CHECK (status BETWEEN 100 AND 599),
    body bytea NOT NULL,
    -- The database's clock: one for all processes that share it, and read by nothing but the clean-up.
    kept_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (account_id, endpoint, key)
);

-- The clean-up walks through all accounts, oldest first.
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (kept_at);
