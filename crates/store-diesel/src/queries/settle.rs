//! Keeping what came of leases: a batch is one JSON array, and two statements take it apart.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use diesel::sql_types::Text;
use diesel_async::RunQueryDsl;
use kernel::StoreError;
use webhooks::{DeliveryLease, DeliveryOutcome, DeliveryResult};

use super::dialect::{self, JSON_ROWS, json_value};
use super::pool::Pool;
use super::purpose::Purpose;
use super::transaction::Transaction;
use crate::bulk_rows::{JsonRows, Kind};
use crate::types::{RowId, RowInstant};

/// Names a delivery; batches are in this order, so that two of them never wait for each other crosswise.
type Key = (RowId, RowId, RowId);

pub(super) async fn record(pool: &Pool, settled: &[DeliveryResult]) -> Result<(), StoreError> {
    if settled.is_empty() {
        return Ok(());
    }
    let mut tx = Transaction::new(pool.clone(), Purpose::Batch);
    let verdicts = verdicts(settled)?;
    let held = dialect::lock_deliveries(tx.conn().await?, &verdicts).await;
    tx.settle(held)?;
    log_attempts(&mut tx, attempts(settled)?).await?;
    move_deliveries(&mut tx, verdicts).await?;
    tx.commit().await
}

fn key(lease: &DeliveryLease) -> Key {
    (lease.account.into(), lease.event.into(), lease.id.into())
}

/// What becomes of each delivery. Should there be several verdicts on one, a success is the one that counts,
/// and else that of the lease with the latest number.
fn verdicts(settled: &[DeliveryResult]) -> Result<String, StoreError> {
    let mut by_key: BTreeMap<Key, &DeliveryResult> = BTreeMap::new();
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
    let mut rows = JsonRows::default();
    for ((account, event, id), one) in by_key {
        let (verdict, at) = match one.outcome {
            DeliveryOutcome::Succeeded(at) => ("succeeded", at),
            DeliveryOutcome::Retry(at) => ("retry", at),
            DeliveryOutcome::Abandoned(at) => ("abandoned", at),
            DeliveryOutcome::NotAttempted(at) => ("untried", at),
        };
        let attempt = i64::from(one.lease.attempt);
        let until = RowInstant(one.lease.until);
        rows.push(&[&account, &event, &id, &attempt, &until, &verdict, &RowInstant(at)])?;
    }
    Ok(rows.finish())
}

fn attempts(settled: &[DeliveryResult]) -> Result<String, StoreError> {
    let mut rows = JsonRows::default();
    for one in settled {
        let Some(attempt) = &one.attempt else {
            continue;
        };
        let (account, event, id) = key(&one.lease);
        rows.push(&[
            &account,
            &event,
            &id,
            &i64::from(attempt.number),
            &RowInstant(attempt.at),
            &attempt.response_status.map(i32::from),
            &attempt.response_body,
            &attempt.error,
        ])?;
    }
    Ok(rows.finish())
}

/// One attempt is logged once, and none of a delivery that is forgotten.
async fn log_attempts(tx: &mut Transaction, attempts: String) -> Result<(), StoreError> {
    let [account, event, id] = [0, 1, 2].map(|place| json_value(place, Kind::Uid));
    let (number, at) = (json_value(3, Kind::Int), json_value(4, Kind::Instant));
    let (status, body) = (json_value(5, Kind::Int), json_value(6, Kind::Text));
    let error = json_value(7, Kind::Text);
    let statement = format!(
        "INSERT INTO webhook_attempts (account_id, delivery_id, number, attempted_at, response_status, response_body, error) \
         SELECT {account}, {id}, {number}, {at}, {status}, {body}, {error} FROM {JSON_ROWS} \
         WHERE EXISTS (SELECT 1 FROM webhook_deliveries AS d \
         WHERE d.account_id = {account} AND d.event_id = {event} AND d.id = {id}) ON CONFLICT DO NOTHING"
    );
    let logged = diesel::sql_query(statement).bind::<Text, _>(attempts).execute(tx.conn().await?).await;
    tx.settle(logged).map(|_count| ())
}

/// A success counts whoever tells of it, once. Everything else counts from the latest lease on what is
/// pending, and a lease that is given back untried only while it is that very lease.
async fn move_deliveries(tx: &mut Transaction, verdicts: String) -> Result<(), StoreError> {
    let [account, event, id] = [0, 1, 2].map(|place| json_value(place, Kind::Uid));
    let (attempt, until) = (json_value(3, Kind::Int), json_value(4, Kind::Instant));
    let (verdict, at) = (json_value(5, Kind::Text), json_value(6, Kind::Instant));
    let statement = format!(
        "WITH told AS MATERIALIZED (SELECT {account} AS account_id, {event} AS event_id, {id} AS id, \
         {attempt} AS attempt, {until} AS until, {verdict} AS verdict, {at} AS at FROM {JSON_ROWS}) \
         UPDATE webhook_deliveries AS d SET \
         state = CASE WHEN told.verdict IN ('succeeded', 'abandoned') THEN told.verdict ELSE d.state END, \
         finished_at = CASE WHEN told.verdict IN ('succeeded', 'abandoned') THEN told.at END, \
         due_at = CASE WHEN told.verdict IN ('retry', 'untried') THEN told.at ELSE d.due_at END, \
         attempts = CASE told.verdict WHEN 'untried' THEN d.attempts - 1 ELSE d.attempts END \
         FROM told WHERE d.account_id = told.account_id AND d.event_id = told.event_id AND d.id = told.id \
         AND CASE told.verdict WHEN 'succeeded' THEN d.state <> 'succeeded' \
         ELSE d.state = 'pending' AND d.attempts = told.attempt \
         AND (told.verdict <> 'untried' OR d.due_at = told.until) END"
    );
    let moved = diesel::sql_query(statement).bind::<Text, _>(verdicts).execute(tx.conn().await?).await;
    tx.settle(moved).map(|_count| ())
}
