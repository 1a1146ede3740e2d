-- Logins of account owners, and the invitations with which they choose a password.

CREATE TABLE logins (
    account_id blob NOT NULL REFERENCES accounts (id),
    -- The owner's login has the id of the account.
    id blob NOT NULL,
    email text NOT NULL,
    -- The address in lower case, computed by the service: lower() of the database depends on its locale.
    email_key text NOT NULL UNIQUE,
    -- Argon2id in PHC string format; NULL until an invitation is accepted.
    password_hash text,
    created_at integer NOT NULL,
    -- The secret of the second factor, sealed under the master key; NULL while the second factor is off.
    totp_secret blob,
    totp_since integer,
    -- The time step of the last code that was used.
    totp_last_step integer,
    -- A secret that was shown but not confirmed yet, sealed.
    totp_proposed blob,
    PRIMARY KEY (account_id, id)
) STRICT;

CREATE TABLE invitations (
    account_id blob NOT NULL REFERENCES accounts (id),
    id blob NOT NULL,
    login_id blob NOT NULL,
    -- SHA-256 of the token.
    token_hash blob NOT NULL UNIQUE CHECK (length(token_hash) = 32),
    created_at integer NOT NULL,
    expires_at integer NOT NULL,
    used_at integer,
    PRIMARY KEY (account_id, id),
    FOREIGN KEY (account_id, login_id) REFERENCES logins (account_id, id)
) STRICT;
