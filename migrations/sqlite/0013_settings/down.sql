DROP INDEX webhook_deliveries_abandoned;
ALTER TABLE webhook_endpoints DROP COLUMN abandoned_mailed_at;
ALTER TABLE webhook_attempts DROP COLUMN duration_ms;
ALTER TABLE accounts DROP COLUMN silenced_notices;
ALTER TABLE account_keys DROP COLUMN last_used_at;
DROP INDEX escalations_resolved;
DROP INDEX escalations_open;
