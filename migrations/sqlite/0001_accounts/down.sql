DROP TABLE logo_removals;
DROP TABLE account_keys;
DROP TABLE accounts;
DROP TABLE partner_keys;
DROP TABLE partners;
