//! Replaying finished deliveries.

use diesel::ExpressionMethods as _;
use diesel::sql_types::{BigInt, Nullable, Text};
use kernel::{AccountId, StoreResult};
use store_schema::json_rows::{ValueType, json_rows};
use store_schema::rows::DeliveryRow;
use store_schema::schema::events;
use store_schema::types::{Instant, RowId, RowInstant, Uid};
use time::OffsetDateTime;
use webhooks::{Delivery, DeliveryId, EndpointId, Event, Replay};

use super::database::Database;
use super::endpoints::HasAccounts;
use super::purpose::Purpose;
use super::run_statements::RunStatements as _;
use super::transaction::Transaction;
use crate::dialect::{JSON_ROWS, json_value};
use crate::publish;

/// The deliveries that a replay of account `$1` covers: abandoned since `$2`, and until `$3` unless that is
/// NULL. Of several abandoned deliveries of one event to one endpoint, this is the last.
pub(super) const REPLAYABLE: &str = "d.account_id = $1 AND d.state = 'abandoned' AND d.finished_at >= $2 \
     AND ($3 IS NULL OR d.finished_at <= $3) AND e.enabled \
     AND NOT EXISTS (SELECT 1 FROM webhook_deliveries AS o \
     WHERE o.account_id = d.account_id AND o.event_id = d.event_id AND o.endpoint_id = d.endpoint_id \
     AND o.id <> d.id AND (o.state = 'pending' OR (o.state = 'succeeded' AND o.finished_at >= d.created_at) \
     OR (o.state = 'abandoned' AND o.finished_at >= $2 AND o.id > d.id)))";

/// Replays one finished delivery; if an account is given, only one of that account.
pub(super) async fn one(
    database: &Database,
    account: Option<AccountId>,
    delivery: DeliveryId,
    new: DeliveryId,
    now: OffsetDateTime,
) -> StoreResult<Replay> {
    let mut tx = Transaction::new(database.pool.clone(), Purpose::Command);
    let query = format!("{} WHERE d.state <> 'pending' AND d.id = $1", DeliveryRow::SELECT);
    let delivery = RowId::from(delivery);
    let found: Option<DeliveryRow> = match account {
        Some(account) => {
            let query = diesel::sql_query(format!("{query} AND d.account_id = $2"));
            tx.fetch_optional(query.bind::<Uid, _>(delivery).bind::<Uid, _>(RowId::from(account))).await?
        }
        None => tx.fetch_optional(diesel::sql_query(query).bind::<Uid, _>(delivery)).await?,
    };
    let Some(row) = found else {
        return Ok(Replay::NotFinished);
    };
    if !row.enabled {
        return Ok(Replay::EndpointOff);
    }
    let Some(made) = insert(&mut tx, vec![row], &[new], now).await?.pop() else {
        return Ok(Replay::NotFinished);
    };
    commit_and_wake(database, tx).await?;
    Ok(Replay::Made(Box::new(made)))
}

/// Replays abandoned deliveries of an account, as many as there are new ids.
pub(super) async fn abandoned(
    database: &Database,
    account: AccountId,
    since: OffsetDateTime,
    new: &[DeliveryId],
    now: OffsetDateTime,
) -> StoreResult<Vec<Delivery>> {
    let mut tx = Transaction::new(database.pool.clone(), Purpose::Command);
    let made = abandoned_in(&mut tx, account, (since, None), new, now).await?;
    if !made.is_empty() {
        commit_and_wake(database, tx).await?;
    }
    Ok(made)
}

/// Inserts new deliveries of those that were abandoned since an instant, and until another one if it is
/// given. The account is locked until the transaction ends, so that concurrent calls do not replay the same
/// deliveries twice.
pub(super) async fn abandoned_in(
    tx: &mut Transaction,
    account: AccountId,
    (since, until): (OffsetDateTime, Option<OffsetDateTime>),
    new: &[DeliveryId],
    now: OffsetDateTime,
) -> StoreResult<Vec<Delivery>> {
    if !account.lock(tx, account).await? {
        return Ok(Vec::new());
    }
    let query = format!("{} WHERE {REPLAYABLE} ORDER BY d.event_id, d.id LIMIT $4", DeliveryRow::SELECT);
    let limit = i64::try_from(new.len()).unwrap_or(i64::MAX);
    let statement = diesel::sql_query(query)
        .bind::<Uid, _>(RowId::from(account))
        .bind::<Instant, _>(RowInstant(since))
        .bind::<Nullable<Instant>, _>(until.map(RowInstant))
        .bind::<BigInt, _>(limit);
    let found: Vec<DeliveryRow> = tx.fetch_all(statement).await?;
    insert(tx, found, new, now).await
}

