//! Pending deliveries, written directly into the tables while the service is stopped.

use super::environment::Environment;
use crate::fixtures::database::DatabaseKind;

/// The bytes that are posted; their content does not matter.
const BODY: &str = r#"{"events":[{"event_id":"019aa1b2-0000-7000-8000-000000000001","resource_url":"https://books.example.com/api/v1/invoices/019aa1b2-0000-7000-8000-000000000004","resource_id":"019aa1b2-0000-7000-8000-000000000004","event_date_utc":"2026-11-20T02:09:06.147","event_type":"Payment","event_category":"INVOICE","account":"019aa1b2-0000-7000-8000-000000000002"}]}"#;

/// Deletes every event and delivery.
pub(super) fn clear(environment: &Environment) -> anyhow::Result<()> {
    environment.sql(match environment.database.kind {
        DatabaseKind::Postgres | DatabaseKind::Citus => {
            "TRUNCATE webhook_attempts, webhook_deliveries, events;"
        }
        DatabaseKind::Sqlite => {
            "DELETE FROM webhook_attempts; DELETE FROM webhook_deliveries; DELETE FROM events;"
        }
    })
}

/// Deletes every endpoint.
pub(super) fn clear_endpoints(environment: &Environment) -> anyhow::Result<()> {
    clear(environment)?;
    environment.sql("DELETE FROM webhook_endpoints;")
}

/// Creates `count` deliveries that are due now, in turns for the endpoints whose URL ends in `path`. Each of
/// these endpoints belongs to a different account.
pub(super) fn fill(environment: &Environment, count: u32, path: &str) -> anyhow::Result<()> {
    let endpoints = format!(
        "SELECT account_id, id, row_number() OVER (ORDER BY id) - 1 AS place, count(*) OVER () AS many \
         FROM webhook_endpoints WHERE url LIKE '%/{path}'"
    );
    environment.sql(&match environment.database.kind {
        DatabaseKind::Postgres | DatabaseKind::Citus => format!(
            "WITH endpoints AS ({endpoints}), made AS ( \
                 INSERT INTO events (account_id, id, kind, resource_id, body, happened_at) \
                 SELECT account_id, bench_id(), 'invoice.payment_recorded', bench_id(), '{BODY}', now() \
                 FROM generate_series(0, {count} - 1) AS n JOIN endpoints ON place = n % many RETURNING account_id, id) \
             INSERT INTO webhook_deliveries (account_id, event_id, id, endpoint_id, state, attempts, due_at, created_at) \
             SELECT made.account_id, made.id, bench_id(), endpoints.id, 'pending', 0, now(), now() \
             FROM made JOIN endpoints ON endpoints.account_id = made.account_id; \
             ANALYZE webhook_deliveries;"
        ),
        DatabaseKind::Sqlite => {
            let id = "unhex(printf('%012x', CAST(unixepoch('subsec') * 1000 AS integer)) || hex(randomblob(10)))";
            let now = "CAST(unixepoch('subsec') * 1000000 AS integer)";
            format!(
                "BEGIN IMMEDIATE; \
                 WITH RECURSIVE numbers(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < {count}), \
                 endpoints AS ({endpoints}) \
                 INSERT INTO events (account_id, id, kind, resource_id, body, happened_at) \
                 SELECT account_id, {id}, 'invoice.payment_recorded', {id}, '{BODY}', {now} \
                 FROM numbers JOIN endpoints ON place = n % many; \
                 INSERT INTO webhook_deliveries (account_id, event_id, id, endpoint_id, state, attempts, due_at, created_at) \
                 SELECT made.account_id, made.id, {id}, endpoints.id, 'pending', 0, {now}, {now} \
                 FROM events AS made JOIN webhook_endpoints AS endpoints ON endpoints.account_id = made.account_id \
                 WHERE endpoints.url LIKE '%/{path}'; \
                 COMMIT; PRAGMA wal_checkpoint(TRUNCATE);"
            )
        }
    })
}
