-- Partners, the accounts that they keep, the owners' logins, and the keys of both.
--
-- Indexes that do not begin with the tenant (hashes, e-mail addresses, names of payment pages) hold what is unique in the
-- whole service.

CREATE TABLE partners (
    id blob PRIMARY KEY NOT NULL,
    name text NOT NULL,
    disabled integer NOT NULL CHECK (disabled IN (0, 1)),
    created_at integer NOT NULL
) STRICT;

CREATE TABLE partner_keys (
    partner_id blob NOT NULL REFERENCES partners (id),
    id blob NOT NULL,
    hash blob NOT NULL UNIQUE CHECK (length(hash) = 32),
    prefix text NOT NULL,
    last_four text NOT NULL,
    created_at integer NOT NULL,
    revoked_at integer,
    PRIMARY KEY (partner_id, id)
) STRICT;

CREATE UNIQUE INDEX partner_keys_one_live ON partner_keys (partner_id) WHERE revoked_at IS NULL;

CREATE TABLE accounts (
    id blob PRIMARY KEY NOT NULL,
    partner_id blob NOT NULL REFERENCES partners (id),
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
    communications_enabled integer NOT NULL CHECK (communications_enabled IN (0, 1)),
    currency text NOT NULL CHECK (length(currency) = 3),
    monthly_invoice_limit integer CHECK (monthly_invoice_limit >= 0),
    off_by_partner integer NOT NULL CHECK (off_by_partner IN (0, 1)),
    off_by_operator integer NOT NULL CHECK (off_by_operator IN (0, 1)),
    created_at integer NOT NULL,
    updated_at integer NOT NULL,
    UNIQUE (partner_id, external_id)
) STRICT;

-- A partner's list, newest first.
CREATE INDEX accounts_of_partner ON accounts (partner_id, id);

-- The owner's login carries the account's own id.
CREATE TABLE logins (
    account_id blob NOT NULL REFERENCES accounts (id),
    id blob NOT NULL,
    email text NOT NULL,
    -- The address in lower case, as the service spells it: the database's own lower() depends on its locale.
    email_key text NOT NULL UNIQUE,
    created_at integer NOT NULL,
    PRIMARY KEY (account_id, id)
) STRICT;

CREATE TABLE account_keys (
    account_id blob NOT NULL REFERENCES accounts (id),
    id blob NOT NULL,
    hash blob NOT NULL UNIQUE CHECK (length(hash) = 32),
    prefix text NOT NULL,
    last_four text NOT NULL,
    created_at integer NOT NULL,
    revoked_at integer,
    PRIMARY KEY (account_id, id)
) STRICT;

CREATE UNIQUE INDEX account_keys_one_live ON account_keys (account_id) WHERE revoked_at IS NULL;
