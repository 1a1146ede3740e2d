-- When the money went back to the payer; NULL before that. What went back before this migration counts as
-- gone back when it was requested.
ALTER TABLE charge_reversals ADD COLUMN succeeded_at integer;
