//! A hundred thousand due deliveries, and how they are found.

use diesel::QueryableByName;
use diesel::sql_types::Text;
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl, SimpleAsyncConnection};
use kernel::AccountId;
use outbox::LeaseRequest;
use store_diesel::Store;
use webhooks::{DeliveryOutcome, DeliverySchedule, EndpointChange, EndpointId, LeasedDelivery};

use super::{administration, register, settled};
use crate::database::{TestDatabase, on_both, on_one_server, on_postgres};
use crate::fixtures::{NOW, tenant};

/// Twenty accounts with one endpoint each.
async fn endpoints(store: &Store) -> Vec<(AccountId, EndpointId)> {
    let mut made = Vec::new();
    for _ in 0..20 {
        let account = tenant(store).await.id;
        made.push((account, register(store, account).await.id));
    }
    made
}

/// Loads this many events, each with a delivery to one endpoint.
async fn load(db: &TestDatabase, endpoint: EndpointId, count: u32) {
    let micros = NOW.unix_timestamp_nanos() / 1_000;
    let sql = if db.is_postgres() {
        format!(
            "WITH made AS (INSERT INTO events (account_id, id, kind, resource_id, body, happened_at) \
             SELECT e.account_id, gen_random_uuid(), 'invoice.payment_recorded', e.id, repeat('x', 400), \
             timestamptz 'epoch' + ({micros} - n * 10) * interval '1 microsecond' \
             FROM webhook_endpoints AS e, generate_series(1, {count}) AS n WHERE e.id = '{endpoint}' RETURNING *) \
             INSERT INTO webhook_deliveries (account_id, event_id, id, endpoint_id, state, attempts, due_at, created_at) \
             SELECT account_id, id, gen_random_uuid(), resource_id, 'pending', 0, happened_at, happened_at FROM made; ANALYZE"
        )
    } else {
        let hex = endpoint.uuid().simple();
        format!(
            "WITH RECURSIVE counted (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < {count}) \
             INSERT INTO events (account_id, id, kind, resource_id, body, happened_at) \
             SELECT e.account_id, randomblob(16), 'invoice.payment_recorded', e.id, printf('%.400c', 'x'), {micros} - n * 10 \
             FROM webhook_endpoints AS e, counted WHERE e.id = x'{hex}'; \
             INSERT INTO webhook_deliveries (account_id, event_id, id, endpoint_id, state, attempts, due_at, created_at) \
             SELECT account_id, id, randomblob(16), resource_id, 'pending', 0, happened_at, happened_at FROM events \
             WHERE resource_id = x'{hex}'; ANALYZE"
        )
    };
    db.execute(&sql).await;
}

/// Loads this many finished deliveries, among which the pending ones must be found.
async fn finished(db: &TestDatabase, count: u32) {
    let sql = format!(
        "INSERT INTO webhook_deliveries \
         (account_id, event_id, id, endpoint_id, state, attempts, due_at, created_at, finished_at) \
         SELECT v.account_id, v.id, gen_random_uuid(), v.resource_id, 'succeeded', 1, now(), now(), now() \
         FROM (SELECT * FROM events LIMIT 1) AS v, generate_series(1, {count}); ANALYZE"
    );
    db.execute(&sql).await;
}

async fn claim(store: &Store, limit: u32, rooms: &[(EndpointId, u32)]) -> Vec<LeasedDelivery> {
    let request = LeaseRequest { now: NOW, limit, per_lane: 512, rooms };
    store.delivery_queue.lease_due(request, &DeliverySchedule::default()).await.unwrap().jobs
}

#[test]
fn lease_among_a_hundred_thousand_reads_only_due_rows() {
    on_one_server(async |db| {
        crate::plans::capture_statements();
        let store = &db.another_process().await;
        let endpoints = endpoints(store).await;
        let (hot_account, hot) = endpoints[0];
        load(db, hot, 90_000).await;
        for (_, endpoint) in &endpoints[1..] {
            load(db, *endpoint, 530).await;
        }
        if db.is_postgres() {
            finished(db, 200_000).await;
        }
        for _ in 0..3 {
            assert_eq!(claim(store, 512, &[]).await.len(), 512);
        }
        // With 90,000 in front that there is no room for.
        for _ in 0..3 {
            let leased = claim(store, 512, &[(hot, 0)]).await;
            assert_eq!(leased.len(), 512);
            assert!(leased.iter().all(|one| one.endpoint != hot));
        }
        if db.is_postgres() {
            explain(db, &format!("'{{{hot}}}'")).await;
            let plan = explain(db, "'{}'").await;
            assert!(plan.contains("webhook_deliveries_due"), "{plan}");
            assert!(!plan.contains("Seq Scan on webhook_deliveries"), "{plan}");
            assert!(!plan.contains("Seq Scan on events"), "{plan}");
        }
        let administration = administration(store);
        let off = administration.change(hot_account, hot, EndpointChange::Disable);
        off.await.unwrap();
    });
}

#[test]
fn twenty_thousand_deliveries_are_each_leased_and_recorded_once() {
    on_both(async |db| {
        let store = &db.store;
        for (_, endpoint) in endpoints(store).await {
            load(db, endpoint, 1_000).await;
        }
        let mut done = 0;
        loop {
            let request = LeaseRequest { now: NOW, limit: 512, per_lane: 512, rooms: &[] };
            let claimed =
                store.delivery_queue.lease_due(request, &DeliverySchedule::default()).await.unwrap();
            let told: Vec<_> =
                claimed.jobs.iter().map(|one| settled(one, DeliveryOutcome::Succeeded(NOW))).collect();
            store.delivery_queue.record(&told).await.unwrap();
            done += told.len();
            if !claimed.more {
                break;
            }
        }
        assert_eq!(done, 20_000);
    });
}

#[derive(QueryableByName)]
struct Plan {
    #[diesel(sql_type = Text, column_name = "QUERY PLAN")]
    line: String,
}

/// PostgreSQL's plan of a claim, with no room for these endpoints.
async fn explain(db: &TestDatabase, shut: &str) -> String {
    let mut connection = AsyncPgConnection::establish(&db.url).await.unwrap();
    // On a cluster, which other tests of this process may use, the statement has one condition more.
    let claim = crate::plans::captured_with("WITH candidate AS", &["AND e.enabled ORDER BY"]);
    let kinds = "timestamptz, bigint, uuid[], bigint, uuid[], integer[], bigint, timestamptz[]";
    let prepare = format!("PREPARE it ({kinds}) AS {claim}");
    connection.batch_execute(&prepare).await.unwrap();
    let until = "array[now(), now(), now(), now(), now()]";
    let values = format!("'2030-01-01', 5, {shut}, 512, '{{}}', '{{}}', 16, {until}");
    let explain = format!("EXPLAIN (ANALYZE, COSTS OFF) EXECUTE it({values})");
    let plan = diesel::sql_query(explain).load::<Plan>(&mut connection);
    let lines: Vec<_> = plan.await.unwrap().into_iter().map(|one| one.line).collect();
    let plan = lines.join("\n");
    println!("{plan}\n");
    plan
}

#[test]
fn finish_lost_and_prune_leave_a_hundred_thousand_current_deliveries_alone() {
    on_postgres(async |db| {
        let store = &db.store;
        for (_, endpoint) in endpoints(store).await {
            load(db, endpoint, 5_000).await;
        }
        let finished = store.delivery_queue.finish_lost(NOW, 5, 1_000).await.unwrap();
        let before = NOW - time::Duration::days(30);
        let pruned = store.delivery_queue.prune(before, 1_000).await.unwrap();
        assert_eq!((finished, pruned), (0, 0));
    });
}
