-- Retries that send a gateway the same request, and keys that replace others.

-- SHA-256 of the request that opens a checkout: a different request under the same id would be refused.
ALTER TABLE payment_intents ADD COLUMN opened_with bytea;

-- When the last key was entered, and when the owner undid that by the link in the mail.
ALTER TABLE gateway_accounts ADD COLUMN key_entered_at timestamptz;
ALTER TABLE gateway_accounts ADD COLUMN key_undone_at timestamptz;

-- Workers remove replaced keys once nothing needs them.
CREATE INDEX gateway_accounts_replaced ON gateway_accounts (next_key_in_force_at) WHERE next_key IS NOT NULL;
