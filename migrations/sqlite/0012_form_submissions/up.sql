-- Submitted forms, so that a form that is sent twice acts once.
CREATE TABLE form_submissions (
    account_id blob NOT NULL REFERENCES accounts (id),
    -- The hidden value of the form, a UUIDv7 that was generated with the page.
    token blob NOT NULL,
    -- HMAC-SHA-256 of the address and the content.
    fingerprint blob NOT NULL CHECK (length(fingerprint) = 32),
    -- The response that was shown; NULL while the work is not finished.
    result text,
    begun_at integer NOT NULL,
    PRIMARY KEY (account_id, token)
) STRICT;

-- Old rows are removed across all accounts, oldest first.
CREATE INDEX form_submissions_by_age ON form_submissions (begun_at);
