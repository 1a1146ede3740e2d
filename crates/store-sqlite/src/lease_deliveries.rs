//! Leasing due deliveries: reading, choosing and writing in one transaction of the only writer.

use std::collections::HashMap;

use diesel::sql_types::{BigInt, Text};
use kernel::StoreResult;
use outbox::{LeaseRequest, LeasedBatch};
use store_schema::json_rows::{ValueType, json_rows};
use store_schema::rows::LeasedDeliveryRow;
use store_schema::types::{Instant, RowId, RowInstant};
use webhooks::{DeliverySchedule, EndpointId, LeasedDelivery};

use super::dialect::{JSON_ROWS, json_value};
use super::pool::Pool;
use super::queries::faulty_accounts::FaultyAccounts;
use super::queries::purpose::Purpose;
use super::queries::run_statements::RunStatements as _;
use super::queries::transaction::Transaction;

/// CROSS JOIN makes SQLite scan the index of due deliveries, and look up the other tables.
const CANDIDATES: &str = "\
SELECT d.account_id, d.event_id, d.id, d.endpoint_id, d.attempts, d.due_at, e.url, e.secret, v.body \
FROM webhook_deliveries AS d \
CROSS JOIN webhook_endpoints AS e ON e.account_id = d.account_id AND e.id = d.endpoint_id \
CROSS JOIN events AS v ON v.account_id = d.account_id AND v.id = d.event_id \
WHERE d.state = 'pending' AND d.due_at <= $1 AND d.attempts < $2 \
AND d.endpoint_id NOT IN (SELECT unhex(value) FROM json_each($3)) AND e.enabled \
ORDER BY d.due_at LIMIT $4";

/// Leases deliveries. Concurrent callers run one after the other.
pub(super) async fn lease_due(
    pool: &Pool,
    _faulty: &FaultyAccounts,
    request: LeaseRequest<'_, EndpointId>,
    schedule: &DeliverySchedule,
) -> StoreResult<LeasedBatch<LeasedDelivery>> {
    let mut tx = Transaction::new(pool.clone(), Purpose::Batch);
    let candidates = candidates(&mut tx, &request, schedule).await?;
    let more = candidates.len() >= usize::try_from(request.limit).unwrap_or(usize::MAX);
    let mut chosen = choose(candidates, &request);
    for row in &mut chosen {
        row.attempts = row.attempts.saturating_add(1);
        let attempt = u32::try_from(row.attempts).unwrap_or(u32::MAX);
        row.due_at = RowInstant(schedule.lease_until(attempt, request.now));
    }
    if !chosen.is_empty() {
        write(&mut tx, &chosen).await?;
    }
    tx.commit().await?;
    let deliveries: Result<_, _> = chosen.into_iter().map(LeasedDelivery::try_from).collect();
    Ok(LeasedBatch { jobs: deliveries?, more })
}

async fn candidates(
    tx: &mut Transaction,
    request: &LeaseRequest<'_, EndpointId>,
    schedule: &DeliverySchedule,
) -> StoreResult<Vec<LeasedDeliveryRow>> {
    let shut = request.rooms.iter().filter(|(_, room)| *room == 0);
    let shut: Vec<String> = shut.map(|(id, _)| format!("\"{}\"", id.uuid().simple())).collect();
    let query = diesel::sql_query(CANDIDATES)
        .bind::<Instant, _>(RowInstant(request.now))
        .bind::<BigInt, _>(i64::from(schedule.max_attempts()))
        .bind::<Text, _>(format!("[{}]", shut.join(",")))
        .bind::<BigInt, _>(i64::from(request.limit));
    tx.fetch_all(query).await
}

/// Chooses as many deliveries of each endpoint as there is room for.
fn choose(
    candidates: Vec<LeasedDeliveryRow>,
    request: &LeaseRequest<'_, EndpointId>,
) -> Vec<LeasedDeliveryRow> {
    let named = request.rooms.iter();
    let mut rooms: HashMap<RowId, u32> = named.map(|(id, room)| ((*id).into(), *room)).collect();
    let has_room = |row: &LeasedDeliveryRow| {
        let room = rooms.entry(row.endpoint_id).or_insert(request.per_lane);
        let left = room.checked_sub(1);
        *room = left.unwrap_or(0);
        left.is_some()
    };
    let mut chosen = candidates;
    chosen.retain(has_room);
    chosen
}

async fn write(tx: &mut Transaction, chosen: &[LeasedDeliveryRow]) -> StoreResult<()> {
    let rows = chosen.iter().map(|row| (row.account_id, row.event_id, row.id, row.attempts, row.due_at));
    let rows = json_rows(rows)?;
    let [account, event, id] = [0, 1, 2].map(|place| json_value(place, ValueType::Uid));
    let (attempts, due_at) = (json_value(3, ValueType::Int), json_value(4, ValueType::Instant));
    let statement = format!(
        "UPDATE webhook_deliveries AS d SET attempts = {attempts}, due_at = {due_at} FROM {JSON_ROWS} \
         WHERE d.account_id = {account} AND d.event_id = {event} AND d.id = {id}"
    );
    tx.execute(diesel::sql_query(statement).bind::<Text, _>(rows)).await?;
    Ok(())
}
