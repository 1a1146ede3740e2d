-- The entry of the key in force while another key waits: its link in the owner's mail stays usable.
ALTER TABLE gateway_accounts ADD COLUMN earlier_undo_token_hash blob;
ALTER TABLE gateway_accounts ADD COLUMN earlier_key_entered_at integer;
