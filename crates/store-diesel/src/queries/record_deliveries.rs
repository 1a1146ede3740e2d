//! Recording the results of leases: a batch is passed as one JSON array, which two statements unpack.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use diesel::sql_types::Text;
use kernel::StoreResult;
use outbox::Unrecorded;
use store_schema::json_rows::{ValueType, json_rows};
use store_schema::types::{RowId, RowInstant};
use time::Duration;
use webhooks::{DeliveryLease, DeliveryOutcome, DeliveryResult};

use super::abandoned::{self, MaybeAbandoned};
use super::faulty_accounts::{FaultyAccounts, concerns_all};
use super::partitions::{self, AccountPartition};
use super::purpose::Purpose;
use super::run_statements::RunStatements as _;
use super::transaction::Transaction;
use crate::dialect::{self, JSON_ROWS, json_value};
use crate::pool::Pool;

/// Names a delivery. Batches are sorted by this key, so that two of them cannot deadlock.
type DeliveryKey = (RowId, RowId, RowId);

pub(super) async fn record(
    pool: &Pool,
    faulty: &FaultyAccounts,
    settled: &[DeliveryResult],
) -> Result<(), Vec<Unrecorded<DeliveryResult>>> {
    let mut failed = Vec::new();
    let mut parts = partitions::of_batch(pool, settled, |one| one.lease.account.into()).into_iter();
    while let Some((partition, settled)) = parts.next() {
        let recorded = record_partition(pool, partition, &settled).await;
        faulty.recorded(partition, &recorded);
        if let Err(error) = recorded {
            let mut results = settled.into_owned();
            if concerns_all(&error) {
                results.extend(parts.by_ref().flat_map(|(partition, settled)| {
                    faulty.not_recorded(partition);
                    settled.into_owned()
                }));
            }
            failed.push(Unrecorded { results, error });
        }
    }
    if failed.is_empty() { Ok(()) } else { Err(failed) }
}

async fn record_partition(
    pool: &Pool,
    partition: AccountPartition,
    settled: &[DeliveryResult],
) -> StoreResult<()> {
    if settled.is_empty() {
        return Ok(());
    }
    let mut tx = Transaction::new(pool.clone(), Purpose::Batch);
    let outcomes = outcomes(settled)?;
    let held =
        dialect::lock_deliveries(tx.conn().await?, &outcomes, &partition.condition("d.account_id")).await;
    tx.settle(held)?;
    log_attempts(&mut tx, partition, attempts(settled)?).await?;
    move_deliveries(&mut tx, partition, outcomes).await?;
    abandoned::mail_owners(&mut tx, partition, given_up(settled)).await?;
    tx.commit().await
}

fn key(lease: &DeliveryLease) -> DeliveryKey {
    (lease.account.into(), lease.event.into(), lease.id.into())
}

/// The outcome of each delivery. Of several outcomes of one delivery, a success wins; otherwise the outcome
/// of the latest lease does.
fn outcomes(settled: &[DeliveryResult]) -> StoreResult<String> {
    let mut by_key: BTreeMap<DeliveryKey, &DeliveryResult> = BTreeMap::new();
    let rank = |one: &DeliveryResult| {
        let succeeded = matches!(one.outcome, DeliveryOutcome::Succeeded(_));
        (succeeded, one.lease.attempt, one.lease.until)
    };
    for one in settled {
        match by_key.entry(key(&one.lease)) {
            Entry::Vacant(place) => {
                place.insert(one);
            }
            Entry::Occupied(mut other) => {
                if rank(one) > rank(other.get()) {
                    other.insert(one);
                }
            }
        }
    }
    json_rows(by_key.into_iter().map(|((account, event, id), one)| {
        let (outcome, at) = match one.outcome {
            DeliveryOutcome::Succeeded(at) => ("succeeded", at),
            DeliveryOutcome::Retry(at) => ("retry", at),
            DeliveryOutcome::Abandoned(at) => ("abandoned", at),
            DeliveryOutcome::NotAttempted(at) => ("not_attempted", at),
        };
        (account, event, id, one.lease.attempt, RowInstant(one.lease.until), outcome, RowInstant(at))
    }))
}

