//! Rows that are past their retention period, written by set-based statements.

use crate::bench::environment::Environment;
use crate::fixtures::database::DatabaseKind;

/// How many rows one statement writes.
const CHUNK: u32 = 100_000;
/// The age of the oldest row, in seconds: more than every retention period here (90 days). Each later row is
/// a millisecond younger, so that ten million rows span less than three hours.
const AGE: u32 = 100 * 86_400;

/// The sizes in bytes of an event, a stored response and a raw message, whose content does not matter.
const EVENT: usize = 380;
const RESPONSE: usize = 500;
const MESSAGE: usize = 700;

/// How many of each kind there are.
#[derive(Debug, Clone, Copy)]
pub(super) struct OldRows {
    /// Events; each has a delivery with one attempt.
    events: u32,
    responses: u32,
    messages: u32,
}

impl OldRows {
    /// `count` rows in all: of ten, six are events, deliveries and attempts, three are stored responses, and
    /// one is in the inbox.
    pub(super) const fn of(count: u32) -> Self {
        let tenth = count / 10;
        Self { events: tenth * 2, responses: tenth * 3, messages: tenth }
    }

    /// How many rows are removed for each row that the log counts: an attempt is removed with its delivery.
    pub(super) const fn factor(&self, kind: usize) -> f64 {
        if kind == 0 { 1.5 } else { 1.0 }
    }

    /// Writes the rows.
    pub(super) fn fill(&self, environment: &Environment) -> anyhow::Result<()> {
        let kind = environment.database.kind;
        if kind != DatabaseKind::Sqlite {
            environment.sql(POSTGRES_FUNCTIONS)?;
        }
        let tables = [
            ("events, deliveries and attempts", self.events, events(kind)),
            ("stored responses", self.responses, responses(kind)),
            ("the inbox", self.messages, messages(kind)),
        ];
        for (name, count, statement) in tables {
            let mut first = 0;
            while first < count {
                environment.say(&format!("writing old rows: {name}, {first} of {count}"));
                let chunk = CHUNK.min(count - first);
                let statement = statement
                    .replace("{first}", &first.to_string())
                    .replace("{last}", &(first + chunk - 1).to_string());
                environment.sql(&statement)?;
                first += chunk;
            }
        }
        environment.say("maintenance after writing old rows");
        environment.sql(match kind {
            DatabaseKind::Postgres | DatabaseKind::Citus => "VACUUM ANALYZE; CHECKPOINT;",
            DatabaseKind::Sqlite => "ANALYZE; PRAGMA wal_checkpoint(TRUNCATE);",
        })
    }

    /// Whether all rows are removed.
    pub(super) fn are_gone(&self, environment: &Environment) -> anyhow::Result<bool> {
        let left = environment.lines(
            "SELECT CAST((SELECT count(*) FROM events) + (SELECT count(*) FROM webhook_deliveries) \
             + (SELECT count(*) FROM webhook_attempts) \
             + (SELECT count(*) FROM idempotency_keys WHERE key LIKE 'old-%') \
             + (SELECT count(*) FROM inbound_messages WHERE content IS NOT NULL) AS text) AS line",
        )?;
        Ok(left == ["0"])
    }
}

/// Functions for an id with a time in milliseconds, and for the id of the nth row.
const POSTGRES_FUNCTIONS: &str = "\
    CREATE FUNCTION old_at(n bigint) RETURNS timestamptz LANGUAGE sql STABLE AS \
    'SELECT date_trunc(''day'', now()) - make_interval(secs => 8640000 - n / 1000.0)'; \
    CREATE FUNCTION old_id(n bigint) RETURNS uuid LANGUAGE sql VOLATILE AS \
    'SELECT (lpad(to_hex((extract(epoch FROM old_at(n)) * 1000)::bigint), 12, ''0'') \
    || substr(replace(gen_random_uuid()::text, ''-'', ''''), 13))::uuid';";

/// Numbers from `{first}` to `{last}`, as rows of SQLite.
const NUMBERS: &str = "numbers(n) AS (SELECT {first} UNION ALL SELECT n + 1 FROM numbers WHERE n < {last})";

fn sqlite_at() -> String {
    format!("((unixepoch() / 86400 * 86400 - {AGE}) * 1000 + n)")
}

fn sqlite_id() -> String {
    format!("unhex(printf('%012x', {}) || hex(randomblob(10)))", sqlite_at())
}

/// The accounts of the endpoints, numbered from 0.
const ACCOUNTS: &str = "accounts_by_place AS (SELECT id, row_number() OVER (ORDER BY id) - 1 AS place, count(*) OVER () AS many FROM accounts)";

