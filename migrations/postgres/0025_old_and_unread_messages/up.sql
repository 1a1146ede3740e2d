-- When the subject and the text of a message were removed because they were old; NULL: they are there.
ALTER TABLE messages ADD COLUMN text_removed_at timestamptz;

-- The texts that are there, the oldest first.
CREATE INDEX messages_with_text ON messages (written_at) WHERE text_removed_at IS NULL;

-- Of which messages that nobody read the owner was mailed: those that came in by this instant. NULL, or no
-- row: of none yet.
CREATE TABLE unread_notices (
    account_id uuid NOT NULL PRIMARY KEY REFERENCES accounts (id),
    told_until timestamptz
);