fn attempts(settled: &[DeliveryResult]) -> StoreResult<String> {
    let attempted = settled.iter().filter_map(|one| Some((one, one.attempt.as_ref()?)));
    json_rows(attempted.map(|(one, attempt)| {
        let (account, event, id) = key(&one.lease);
        let (status, at) = (attempt.response_status, RowInstant(attempt.at));
        let millis = attempt.duration.map(Duration::whole_milliseconds);
        (account, event, id, attempt.number, at, status, &attempt.response_body, &attempt.error, millis)
    }))
}

/// The given deliveries that become abandoned unless another outcome is recorded for them.
fn given_up(settled: &[DeliveryResult]) -> Vec<MaybeAbandoned> {
    let given_up = settled.iter().filter_map(|one| match one.outcome {
        DeliveryOutcome::Abandoned(at) => Some((key(&one.lease), RowInstant(at))),
        DeliveryOutcome::Succeeded(_) | DeliveryOutcome::Retry(_) | DeliveryOutcome::NotAttempted(_) => None,
    });
    given_up.map(|((account, event, id), at)| (account, event, id, at)).collect()
}

/// Logs each attempt once, and none of a delivery that was deleted.
async fn log_attempts(
    tx: &mut Transaction,
    partition: AccountPartition,
    attempts: String,
) -> StoreResult<()> {
    let [account, event, id] = [0, 1, 2].map(|place| json_value(place, ValueType::Uid));
    let (number, at) = (json_value(3, ValueType::Int), json_value(4, ValueType::Instant));
    let (status, body) = (json_value(5, ValueType::Int), json_value(6, ValueType::Text));
    let (error, duration) = (json_value(7, ValueType::Text), json_value(8, ValueType::Int));
    let in_partition = partition.condition("d.account_id");
    let statement = format!(
        "INSERT INTO webhook_attempts (account_id, delivery_id, number, attempted_at, response_status, response_body, error, \
         duration_ms) SELECT d.account_id, d.id, {number}, {at}, {status}, {body}, {error}, {duration} FROM {JSON_ROWS} \
         JOIN webhook_deliveries AS d ON d.account_id = {account} AND d.event_id = {event} AND d.id = {id} \
         WHERE TRUE{in_partition} ON CONFLICT DO NOTHING"
    );
    tx.execute(diesel::sql_query(statement).bind::<Text, _>(attempts)).await?;
    Ok(())
}

/// A success is accepted from any lease, once. Every other outcome is accepted only from the latest lease of
/// a pending delivery; giving a lease back without an attempt also requires that its end is unchanged.
async fn move_deliveries(
    tx: &mut Transaction,
    partition: AccountPartition,
    outcomes: String,
) -> StoreResult<()> {
    let [account, event, id] = [0, 1, 2].map(|place| json_value(place, ValueType::Uid));
    let (attempt, until) = (json_value(3, ValueType::Int), json_value(4, ValueType::Instant));
    let (outcome, at) = (json_value(5, ValueType::Text), json_value(6, ValueType::Instant));
    let in_partition = partition.condition("d.account_id");
    let statement = format!(
        "WITH recorded AS MATERIALIZED (SELECT {account} AS account_id, {event} AS event_id, {id} AS id, \
         {attempt} AS attempt, {until} AS until, {outcome} AS outcome, {at} AS at FROM {JSON_ROWS}) \
         UPDATE webhook_deliveries AS d SET \
         state = CASE WHEN recorded.outcome IN ('succeeded', 'abandoned') THEN recorded.outcome ELSE d.state END, \
         finished_at = CASE WHEN recorded.outcome IN ('succeeded', 'abandoned') THEN recorded.at END, \
         due_at = CASE WHEN recorded.outcome IN ('retry', 'not_attempted') THEN recorded.at ELSE d.due_at END, \
         attempts = CASE WHEN recorded.outcome = 'not_attempted' THEN d.attempts - 1 ELSE d.attempts END \
         FROM recorded WHERE d.account_id = recorded.account_id AND d.event_id = recorded.event_id AND d.id = recorded.id \
         AND CASE WHEN recorded.outcome = 'succeeded' THEN d.state <> 'succeeded' \
         ELSE d.state = 'pending' AND d.attempts = recorded.attempt \
         AND (recorded.outcome <> 'not_attempted' OR d.due_at = recorded.until) END{in_partition}"
    );
    tx.execute(diesel::sql_query(statement).bind::<Text, _>(outcomes)).await?;
    Ok(())
}
