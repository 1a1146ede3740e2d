CREATE TABLE contacts (
    account_id blob NOT NULL REFERENCES accounts (id),
    id blob NOT NULL,
    name text NOT NULL,
    email text,
    -- The address in lower case, computed by the service: lower() of the database depends on its locale.
    email_key text,
    phone text,
    external_id text,
    -- The postal address as a JSON object.
    address text,
    created_at integer NOT NULL,
    updated_at integer NOT NULL,
    PRIMARY KEY (account_id, id),
    UNIQUE (account_id, email_key),
    UNIQUE (account_id, external_id),
    CHECK ((email IS NULL) = (email_key IS NULL))
) STRICT;
