-- Partners, their accounts, and the API keys of both.
--
-- These are reference tables: small, and read without knowing the account first. Their unique indexes on key
-- hashes, payment slugs and e-mail addresses span the whole service. Every other table of an account has
-- account_id as the first column of its primary key, its unique indexes and its foreign keys, so that it can
-- be distributed by account.

CREATE TABLE partners (
    id blob PRIMARY KEY NOT NULL,
    name text NOT NULL,
    disabled integer NOT NULL CHECK (disabled IN (0, 1)),
    created_at integer NOT NULL
) STRICT;

CREATE TABLE partner_keys (
    partner_id blob NOT NULL REFERENCES partners (id),
    id blob NOT NULL,
    -- SHA-256 of the key.
    hash blob NOT NULL UNIQUE CHECK (length(hash) = 32),
    prefix text NOT NULL,
    last_four text NOT NULL,
    created_at integer NOT NULL,
    revoked_at integer,
    PRIMARY KEY (partner_id, id)
) STRICT;

CREATE UNIQUE INDEX partner_keys_active ON partner_keys (partner_id) WHERE revoked_at IS NULL;

CREATE TABLE accounts (
    id blob PRIMARY KEY NOT NULL,
    partner_id blob NOT NULL REFERENCES partners (id),
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
    communications_enabled integer NOT NULL CHECK (communications_enabled IN (0, 1)),
    -- ISO 4217 code.
    currency text NOT NULL CHECK (length(currency) = 3),
    monthly_invoice_limit integer CHECK (monthly_invoice_limit >= 0),
    disabled_by_partner integer NOT NULL CHECK (disabled_by_partner IN (0, 1)),
    disabled_by_operator integer NOT NULL CHECK (disabled_by_operator IN (0, 1)),
    -- Name of the stored copy of the logo; its extension gives the media type.
    logo_key text,
    created_at integer NOT NULL,
    updated_at integer NOT NULL,
    -- The number of days from today within which a payer may promise to pay.
    promise_days integer NOT NULL DEFAULT 14 CHECK (promise_days BETWEEN 0 AND 365),
    -- The mails that the owner switched off, as a sum of powers of two, one for each kind.
    silenced_notices integer NOT NULL DEFAULT 0,
    -- How many text messages and calls the account may send in a month; NULL: any number.
    monthly_message_limit integer CHECK (monthly_message_limit >= 0),
    UNIQUE (partner_id, external_id)
) STRICT;

-- A partner's list, newest first.
CREATE INDEX accounts_by_partner ON accounts (partner_id, id);

CREATE TABLE account_keys (
    account_id blob NOT NULL REFERENCES accounts (id),
    id blob NOT NULL,
    -- SHA-256 of the key.
    hash blob NOT NULL UNIQUE CHECK (length(hash) = 32),
    prefix text NOT NULL,
    last_four text NOT NULL,
    created_at integer NOT NULL,
    revoked_at integer,
    -- The last use of the key, accurate to about a minute.
    last_used_at integer,
    PRIMARY KEY (account_id, id)
) STRICT;

CREATE UNIQUE INDEX account_keys_active ON account_keys (account_id) WHERE revoked_at IS NULL;

-- Stored logo files that must be removed. A file is listed here before it is stored, until an account names
-- it.
CREATE TABLE logo_removals (
    logo_key text PRIMARY KEY NOT NULL,
    -- When it is removed. An attempt moves this to the attempt's own time limit.
    due_at integer NOT NULL,
    -- Attempts begun. An account may take the file only while there are none.
    attempts integer NOT NULL DEFAULT 0 CHECK (attempts >= 0)
) STRICT;

CREATE INDEX logo_removals_due ON logo_removals (due_at);
