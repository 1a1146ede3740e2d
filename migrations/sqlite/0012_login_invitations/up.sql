-- Passwords of those who sign in, and the invitations through which they choose them.

-- An Argon2id hash in the PHC string format; nothing until the owner has accepted an invitation.
ALTER TABLE logins ADD COLUMN password_hash text;

CREATE TABLE invitations (
    account_id blob NOT NULL REFERENCES accounts (id),
    id blob NOT NULL,
    login_id blob NOT NULL,
    -- The SHA-256 of the token, which itself is in the mail alone.
    token_hash blob NOT NULL UNIQUE CHECK (length(token_hash) = 32),
    created_at integer NOT NULL,
    expires_at integer NOT NULL,
    used_at integer,
    PRIMARY KEY (account_id, id),
    FOREIGN KEY (account_id, login_id) REFERENCES logins (account_id, id)
) STRICT;
