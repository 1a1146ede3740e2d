-- Webhook endpoints, events, deliveries and the log of attempts.

CREATE TABLE webhook_endpoints (
    account_id uuid NOT NULL REFERENCES accounts (id),
    id uuid NOT NULL,
    url text NOT NULL,
    -- The signing secret, encrypted with the master key; NULL once the endpoint is deleted.
    secret bytea,
    -- The subscribed events, as a sum of powers of two, one for each event.
    events smallint NOT NULL CHECK (events > 0),
    enabled boolean NOT NULL,
    -- Whether it is the account's `webhook_url` of the partner API.
    provisioned boolean NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    -- A deleted endpoint stays, because the log of deliveries refers to it.
    deleted_at timestamptz,
    -- When the owner was last mailed about abandoned deliveries to the endpoint.
    abandoned_mailed_at timestamptz,
    PRIMARY KEY (account_id, id),
    CHECK ((deleted_at IS NULL) = (secret IS NOT NULL)),
    CHECK (deleted_at IS NULL OR NOT enabled)
);

CREATE UNIQUE INDEX webhook_endpoints_provisioned ON webhook_endpoints (account_id)
    WHERE provisioned AND deleted_at IS NULL;

-- Commands of the operator name an endpoint by its id alone.
CREATE INDEX webhook_endpoints_by_id ON webhook_endpoints (id);

CREATE TABLE events (
    account_id uuid NOT NULL REFERENCES accounts (id),
    -- The id that every delivery of the event carries.
    id uuid NOT NULL,
    kind text NOT NULL,
    -- The invoice or escalation.
    resource_id uuid NOT NULL,
    -- The request body, byte for byte.
    body text NOT NULL,
    happened_at timestamptz NOT NULL,
    PRIMARY KEY (account_id, id)
);

-- Old events are removed across all accounts. Ids begin with the time, so this index grows at its end.
CREATE INDEX events_by_age ON events (id);

-- No foreign key to the endpoint: its check would lock the endpoint's row in every transaction that publishes
-- an event, and serialize the payments of an account. Deliveries are inserted from the endpoint's row, and
-- endpoints are never removed.
CREATE TABLE webhook_deliveries (
    account_id uuid NOT NULL,
    event_id uuid NOT NULL,
    id uuid NOT NULL,
    endpoint_id uuid NOT NULL,
    state text NOT NULL CHECK (state IN ('pending', 'succeeded', 'abandoned', 'stopped')),
    -- Attempts begun: each lease counts one.
    attempts bigint NOT NULL CHECK (attempts >= 0),
    -- When the next attempt is due. A lease moves this to the time of the attempt after the one it begins.
    due_at timestamptz NOT NULL,
    created_at timestamptz NOT NULL,
    finished_at timestamptz,
    PRIMARY KEY (account_id, event_id, id),
    FOREIGN KEY (account_id, event_id) REFERENCES events (account_id, id),
    CHECK ((state = 'pending') = (finished_at IS NULL))
)
-- Each delivery leaves two or three dead row versions where the next search for due deliveries begins, so
-- they are vacuumed early. Updates change indexed columns, so there are no heap-only tuples and the fill
-- factor stays at 100.
WITH (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 5000);

-- Workers serve all accounts, oldest due first. The endpoint allows deliveries of busy endpoints to be
-- skipped in the index.
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (due_at, endpoint_id) WHERE state = 'pending';

-- Commands of the operator name a finished delivery by its id alone, and old ones are removed: ids begin with
-- the time.
CREATE INDEX webhook_deliveries_finished ON webhook_deliveries (id) WHERE state <> 'pending';

-- Abandoned deliveries are few among many.
CREATE INDEX webhook_deliveries_abandoned ON webhook_deliveries (account_id, event_id, id)
    WHERE state = 'abandoned';

-- Written in one transaction with the delivery. Without the event's id there is no foreign key to it.
CREATE TABLE webhook_attempts (
    account_id uuid NOT NULL,
    delivery_id uuid NOT NULL,
    number bigint NOT NULL CHECK (number >= 1),
    attempted_at timestamptz NOT NULL,
    response_status integer,
    -- The beginning of the response.
    response_body text,
    -- Why there was no response.
    error text,
    duration_ms integer,
    PRIMARY KEY (account_id, delivery_id, number)
);

-- Replays of many deliveries that an owner requested, with their progress.
CREATE TABLE bulk_replays (
    account_id uuid NOT NULL REFERENCES accounts (id),
    id uuid NOT NULL,
    -- Deliveries that were abandoned at this time or later are replayed.
    abandoned_since timestamptz NOT NULL,
    requested_at timestamptz NOT NULL,
    -- How many deliveries had to be replayed, and how many new deliveries were made.
    total bigint NOT NULL CHECK (total >= 0),
    made bigint NOT NULL CHECK (made >= 0),
    finished_at timestamptz,
    PRIMARY KEY (account_id, id)
);
