ALTER TABLE promises DROP COLUMN withdrawn_at;
ALTER TABLE promises DROP COLUMN message_id;
