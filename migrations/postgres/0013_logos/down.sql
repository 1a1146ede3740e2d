DROP TABLE logo_removals;

ALTER TABLE accounts DROP COLUMN logo_key;
