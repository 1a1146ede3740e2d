DROP TABLE webhook_attempts;
DROP TABLE webhook_deliveries;
DROP TABLE events;
DROP TABLE webhook_endpoints;

-- Events as they were before, without the bodies and the kinds that only this step knows.
CREATE TABLE events (
    account_id uuid NOT NULL REFERENCES accounts (id),
    -- The id that every delivery of the event carries.
    id uuid NOT NULL,
    kind text NOT NULL CHECK (kind IN ('invoice.payment_recorded')),
    -- The invoice that it happened to.
    resource_id uuid NOT NULL,
    happened_at timestamptz NOT NULL,
    PRIMARY KEY (account_id, id)
);
