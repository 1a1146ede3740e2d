-- Passwords of those who sign in, and the invitations through which they choose them.

-- An Argon2id hash in the PHC string format; nothing until the owner has accepted an invitation.
ALTER TABLE logins ADD COLUMN password_hash text;

CREATE TABLE invitations (
    account_id uuid NOT NULL REFERENCES accounts (id),
    id uuid NOT NULL,
    login_id uuid NOT NULL,
    -- The SHA-256 of the token, which itself is in the mail alone.
    token_hash bytea NOT NULL UNIQUE CHECK (length(token_hash) = 32),
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    used_at timestamptz,
    PRIMARY KEY (account_id, id),
    FOREIGN KEY (account_id, login_id) REFERENCES logins (account_id, id)
);
