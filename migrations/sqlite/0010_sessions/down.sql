DROP TABLE audit_entries;
DROP TABLE known_browsers;
DROP TABLE recovery_codes;
DROP TABLE password_resets;
DROP TABLE sessions;
ALTER TABLE logins DROP COLUMN totp_proposed;
ALTER TABLE logins DROP COLUMN totp_last_step;
ALTER TABLE logins DROP COLUMN totp_since;
ALTER TABLE logins DROP COLUMN totp_secret;
