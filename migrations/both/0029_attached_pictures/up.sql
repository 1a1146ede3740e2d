-- How many pictures or other files came with a text message; NULL: none. They are not fetched.
ALTER TABLE inbound_messages ADD COLUMN attachments integer;
