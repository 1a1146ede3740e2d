-- The keyword that the SMS provider recognised in a text message; NULL: none. Only stop is stored.
ALTER TABLE inbound_messages ADD COLUMN keyword text;
