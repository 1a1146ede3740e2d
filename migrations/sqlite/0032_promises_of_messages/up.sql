-- The message that a promise was read from; NULL: it was entered on a page.
ALTER TABLE promises ADD COLUMN message_id blob;
-- When the owner found that the message promises nothing; NULL: it stands, or was only superseded.
ALTER TABLE promises ADD COLUMN withdrawn_at integer;
