DROP TABLE account_keys;
DROP TABLE logins;
DROP TABLE accounts;
DROP TABLE partner_keys;
DROP TABLE partners;
