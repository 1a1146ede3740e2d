-- Partners, the accounts that they keep, the owners' logins, and the keys of both.
--
-- Indexes that do not begin with the tenant (hashes, e-mail addresses, names of payment pages) hold what is unique in the
-- whole service.

CREATE TABLE partners (
    id uuid PRIMARY KEY,
    name text NOT NULL,
    disabled boolean NOT NULL,
    created_at timestamptz NOT NULL
);

CREATE TABLE partner_keys (
    partner_id uuid NOT NULL REFERENCES partners (id),
    id uuid NOT NULL,
    hash bytea NOT NULL UNIQUE CHECK (length(hash) = 32),
    prefix text NOT NULL,
    last_four text NOT NULL,
    created_at timestamptz NOT NULL,
    revoked_at timestamptz,
    PRIMARY KEY (partner_id, id)
);

CREATE UNIQUE INDEX partner_keys_one_live ON partner_keys (partner_id) WHERE revoked_at IS NULL;

CREATE TABLE accounts (
    id uuid PRIMARY KEY,
    partner_id uuid NOT NULL REFERENCES partners (id),
    external_id text,
    company_name text NOT NULL,
    first_name text,
    last_name text,
    phone text,
    abn text,
    time_zone text NOT NULL,
    address_line1 text,
    address_city text,
    address_state text,
    address_postal_code text,
    address_country text,
    invoice_prefix text,
    payment_slug text NOT NULL UNIQUE,
    brand_color text,
    communications_enabled boolean NOT NULL,
    currency text NOT NULL CHECK (length(currency) = 3),
    monthly_invoice_limit bigint CHECK (monthly_invoice_limit >= 0),
    off_by_partner boolean NOT NULL,
    off_by_operator boolean NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    UNIQUE (partner_id, external_id)
);

-- A partner's list, newest first.
CREATE INDEX accounts_of_partner ON accounts (partner_id, id);

-- The owner's login carries the account's own id.
CREATE TABLE logins (
    account_id uuid NOT NULL REFERENCES accounts (id),
    id uuid NOT NULL,
    email text NOT NULL,
    -- The address in lower case, as the service spells it: the database's own lower() depends on its locale.
    email_key text NOT NULL UNIQUE,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (account_id, id)
);

CREATE TABLE account_keys (
    account_id uuid NOT NULL REFERENCES accounts (id),
    id uuid NOT NULL,
    hash bytea NOT NULL UNIQUE CHECK (length(hash) = 32),
    prefix text NOT NULL,
    last_four text NOT NULL,
    created_at timestamptz NOT NULL,
    revoked_at timestamptz,
    PRIMARY KEY (account_id, id)
);

CREATE UNIQUE INDEX account_keys_one_live ON account_keys (account_id) WHERE revoked_at IS NULL;
