-- Webhook endpoints, events, deliveries and the log of attempts.

CREATE TABLE webhook_endpoints (
    account_id blob NOT NULL REFERENCES accounts (id),
    id blob NOT NULL,
    url text NOT NULL,
    -- The signing secret, encrypted with the master key; NULL once the endpoint is deleted.
    secret blob,
    -- The subscribed events, as a sum of powers of two, one for each event.
    events integer NOT NULL CHECK (events > 0),
    enabled integer NOT NULL CHECK (enabled IN (0, 1)),
    -- Whether it is the account's `webhook_url` of the partner API.
    provisioned integer NOT NULL CHECK (provisioned IN (0, 1)),
    created_at integer NOT NULL,
    updated_at integer NOT NULL,
    -- A deleted endpoint stays, because the log of deliveries refers to it.
    deleted_at integer,
    -- When the owner was last mailed about abandoned deliveries to the endpoint.
    abandoned_mailed_at integer,
    PRIMARY KEY (account_id, id),
    CHECK ((deleted_at IS NULL) = (secret IS NOT NULL)),
    CHECK (deleted_at IS NULL OR NOT enabled)
) STRICT;

CREATE UNIQUE INDEX webhook_endpoints_provisioned ON webhook_endpoints (account_id)
    WHERE provisioned AND deleted_at IS NULL;

-- Commands of the operator name an endpoint by its id alone.
CREATE INDEX webhook_endpoints_by_id ON webhook_endpoints (id);

CREATE TABLE events (
    account_id blob NOT NULL REFERENCES accounts (id),
    -- The id that every delivery of the event carries.
    id blob NOT NULL,
    kind text NOT NULL,
    -- The invoice or escalation.
    resource_id blob NOT NULL,
    -- The request body, byte for byte.
    body text NOT NULL,
    happened_at integer NOT NULL,
    PRIMARY KEY (account_id, id)
) STRICT;

-- Old events are removed across all accounts. Ids begin with the time, so this index grows at its end.
CREATE INDEX events_by_age ON events (id);

-- No foreign key to the endpoint, as on PostgreSQL, where its check would serialize the payments of an
-- account. Deliveries are inserted from the endpoint's row, and endpoints are never removed.
CREATE TABLE webhook_deliveries (
    account_id blob NOT NULL,
    event_id blob NOT NULL,
    id blob NOT NULL,
    endpoint_id blob NOT NULL,
    state text NOT NULL CHECK (state IN ('pending', 'succeeded', 'abandoned', 'stopped')),
    -- Attempts begun: each lease counts one.
    attempts integer NOT NULL CHECK (attempts >= 0),
    -- When the next attempt is due. A lease moves this to the time of the attempt after the one it begins.
    due_at integer NOT NULL,
    created_at integer NOT NULL,
    finished_at integer,
    PRIMARY KEY (account_id, event_id, id),
    FOREIGN KEY (account_id, event_id) REFERENCES events (account_id, id),
    CHECK ((state = 'pending') = (finished_at IS NULL))
) STRICT;

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
    account_id blob NOT NULL,
    delivery_id blob NOT NULL,
    number integer NOT NULL CHECK (number >= 1),
    attempted_at integer NOT NULL,
    response_status integer,
    -- The beginning of the response.
    response_body text,
    -- Why there was no response.
    error text,
    duration_ms integer,
    PRIMARY KEY (account_id, delivery_id, number)
) STRICT;

-- Replays of many deliveries that an owner requested, with their progress.
CREATE TABLE bulk_replays (
    account_id blob NOT NULL REFERENCES accounts (id),
    id blob NOT NULL,
    -- Deliveries that were abandoned at this time or later are replayed.
    abandoned_since integer NOT NULL,
    requested_at integer NOT NULL,
    -- How many deliveries had to be replayed, and how many new deliveries were made.
    total integer NOT NULL CHECK (total >= 0),
    made integer NOT NULL CHECK (made >= 0),
    finished_at integer,
    PRIMARY KEY (account_id, id)
) STRICT;
