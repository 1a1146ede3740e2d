ALTER TABLE gateway_accounts DROP COLUMN earlier_key_entered_at;
ALTER TABLE gateway_accounts DROP COLUMN earlier_undo_token_hash;
