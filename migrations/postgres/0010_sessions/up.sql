-- Sessions of account owners, recovery codes, password resets, and audit entries.

CREATE TABLE sessions (
    account_id uuid NOT NULL REFERENCES accounts (id),
    id uuid NOT NULL,
    login_id uuid NOT NULL,
    -- SHA-256 of the token, which names the account.
    token_hash bytea NOT NULL CHECK (length(token_hash) = 32),
    created_at timestamptz NOT NULL,
    last_seen_at timestamptz NOT NULL,
    -- The last time that the password or a code was entered.
    authenticated_at timestamptz NOT NULL,
    -- Whether the code of the second factor is still to be entered.
    awaits_code boolean NOT NULL,
    address text NOT NULL,
    browser text NOT NULL,
    PRIMARY KEY (account_id, id),
    UNIQUE (account_id, token_hash),
    FOREIGN KEY (account_id, login_id) REFERENCES logins (account_id, id)
);

-- Ended sessions are removed across all accounts.
CREATE INDEX sessions_last_seen ON sessions (last_seen_at);
CREATE INDEX sessions_created ON sessions (created_at);

CREATE TABLE password_resets (
    account_id uuid NOT NULL REFERENCES accounts (id),
    id uuid NOT NULL,
    login_id uuid NOT NULL,
    -- SHA-256 of the token, which names the account.
    token_hash bytea NOT NULL CHECK (length(token_hash) = 32),
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    used_at timestamptz,
    PRIMARY KEY (account_id, id),
    UNIQUE (account_id, token_hash),
    FOREIGN KEY (account_id, login_id) REFERENCES logins (account_id, id)
);

-- Old ones are removed across all accounts.
CREATE INDEX password_resets_expired ON password_resets (expires_at);

-- Requests for a new password. A row is written for each e-mail address, known or not, and processed after
-- the response: the table has no account, and few short-lived rows.
CREATE TABLE reset_requests (
    id uuid NOT NULL PRIMARY KEY,
    email text NOT NULL,
    requested_at timestamptz NOT NULL
);

-- Recovery codes that are left; a used one is removed.
CREATE TABLE recovery_codes (
    account_id uuid NOT NULL REFERENCES accounts (id),
    login_id uuid NOT NULL,
    -- SHA-256 of the account's id and the code.
    code_hash bytea NOT NULL CHECK (length(code_hash) = 32),
    PRIMARY KEY (account_id, login_id, code_hash),
    FOREIGN KEY (account_id, login_id) REFERENCES logins (account_id, id)
);

-- Browsers in which a login was used, by their names without a version.
CREATE TABLE known_browsers (
    account_id uuid NOT NULL REFERENCES accounts (id),
    login_id uuid NOT NULL,
    name text NOT NULL,
    first_seen_at timestamptz NOT NULL,
    last_seen_at timestamptz NOT NULL,
    PRIMARY KEY (account_id, login_id, name),
    FOREIGN KEY (account_id, login_id) REFERENCES logins (account_id, id)
);

-- Actions of an owner or the operator that changed security or money. Rows are never changed.
CREATE TABLE audit_entries (
    account_id uuid NOT NULL REFERENCES accounts (id),
    id uuid NOT NULL,
    at timestamptz NOT NULL,
    actor text NOT NULL,
    -- NULL at the command line.
    address text,
    action text NOT NULL,
    -- JSON without secrets.
    state_before text,
    state_after text,
    PRIMARY KEY (account_id, id)
);
