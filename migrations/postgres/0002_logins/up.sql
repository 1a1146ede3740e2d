-- Logins of account owners, and the invitations with which they choose a password.

CREATE TABLE logins (
    account_id uuid NOT NULL REFERENCES accounts (id),
    -- The owner's login has the id of the account.
    id uuid NOT NULL,
    email text NOT NULL,
    -- The address in lower case, computed by the service: lower() of the database depends on its locale.
    email_key text NOT NULL UNIQUE,
    -- Argon2id in PHC string format; NULL until an invitation is accepted.
    password_hash text,
    created_at timestamptz NOT NULL,
    -- The secret of the second factor, sealed under the master key; NULL while the second factor is off.
    totp_secret bytea,
    totp_since timestamptz,
    -- The time step of the last code that was used.
    totp_last_step bigint,
    -- A secret that was shown but not confirmed yet, sealed.
    totp_proposed bytea,
    PRIMARY KEY (account_id, id)
);

CREATE TABLE invitations (
    account_id uuid NOT NULL REFERENCES accounts (id),
    id uuid NOT NULL,
    login_id uuid NOT NULL,
    -- SHA-256 of the token.
    token_hash bytea NOT NULL UNIQUE CHECK (length(token_hash) = 32),
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    used_at timestamptz,
    PRIMARY KEY (account_id, id),
    FOREIGN KEY (account_id, login_id) REFERENCES logins (account_id, id)
);