/// Writes an event and one delivery of it to an enabled endpoint.
pub(super) async fn publish_to(
    database: &Database,
    endpoint: EndpointId,
    event: &Event,
    delivery: DeliveryId,
) -> StoreResult<bool> {
    let mut tx = Transaction::new(database.pool.clone(), Purpose::Command);
    let statement = diesel::insert_into(events::table).values((
        events::account_id.eq(RowId::from(event.account)),
        events::id.eq(RowId::from(event.id)),
        events::kind.eq(event.name.as_str()),
        events::resource_id.eq(RowId(event.resource)),
        events::body.eq(&event.body),
        events::happened_at.eq(RowInstant(event.happened_at)),
    ));
    tx.execute(statement).await?;
    let statement = "INSERT INTO webhook_deliveries \
         (account_id, event_id, id, endpoint_id, state, attempts, due_at, created_at) \
         SELECT v.account_id, v.id, $1, e.id, 'pending', 0, $2, $2 FROM events AS v \
         JOIN webhook_endpoints AS e ON e.account_id = v.account_id \
         WHERE v.account_id = $3 AND v.id = $4 AND e.id = $5 AND e.enabled";
    let query = diesel::sql_query(statement)
        .bind::<Uid, _>(RowId::from(delivery))
        .bind::<Instant, _>(RowInstant(event.happened_at))
        .bind::<Uid, _>(RowId::from(event.account))
        .bind::<Uid, _>(RowId::from(event.id))
        .bind::<Uid, _>(RowId::from(endpoint));
    let made = tx.execute(query).await?;
    if made == 0 {
        return Ok(false);
    }
    commit_and_wake(database, tx).await?;
    Ok(true)
}

/// Commits new deliveries and wakes the delivery workers.
pub(super) async fn commit_and_wake(database: &Database, mut tx: Transaction) -> StoreResult<()> {
    if database.delivery_notifier.tells_everyone() {
        let announced = publish::announce(tx.conn().await?).await;
        tx.settle(announced)?;
    }
    tx.wake_delivery_workers(&database.delivery_notifier);
    tx.commit().await
}

/// Inserts new deliveries of the same events to the same endpoints, each with one of the new ids.
async fn insert(
    tx: &mut Transaction,
    of: Vec<DeliveryRow>,
    new: &[DeliveryId],
    now: OffsetDateTime,
) -> StoreResult<Vec<Delivery>> {
    let now = RowInstant(now);
    let made = of.into_iter().zip(new);
    let made: Vec<DeliveryRow> = made.map(|(row, id)| row.anew((*id).into(), now)).collect();
    // All rows are of one account.
    let account = match made.as_slice() {
        [] => return Ok(Vec::new()),
        [row, ..] => row.account_id,
    };
    let rows = made.iter().map(|row| (row.event_id, row.id, row.endpoint_id, now));
    let rows = json_rows(rows)?;
    let [event, id, endpoint] = [0, 1, 2].map(|place| json_value(place, ValueType::Uid));
    let now = json_value(3, ValueType::Instant);
    let statement = format!(
        "INSERT INTO webhook_deliveries (account_id, event_id, id, endpoint_id, state, attempts, due_at, created_at) \
         SELECT v.account_id, v.id, {id}, {endpoint}, 'pending', 0, {now}, {now} FROM {JSON_ROWS} \
         JOIN events AS v ON v.id = {event} WHERE v.account_id = $2"
    );
    let statement = diesel::sql_query(statement).bind::<Text, _>(rows).bind::<Uid, _>(account);
    tx.execute(statement).await?;
    made.into_iter().map(|row| row.with(Vec::new())).collect()
}
