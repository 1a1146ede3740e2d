ALTER TABLE inbound_messages DROP COLUMN attachments;
