-- When the subject and the text of a message were removed because of their age; NULL: they exist.
ALTER TABLE messages ADD COLUMN text_removed_at timestamptz;

-- The texts that still exist, the oldest first.
CREATE INDEX messages_with_text ON messages (written_at) WHERE text_removed_at IS NULL;

-- The owner was mailed about unread messages that came in up to this time. NULL, or no row: about none yet.
CREATE TABLE unread_notices (
    account_id uuid NOT NULL PRIMARY KEY REFERENCES accounts (id),
    notified_until timestamptz
);
