DROP TABLE invitations;

ALTER TABLE logins DROP COLUMN password_hash;
