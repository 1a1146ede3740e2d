-- Data and settings of the dashboard: lists of escalations and deliveries, the last use of a key, the
-- duration of attempts, and the mails that owners get.

-- Open escalations come before resolved ones, each part newest first.
CREATE INDEX escalations_open ON escalations (account_id, id) WHERE resolved_at IS NULL;
CREATE INDEX escalations_resolved ON escalations (account_id, id) WHERE resolved_at IS NOT NULL;

-- The last use of the key, accurate to about a minute.
ALTER TABLE account_keys ADD COLUMN last_used_at timestamptz;

-- The mails that the owner switched off, as a sum: 1 escalations, 2 abandoned deliveries.
ALTER TABLE accounts ADD COLUMN silenced_notices smallint NOT NULL DEFAULT 0;

ALTER TABLE webhook_attempts ADD COLUMN duration_ms integer;

-- When the owner was last mailed about abandoned deliveries to the endpoint.
ALTER TABLE webhook_endpoints ADD COLUMN abandoned_mailed_at timestamptz;

-- Abandoned deliveries are few among many.
CREATE INDEX webhook_deliveries_abandoned ON webhook_deliveries (account_id, event_id, id)
    WHERE state = 'abandoned';
