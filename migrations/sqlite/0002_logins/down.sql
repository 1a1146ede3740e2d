DROP TABLE invitations;
DROP TABLE logins;
