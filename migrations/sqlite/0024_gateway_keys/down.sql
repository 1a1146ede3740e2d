DROP INDEX gateway_accounts_replaced;
ALTER TABLE gateway_accounts DROP COLUMN key_undone_at;
ALTER TABLE gateway_accounts DROP COLUMN key_entered_at;
ALTER TABLE payment_intents DROP COLUMN opened_with;
