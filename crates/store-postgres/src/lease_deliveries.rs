//! Leasing due deliveries in one statement.

use diesel::QueryableByName;
use diesel::sql_types::{Array, BigInt, Integer};
use kernel::StoreResult;
use outbox::{LeaseRequest, LeasedBatch};
use store_schema::rows::LeasedDeliveryRow;
use store_schema::types::{Instant, RowId, RowInstant, Uid};
use webhooks::{DeliverySchedule, EndpointId, LeasedDelivery};

use super::pool::Pool;
use super::queries::faulty_accounts::{self, FailedLeases, FaultyAccounts};
use super::queries::partitions::{AccountPartition, WorkSearch};
use super::queries::run_statements::RunStatements as _;

/// The statement that leases deliveries. It locks the candidates as it finds them and skips locked ones. Of
/// each endpoint it takes as many as there is room for; the other locks end with the statement. `$8` has the
/// due time after each attempt, by the attempt's number.
fn lease_statement(partition: AccountPartition) -> String {
    let (in_partition, of_event) = (partition.condition("d.account_id"), partition.condition("v.account_id"));
    format!(
        "\
WITH candidate AS MATERIALIZED (\
    SELECT d.account_id, d.event_id, d.id, d.endpoint_id, d.due_at, e.url, e.secret \
    FROM webhook_deliveries AS d \
    JOIN webhook_endpoints AS e ON e.account_id = d.account_id AND e.id = d.endpoint_id \
    WHERE d.state = 'pending' AND d.due_at <= $1 AND d.attempts < $2 AND d.endpoint_id <> ALL ($3) AND e.enabled{in_partition} \
    ORDER BY d.due_at LIMIT $4 FOR UPDATE OF d SKIP LOCKED\
), placed AS (\
    SELECT candidate.*, row_number() OVER (PARTITION BY endpoint_id ORDER BY due_at, id) AS place FROM candidate\
), chosen AS (\
    SELECT placed.* FROM placed \
    LEFT JOIN UNNEST($5, $6) AS room (endpoint_id, most) ON room.endpoint_id = placed.endpoint_id \
    WHERE placed.place <= COALESCE(room.most, $7)\
), leased AS (\
    UPDATE webhook_deliveries AS d \
    SET attempts = d.attempts + 1, due_at = ($8)[(d.attempts + 1)::integer] \
    FROM chosen WHERE d.account_id = chosen.account_id AND d.event_id = chosen.event_id AND d.id = chosen.id{in_partition} \
    RETURNING d.account_id, d.event_id, d.id, d.endpoint_id, d.attempts, d.due_at, \
        chosen.due_at AS was_due_at, chosen.url, chosen.secret\
) \
SELECT leased.*, v.body, (SELECT count(*) FROM candidate) AS seen \
FROM leased JOIN events AS v ON v.account_id = leased.account_id AND v.id = leased.event_id{of_event} \
ORDER BY leased.was_due_at, leased.id"
    )
}

#[derive(QueryableByName)]
struct DeliveryLeaseRow {
    #[diesel(embed)]
    delivery: LeasedDeliveryRow,
    #[diesel(sql_type = BigInt)]
    seen: i64,
}

/// Leases deliveries. Concurrent callers get different ones, and do not wait for each other.
pub(super) async fn lease_due(
    pool: &Pool,
    faulty: &FaultyAccounts,
    request: LeaseRequest<'_, EndpointId>,
    schedule: &DeliverySchedule,
) -> StoreResult<LeasedBatch<LeasedDelivery>> {
    let mut batch = LeasedBatch::default();
    let mut failed = FailedLeases::new(faulty);
    for partition in with_deliveries(pool, faulty, &request, schedule).await? {
        let leased = i64::try_from(batch.jobs.len()).unwrap_or(i64::MAX);
        let room = i64::from(request.limit).saturating_sub(leased);
        if room <= 0 || failed.concern_all() {
            batch.more = true;
            break;
        }
        let leased = lease_partition(pool, partition, room, &request, schedule).await;
        let leased = failed.set_aside(partition, leased);
        batch.jobs.extend(leased.jobs);
        batch.more |= leased.more;
    }
    failed.unless_leased(&batch.jobs)?;
    Ok(batch)
}

/// The partitions that have deliveries to lease.
async fn with_deliveries(
    pool: &Pool,
    faulty: &FaultyAccounts,
    request: &LeaseRequest<'_, EndpointId>,
    schedule: &DeliverySchedule,
) -> StoreResult<Vec<AccountPartition>> {
    let shut = request.rooms.iter().filter(|(_, room)| *room == 0);
    let shut: String = shut.map(|(id, _)| format!(" AND d.endpoint_id <> '{}'", id.uuid())).collect();
    let condition = format!(
        "d.state = 'pending' AND d.due_at <= $1 AND d.attempts < {}{shut} AND EXISTS (SELECT 1 FROM webhook_endpoints AS e \
         WHERE e.account_id = d.account_id AND e.id = d.endpoint_id AND e.enabled)",
        schedule.max_attempts(),
    );
    let (now, limit) = (RowInstant(request.now), request.limit);
    let work =
        WorkSearch { table: "webhook_deliveries AS d", condition: &condition, order: "due_at", now, limit };
    faulty_accounts::with_work_to_lease(pool, faulty, &work).await
}

async fn lease_partition(
    pool: &Pool,
    partition: AccountPartition,
    limit: i64,
    request: &LeaseRequest<'_, EndpointId>,
    schedule: &DeliverySchedule,
) -> StoreResult<LeasedBatch<LeasedDelivery>> {
    let (shut, open): (Vec<_>, Vec<_>) = request.rooms.iter().partition(|(_, room)| *room == 0);
    let shut: Vec<RowId> = shut.iter().map(|(id, _)| RowId::from(*id)).collect();
    let (named, rooms): (Vec<RowId>, Vec<i32>) =
        open.iter().map(|(id, room)| (RowId::from(*id), count(*room))).unzip();
    let max_attempts = schedule.max_attempts();
    let until: Vec<RowInstant> =
        (1..=max_attempts).map(|attempt| RowInstant(schedule.lease_until(attempt, request.now))).collect();
    let mut connection = pool.write().await?;
    let query = diesel::sql_query(lease_statement(partition))
        .bind::<Instant, _>(RowInstant(request.now))
        .bind::<BigInt, _>(i64::from(max_attempts))
        .bind::<Array<Uid>, _>(shut)
        .bind::<BigInt, _>(limit)
        .bind::<Array<Uid>, _>(named)
        .bind::<Array<Integer>, _>(rooms)
        .bind::<BigInt, _>(i64::from(request.per_lane))
        .bind::<Array<Instant>, _>(until);
    let rows: Vec<DeliveryLeaseRow> = connection.fetch_all(query).await?;
    let seen = rows.iter().map(|row| row.seen).max().unwrap_or(0);
    let deliveries: Result<_, _> =
        rows.into_iter().map(|row| LeasedDelivery::try_from(row.delivery)).collect();
    Ok(LeasedBatch { jobs: deliveries?, more: seen >= limit })
}

fn count(room: u32) -> i32 {
    i32::try_from(room).unwrap_or(i32::MAX)
}