fn events(kind: DatabaseKind) -> String {
    let body = "x".repeat(EVENT);
    match kind {
        DatabaseKind::Postgres | DatabaseKind::Citus => format!(
            "SET session_replication_role = replica; \
             WITH {ACCOUNTS}, made AS MATERIALIZED ( \
                 SELECT a.id AS account_id, old_id(n) AS event, old_id(n) AS delivery, old_at(n) AS at \
                 FROM generate_series({{first}}, {{last}}) AS n JOIN accounts_by_place AS a ON place = n % many), \
             e AS (INSERT INTO events (account_id, id, kind, resource_id, body, happened_at) \
                 SELECT account_id, event, 'invoice.payment_recorded', event, '{body}', at FROM made), \
             d AS (INSERT INTO webhook_deliveries \
                 (account_id, event_id, id, endpoint_id, state, attempts, due_at, created_at, finished_at) \
                 SELECT account_id, event, delivery, event, 'succeeded', 1, at, at, at FROM made) \
             INSERT INTO webhook_attempts (account_id, delivery_id, number, attempted_at, response_status) \
             SELECT account_id, delivery, 1, at, 204 FROM made;"
        ),
        DatabaseKind::Sqlite => format!(
            "BEGIN IMMEDIATE; CREATE TEMP TABLE made AS WITH RECURSIVE {NUMBERS}, {ACCOUNTS} \
             SELECT a.id AS account_id, {id} AS event, {id} AS delivery, {at} * 1000 AS at \
             FROM numbers JOIN accounts_by_place AS a ON place = n % many; \
             INSERT INTO events (account_id, id, kind, resource_id, body, happened_at) \
             SELECT account_id, event, 'invoice.payment_recorded', event, '{body}', at FROM made; \
             INSERT INTO webhook_deliveries \
             (account_id, event_id, id, endpoint_id, state, attempts, due_at, created_at, finished_at) \
             SELECT account_id, event, delivery, event, 'succeeded', 1, at, at, at FROM made; \
             INSERT INTO webhook_attempts (account_id, delivery_id, number, attempted_at, response_status) \
             SELECT account_id, delivery, 1, at, 204 FROM made; COMMIT;",
            id = sqlite_id(),
            at = sqlite_at(),
        ),
    }
}

fn responses(kind: DatabaseKind) -> String {
    match kind {
        DatabaseKind::Postgres | DatabaseKind::Citus => format!(
            "SET session_replication_role = replica; WITH {ACCOUNTS} \
             INSERT INTO idempotency_keys (account_id, operation, key, fingerprint, status, body, stored_at) \
             SELECT a.id, 'create_invoice', 'old-' || gen_random_uuid(), sha256(n::text::bytea), 201, \
             convert_to(repeat('x', {RESPONSE}), 'UTF8'), old_at(n) \
             FROM generate_series({{first}}, {{last}}) AS n JOIN accounts_by_place AS a ON place = n % many;"
        ),
        DatabaseKind::Sqlite => format!(
            "BEGIN IMMEDIATE; WITH RECURSIVE {NUMBERS}, {ACCOUNTS} \
             INSERT INTO idempotency_keys (account_id, operation, key, fingerprint, status, body, stored_at) \
             SELECT a.id, 'create_invoice', 'old-' || hex(randomblob(16)), randomblob(32), 201, \
             zeroblob({RESPONSE}), {at} * 1000 FROM numbers JOIN accounts_by_place AS a ON place = n % many; COMMIT;",
            at = sqlite_at(),
        ),
    }
}

fn messages(kind: DatabaseKind) -> String {
    let columns = "id, key, channel, content, received_at, state, due_at, attempts";
    match kind {
        DatabaseKind::Postgres | DatabaseKind::Citus => format!(
            "INSERT INTO inbound_messages ({columns}) \
             SELECT old_id(n), 'old-' || gen_random_uuid(), 'email', convert_to(repeat('x', {MESSAGE}), 'UTF8'), \
             old_at(n), 'handled', old_at(n), 1 FROM generate_series({{first}}, {{last}}) AS n;"
        ),
        DatabaseKind::Sqlite => format!(
            "BEGIN IMMEDIATE; WITH RECURSIVE {NUMBERS} INSERT INTO inbound_messages ({columns}) \
             SELECT {id}, 'old-' || hex(randomblob(16)), 'email', zeroblob({MESSAGE}), \
             {at} * 1000, 'handled', {at} * 1000, 1 FROM numbers; COMMIT;",
            id = sqlite_id(),
            at = sqlite_at(),
        ),
    }
}
