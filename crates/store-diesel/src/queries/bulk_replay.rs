//! Replays of many deliveries: how many there are to make, and the progress.

use std::ops::RangeInclusive;

use diesel::prelude::*;
use diesel::sql_types::{BigInt, Nullable};
use kernel::{AccountId, Commit, StoreError, StoreResult};
use outbox::{Jobs, NewJob};
use store_schema::schema::bulk_replays;
use store_schema::types::{Instant, RowId, RowInstant, Uid};
use time::OffsetDateTime;
use webhooks::{BulkReplay, BulkReplayId, DeliveryId};

use super::database::Database;
use super::purpose::Purpose;
use super::replay::{self, REPLAYABLE};
use super::run_statements::RunStatements as _;
use super::transaction::Transaction;
use super::unit_of_work::UnitOfWork;

/// How many deliveries a replay would make, of those that were abandoned in a period.
pub(super) async fn count_abandoned(
    database: &Database,
    account: AccountId,
    abandoned: RangeInclusive<OffsetDateTime>,
) -> StoreResult<u64> {
    let query = format!(
        "SELECT count(*) AS count FROM webhook_deliveries AS d \
         JOIN webhook_endpoints AS e ON e.account_id = d.account_id AND e.id = d.endpoint_id \
         WHERE {REPLAYABLE}"
    );
    let mut connection = database.pool.read().await?;
    let statement = diesel::sql_query(query)
        .bind::<Uid, _>(RowId::from(account))
        .bind::<Instant, _>(RowInstant(*abandoned.start()))
        .bind::<Nullable<Instant>, _>(Some(RowInstant(*abandoned.end())));
    let counted: ReplayableCount = connection.fetch_one(statement).await?;
    let count = u64::try_from(counted.count);
    count.map_err(|source| StoreError::Failed(source.into()))
}

#[derive(QueryableByName)]
struct ReplayableCount {
    #[diesel(sql_type = BigInt)]
    count: i64,
}

/// Stores a bulk replay together with its job.
pub(super) async fn insert(database: &Database, replay: &BulkReplay, job: NewJob) -> StoreResult<()> {
    let mut unit = UnitOfWork::new(database, replay.account);
    let count = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
    let statement = diesel::insert_into(bulk_replays::table).values((
        bulk_replays::account_id.eq(RowId::from(replay.account)),
        bulk_replays::id.eq(RowId::from(replay.id)),
        bulk_replays::abandoned_since.eq(RowInstant(replay.abandoned_since)),
        bulk_replays::requested_at.eq(RowInstant(replay.requested_at)),
        bulk_replays::total.eq(count(replay.total)),
        bulk_replays::made.eq(count(replay.made)),
        bulk_replays::finished_at.eq(replay.finished_at.map(RowInstant)),
    ));
    unit.tx.execute(statement).await?;
    Jobs::queue(&mut unit, job).await?;
    Commit::commit(Box::new(unit)).await
}

pub(super) async fn get(
    database: &Database,
    account: AccountId,
    id: BulkReplayId,
) -> StoreResult<Option<BulkReplay>> {
    type Row = (RowInstant, RowInstant, i64, i64, Option<RowInstant>);
    let mut connection = database.pool.read().await?;
    let query = bulk_replays::table.find((RowId::from(account), RowId::from(id))).select((
        bulk_replays::abandoned_since,
        bulk_replays::requested_at,
        bulk_replays::total,
        bulk_replays::made,
        bulk_replays::finished_at,
    ));
    let found: Option<Row> = connection.fetch_optional(query).await?;
    let Some((since, requested_at, total, made, finished_at)) = found else {
        return Ok(None);
    };
    let count = |count: i64| u64::try_from(count).map_err(|source| StoreError::Failed(source.into()));
    Ok(Some(BulkReplay {
        id,
        account,
        abandoned_since: since.0,
        requested_at: requested_at.0,
        total: count(total)?,
        made: count(made)?,
        finished_at: finished_at.map(|at| at.0),
    }))
}

/// The latest bulk replay that is not finished and covers what was abandoned since an instant.
pub(super) async fn unfinished(
    database: &Database,
    account: AccountId,
    requested_since: OffsetDateTime,
    abandoned_since: OffsetDateTime,
) -> StoreResult<Option<BulkReplay>> {
    let query = bulk_replays::table
        .filter(bulk_replays::account_id.eq(RowId::from(account)))
        .filter(bulk_replays::finished_at.is_null())
        .filter(bulk_replays::requested_at.ge(RowInstant(requested_since)))
        .filter(bulk_replays::abandoned_since.le(RowInstant(abandoned_since)))
        .order((bulk_replays::requested_at.desc(), bulk_replays::id.desc()))
        .select(bulk_replays::id)
        .limit(1);
    let found: Option<RowId> = database.pool.read().await?.fetch_optional(query).await?;
    match found {
        Some(id) => get(database, account, id.id()).await,
        None => Ok(None),
    }
}

/// Makes the next new deliveries of a bulk replay and counts them.
pub(super) async fn advance(
    database: &Database,
    replay: &BulkReplay,
    new: &[DeliveryId],
    now: OffsetDateTime,
) -> StoreResult<usize> {
    let abandoned = (replay.abandoned_since, Some(replay.requested_at));
    let mut tx = Transaction::new(database.pool.clone(), Purpose::Command);
    let made = replay::abandoned_in(&mut tx, replay.account, abandoned, new, now).await?.len();
    let own = bulk_replays::table.find((RowId::from(replay.account), RowId::from(replay.id)));
    let finished_at = (made < new.len()).then_some(RowInstant(now));
    let statement = diesel::update(own).set((
        bulk_replays::made.eq(bulk_replays::made + i64::try_from(made).unwrap_or(i64::MAX)),
        bulk_replays::finished_at.eq(finished_at),
    ));
    tx.execute(statement).await?;
    match made {
        0 => tx.commit().await?,
        _ => replay::commit_and_wake(database, tx).await?,
    }
    Ok(made)
}
