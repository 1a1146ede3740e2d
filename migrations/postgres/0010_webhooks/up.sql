-- Endpoints that are told of events, the deliveries on their way there, and the log of attempts.

CREATE TABLE webhook_endpoints (
    account_id uuid NOT NULL REFERENCES accounts (id),
    id uuid NOT NULL,
    url text NOT NULL,
    -- The signing secret, sealed under the master key; nothing once the endpoint is deleted.
    secret bytea,
    -- The sum of the events that it is told of: 1 payment recorded, 2 escalation created, 4 escalation resolved.
    events smallint NOT NULL CHECK (events BETWEEN 1 AND 7),
    enabled boolean NOT NULL,
    -- Whether it is the account's `webhook_url` of the partner API.
    provisioned boolean NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    -- A deleted endpoint stays, since the log of deliveries names it.
    deleted_at timestamptz,
    PRIMARY KEY (account_id, id),
    CHECK ((deleted_at IS NULL) = (secret IS NOT NULL)),
    CHECK (deleted_at IS NULL OR NOT enabled)
);

CREATE UNIQUE INDEX webhook_endpoints_one_provisioned ON webhook_endpoints (account_id) WHERE provisioned AND deleted_at IS NULL;

-- The operator names an endpoint alone.
CREATE UNIQUE INDEX webhook_endpoints_by_id ON webhook_endpoints (id);

-- Events carry the body of their deliveries from here on. Those that are there were written before there could be any endpoint: nobody is
-- owed them, and nothing reads them. So the table begins anew.
DROP TABLE events;

CREATE TABLE events (
    account_id uuid NOT NULL REFERENCES accounts (id),
    -- The id that every delivery of the event carries.
    id uuid NOT NULL,
    kind text NOT NULL CHECK (kind IN ('invoice.payment_recorded', 'escalation.created', 'escalation.resolved')),
    -- The invoice or escalation that it happened to.
    resource_id uuid NOT NULL,
    -- What is posted, byte for byte.
    body text NOT NULL,
    happened_at timestamptz NOT NULL,
    PRIMARY KEY (account_id, id)
);

-- Old events are forgotten, of whatever account. Their ids begin with the time, so that this index grows at its end alone.
CREATE INDEX events_by_age ON events (id);

-- A delivery does not refer to its endpoint: the check would lock that row in every transaction that publishes, and all payments of a busy
-- account would write to one row. Deliveries are made from the endpoint's row in the same statement, and endpoints are never removed.
CREATE TABLE webhook_deliveries (
    account_id uuid NOT NULL,
    event_id uuid NOT NULL,
    id uuid NOT NULL,
    endpoint_id uuid NOT NULL,
    state text NOT NULL CHECK (state IN ('pending', 'succeeded', 'abandoned', 'stopped')),
    -- How many attempts were begun: each lease counts one.
    attempts bigint NOT NULL CHECK (attempts >= 0),
    -- When the next attempt is due. A lease moves it to where the schedule would put the next one if nothing were heard of this one.
    due_at timestamptz NOT NULL,
    created_at timestamptz NOT NULL,
    finished_at timestamptz,
    PRIMARY KEY (account_id, event_id, id),
    FOREIGN KEY (account_id, event_id) REFERENCES events (account_id, id),
    CHECK ((state = 'pending') = (finished_at IS NULL))
)
-- Each delivery leaves two or three dead versions behind, and they stand where the next look for what is due begins: they are swept away
-- often, not when a fifth of a month's deliveries is dead. (No version can stay on its page: what changes is indexed. So pages are full.)
WITH (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 5000);

-- Couriers work for every account: what is due longest comes first, whoever it belongs to. The endpoint is there to be passed over.
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (due_at, endpoint_id) WHERE state = 'pending';

-- The operator names a finished delivery alone, and old ones are forgotten: ids begin with the time.
CREATE INDEX webhook_deliveries_finished ON webhook_deliveries (id) WHERE state <> 'pending';

-- Attempts go with their delivery, in one transaction; without its event's id they cannot refer to it.
CREATE TABLE webhook_attempts (
    account_id uuid NOT NULL,
    delivery_id uuid NOT NULL,
    number bigint NOT NULL CHECK (number >= 1),
    at timestamptz NOT NULL,
    response_status integer,
    -- The beginning of the answer.
    response_body text,
    -- Why there was no answer.
    error text,
    PRIMARY KEY (account_id, delivery_id, number)
);
