ALTER TABLE charge_reversals DROP COLUMN succeeded_at;
