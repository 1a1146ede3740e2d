-- Endpoints that are told of events, the deliveries on their way there, and the log of attempts.

CREATE TABLE webhook_endpoints (
    account_id blob NOT NULL REFERENCES accounts (id),
    id blob NOT NULL,
    url text NOT NULL,
    -- The signing secret, sealed under the master key; nothing once the endpoint is deleted.
    secret blob,
    -- The sum of the events that it is told of: 1 payment recorded, 2 escalation created, 4 escalation resolved.
    events integer NOT NULL CHECK (events BETWEEN 1 AND 7),
    enabled integer NOT NULL CHECK (enabled IN (0, 1)),
    -- Whether it is the account's `webhook_url` of the partner API.
    provisioned integer NOT NULL CHECK (provisioned IN (0, 1)),
    created_at integer NOT NULL,
    updated_at integer NOT NULL,
    -- A deleted endpoint stays, since the log of deliveries names it.
    deleted_at integer,
    PRIMARY KEY (account_id, id),
    CHECK ((deleted_at IS NULL) = (secret IS NOT NULL)),
    CHECK (deleted_at IS NULL OR NOT enabled)
) STRICT;

CREATE UNIQUE INDEX webhook_endpoints_one_provisioned ON webhook_endpoints (account_id) WHERE provisioned AND deleted_at IS NULL;

-- The operator names an endpoint alone.
CREATE UNIQUE INDEX webhook_endpoints_by_id ON webhook_endpoints (id);

-- Events carry the body of their deliveries from here on. Those that are there were written before there could be any endpoint: nobody is
-- owed them, and nothing reads them. So the table begins anew.
DROP TABLE events;

CREATE TABLE events (
    account_id blob NOT NULL REFERENCES accounts (id),
    -- The id that every delivery of the event carries.
    id blob NOT NULL,
    kind text NOT NULL CHECK (kind IN ('invoice.payment_recorded', 'escalation.created', 'escalation.resolved')),
    -- The invoice or escalation that it happened to.
    resource_id blob NOT NULL,
    -- What is posted, byte for byte.
    body text NOT NULL,
    happened_at integer NOT NULL,
    PRIMARY KEY (account_id, id)
) STRICT;

-- Old events are forgotten, of whatever account. Their ids begin with the time, so that this index grows at its end alone.
CREATE INDEX events_by_age ON events (id);

-- A delivery does not refer to its endpoint, as on PostgreSQL, where the check would have all payments of a busy account write to one row.
-- Deliveries are made from the endpoint's row in the same statement, and endpoints are never removed.
CREATE TABLE webhook_deliveries (
    account_id blob NOT NULL,
    event_id blob NOT NULL,
    id blob NOT NULL,
    endpoint_id blob NOT NULL,
    state text NOT NULL CHECK (state IN ('pending', 'succeeded', 'abandoned', 'stopped')),
    -- How many attempts were begun: each lease counts one.
    attempts integer NOT NULL CHECK (attempts >= 0),
    -- When the next attempt is due. A lease moves it to where the schedule would put the next one if nothing were heard of this one.
    due_at integer NOT NULL,
    created_at integer NOT NULL,
    finished_at integer,
    PRIMARY KEY (account_id, event_id, id),
    FOREIGN KEY (account_id, event_id) REFERENCES events (account_id, id),
    CHECK ((state = 'pending') = (finished_at IS NULL))
) STRICT;

-- Couriers work for every account: what is due longest comes first, whoever it belongs to. The endpoint is there to be passed over.
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (due_at, endpoint_id) WHERE state = 'pending';

-- The operator names a finished delivery alone, and old ones are forgotten: ids begin with the time.
CREATE INDEX webhook_deliveries_finished ON webhook_deliveries (id) WHERE state <> 'pending';

-- Attempts go with their delivery, in one transaction; without its event's id they cannot refer to it.
CREATE TABLE webhook_attempts (
    account_id blob NOT NULL,
    delivery_id blob NOT NULL,
    number integer NOT NULL CHECK (number >= 1),
    at integer NOT NULL,
    response_status integer,
    -- The beginning of the answer.
    response_body text,
    -- Why there was no answer.
    error text,
    PRIMARY KEY (account_id, delivery_id, number)
) STRICT;
