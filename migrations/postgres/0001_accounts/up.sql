-- Partners, their accounts, and the API keys of both.
--
-- These are reference tables: small, and read without knowing the account first. Their unique indexes on key
-- hashes, payment slugs and e-mail addresses span the whole service. Every other table of an account has
-- account_id as the first column of its primary key, its unique indexes and its foreign keys, so that it can
-- be distributed by account.

CREATE TABLE partners (
    id uuid PRIMARY KEY,
    name text NOT NULL,
    disabled boolean NOT NULL,
    created_at timestamptz NOT NULL
);

CREATE TABLE partner_keys (
    partner_id uuid NOT NULL REFERENCES partners (id),
    id uuid NOT NULL,
    -- SHA-256 of the key.
    hash bytea NOT NULL UNIQUE CHECK (length(hash) = 32),
    prefix text NOT NULL,
    last_four text NOT NULL,
    created_at timestamptz NOT NULL,
    revoked_at timestamptz,
    PRIMARY KEY (partner_id, id)
);

CREATE UNIQUE INDEX partner_keys_active ON partner_keys (partner_id) WHERE revoked_at IS NULL;

CREATE TABLE accounts (
    id uuid PRIMARY KEY,
    partner_id uuid NOT NULL REFERENCES partners (id),
    external_id text,
    company_name text NOT NULL,
    first_name text,
    last_name text,
    phone text,
    abn text,
    -- IANA name.
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
    -- ISO 4217 code.
    currency text NOT NULL CHECK (length(currency) = 3),
    monthly_invoice_limit bigint CHECK (monthly_invoice_limit >= 0),
    disabled_by_partner boolean NOT NULL,
    disabled_by_operator boolean NOT NULL,
    -- Name of the stored copy of the logo; its extension gives the media type.
    logo_key text,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    -- The number of days from today within which a payer may promise to pay.
    promise_days integer NOT NULL DEFAULT 14 CHECK (promise_days BETWEEN 0 AND 365),
    -- The mails that the owner switched off, as a sum of powers of two, one for each kind.
    silenced_notices smallint NOT NULL DEFAULT 0,
    -- How many text messages and calls the account may send in a month; NULL: any number.
    monthly_message_limit bigint CHECK (monthly_message_limit >= 0),
    UNIQUE (partner_id, external_id)
);

-- A partner's list, newest first.
CREATE INDEX accounts_by_partner ON accounts (partner_id, id);

-- The accounts whose customers get no messages. A lease of mail leaves out their jobs by this index:
-- otherwise it would read all accounts.
CREATE INDEX accounts_switched_off ON accounts (id)
    WHERE disabled_by_partner OR disabled_by_operator OR NOT communications_enabled;

CREATE TABLE account_keys (
    account_id uuid NOT NULL REFERENCES accounts (id),
    id uuid NOT NULL,
    -- SHA-256 of the key.
    hash bytea NOT NULL UNIQUE CHECK (length(hash) = 32),
    prefix text NOT NULL,
    last_four text NOT NULL,
    created_at timestamptz NOT NULL,
    revoked_at timestamptz,
    -- The last use of the key, accurate to about a minute.
    last_used_at timestamptz,
    PRIMARY KEY (account_id, id)
);

CREATE UNIQUE INDEX account_keys_active ON account_keys (account_id) WHERE revoked_at IS NULL;

-- Stored logo files that must be removed. A file is listed here before it is stored, until an account names
-- it.
CREATE TABLE logo_removals (
    logo_key text PRIMARY KEY,
    -- When it is removed. An attempt moves this to the attempt's own time limit.
    due_at timestamptz NOT NULL,
    -- Attempts begun. An account may take the file only while there are none.
    attempts integer NOT NULL DEFAULT 0 CHECK (attempts >= 0)
);

CREATE INDEX logo_removals_due ON logo_removals (due_at);
