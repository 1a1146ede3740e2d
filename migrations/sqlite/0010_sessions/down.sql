DROP TABLE audit_entries;
DROP TABLE known_browsers;
DROP TABLE recovery_codes;
DROP TABLE reset_requests;
DROP TABLE password_resets;
DROP TABLE sessions;
