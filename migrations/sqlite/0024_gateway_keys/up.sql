-- Retries that send a gateway the same request, and keys that take the place of others.

-- What a checkout is opened with, as a SHA-256: another request under the same id would be refused.
ALTER TABLE payment_intents ADD COLUMN opened_with blob;

-- When the last key was entered, and when its owner undid that. The link that undoes it is in a mail.
ALTER TABLE gateway_accounts ADD COLUMN key_entered_at integer;
ALTER TABLE gateway_accounts ADD COLUMN key_undone_at integer;

-- Workers remove keys that were replaced once nothing needs them.
CREATE INDEX gateway_accounts_replaced ON gateway_accounts (next_key_in_force_at) WHERE next_key IS NOT NULL;
