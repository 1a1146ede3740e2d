-- When the subject and the text of a message were removed because they were old; NULL: they are there.
ALTER TABLE messages ADD COLUMN text_removed_at timestamptz;

-- The texts that are there, the oldest first.
CREATE INDEX messages_with_text ON messages (written_at) WHERE text_removed_at IS NULL;
