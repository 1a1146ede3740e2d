DROP TABLE unread_notices;
DROP INDEX messages_with_text;
ALTER TABLE messages DROP COLUMN text_removed_at;
