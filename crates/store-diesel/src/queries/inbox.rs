//! Inbound messages that are not assigned to an account yet.

use std::collections::BTreeMap;

use async_trait::async_trait;
use communications::{
    Inbox, InboxItem, InboxLease, MessageId, MessageState, QuarantineCandidate, Quarantined, StateChange,
};
use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool};
use kernel::{Named as _, StoreError, StoreResult};
use store_schema::rows::InboxRow;
use store_schema::rows::row_ref::RowRef;
use store_schema::schema::{inbound_messages as table, quarantine_candidates};
use store_schema::types::{Instant, RowId, RowInstant, Uid};
use time::OffsetDateTime;

use super::columns::columns_of;
use super::database::Database;
use super::purpose::Purpose;
use super::run_statements::RunStatements as _;
use super::transaction::Transaction;
use crate::dialect::{Locked, SKIP_LOCKED};

#[derive(QueryableByName)]
struct InboxLeaseRow {
    #[diesel(sql_type = Uid)]
    id: RowId,
    #[diesel(sql_type = BigInt)]
    attempts: i64,
    #[diesel(sql_type = Instant)]
    due_at: RowInstant,
}

impl From<InboxLeaseRow> for InboxLease {
    fn from(row: InboxLeaseRow) -> Self {
        let attempt = u32::try_from(row.attempts).unwrap_or(u32::MAX);
        Self { id: row.id.id(), attempt, ends_at: row.due_at.0 }
    }
}

/// Id, channel, detail.
type QuarantinedRow = (RowId, String, Option<String>);
/// Account and contact.
type QuarantineCandidateRow = (RowId, Option<RowId>);

fn candidate((account, contact): QuarantineCandidateRow) -> QuarantineCandidate {
    QuarantineCandidate { account: account.id(), contact: contact.map(RowId::id) }
}

#[async_trait]
impl Inbox for Database {
    async fn store(&self, item: &InboxItem) -> StoreResult<MessageId> {
        let row = InboxRow::from(item);
        let mut tx = Transaction::new(self.pool.clone(), Purpose::Request);
        let insert = diesel::insert_into(table::table).values(&row).on_conflict_do_nothing();
        let inserted = tx.execute(insert).await?;
        if inserted > 0 {
            tx.commit().await?;
            return Ok(item.id);
        }
        let earlier = table::table.filter(table::key.eq(&item.key)).select(table::id);
        let earlier: RowId = tx.fetch_one(earlier).await?;
        Ok(earlier.id())
    }

    async fn item(&self, id: MessageId) -> StoreResult<Option<InboxItem>> {
        let mut connection = self.pool.read().await?;
        let query = table::table.filter(table::id.eq(RowId::from(id))).select(columns_of::<InboxRow>());
        let found: Option<InboxRow> = connection.fetch_optional(query).await?;
        found.map(InboxItem::try_from).transpose()
    }

    async fn lease(
        &self,
        now: OffsetDateTime,
        until: OffsetDateTime,
        limit: u32,
    ) -> StoreResult<Vec<InboxLease>> {
        let statement = format!(
            "WITH due AS MATERIALIZED (SELECT id FROM inbound_messages \
             WHERE state = 'stored' AND due_at <= $1 ORDER BY due_at LIMIT $2{SKIP_LOCKED}) \
             UPDATE inbound_messages SET due_at = $3, attempts = attempts + 1 \
             WHERE id IN (SELECT id FROM due) RETURNING id, attempts, due_at"
        );
        let mut connection = self.pool.write().await?;
        let query = diesel::sql_query(statement)
            .bind::<Instant, _>(RowInstant(now))
            .bind::<BigInt, _>(i64::from(limit))
            .bind::<Instant, _>(RowInstant(until));
        let leased: Vec<InboxLeaseRow> = connection.fetch_all(query).await?;
        Ok(leased.into_iter().map(InboxLease::from).collect())
    }

    async fn postpone(&self, lease: InboxLease, due_at: OffsetDateTime) -> StoreResult<()> {
        let mut tx = Transaction::new(self.pool.clone(), Purpose::Batch);
        let statement = diesel::update(table::table)
            .filter(table::id.eq(RowId::from(lease.id)))
            .filter(table::state.eq("stored"))
            .filter(table::due_at.eq(RowInstant(lease.ends_at)))
            .set(table::due_at.eq(RowInstant(due_at)));
        tx.execute(statement).await?;
        tx.commit().await
    }

    async fn settle(&self, id: MessageId, change: StateChange, detail: Option<&str>) -> StoreResult<bool> {
        let mut tx = Transaction::new(self.pool.clone(), Purpose::Batch);
        let statement = diesel::update(table::table)
            .filter(table::id.eq(RowId::from(id)))
            .filter(table::state.eq(change.from.as_str()))
            .set((table::state.eq(change.to.as_str()), table::detail.eq(detail)));
        let updated = tx.execute(statement).await?;
        let is_settled = updated > 0;
        tx.commit().await?;
        Ok(is_settled)
    }

    async fn drop_with_content(&self, id: MessageId, from: MessageState, detail: &str) -> StoreResult<bool> {
        let mut tx = Transaction::new(self.pool.clone(), Purpose::Batch);
        let is_dropped = drop_with_content(&mut tx, id.into(), from, detail).await?;
        tx.commit().await?;
        Ok(is_dropped)
    }

    async fn quarantine(
        &self,
        id: MessageId,
        detail: &str,
        erased: &str,
    ) -> StoreResult<Option<MessageState>> {
        let mut tx = Transaction::new(self.pool.clone(), Purpose::Batch);
        // This locks the message, as an erasure does before it removes a candidate.
        let statement = diesel::update(table::table)
            .filter(table::id.eq(RowId::from(id)))
            .filter(table::state.eq(MessageState::Stored.as_str()))
            .set((table::state.eq(MessageState::Quarantined.as_str()), table::detail.eq(detail)));
        if tx.execute(statement).await? == 0 {
            return Ok(None);
        }
        let mut state = MessageState::Quarantined;
        if !has_candidates(&mut tx, id.into()).await?
            && drop_with_content(&mut tx, id.into(), state, erased).await?
        {
            state = MessageState::Dropped;
        }
        tx.commit().await?;
        Ok(Some(state))
    }

    async fn count_quarantined(&self) -> StoreResult<u64> {
        let mut connection = self.pool.read().await?;
        let waiting = table::table.filter(sql::<Bool>("state = 'quarantined'")).count();
        let count: i64 = connection.fetch_one(waiting).await?;
        u64::try_from(count).map_err(|source| StoreError::Failed(source.into()))
    }

    async fn quarantined(&self, limit: u32) -> StoreResult<Vec<Quarantined>> {
        let mut connection = self.pool.read().await?;
        let query = table::table
            .filter(sql::<Bool>("state = 'quarantined'"))
            .order(table::id)
            .limit(i64::from(limit))
            .select((table::id, table::channel, table::detail));
        let found: Vec<QuarantinedRow> = connection.fetch_all(query).await?;
        let ids: Vec<RowId> = found.iter().map(|(id, ..)| *id).collect();
        let query = quarantine_candidates::table
            .filter(quarantine_candidates::inbound_id.eq_any(ids))
            .order((quarantine_candidates::inbound_id, quarantine_candidates::account_id))
            .select((
                quarantine_candidates::inbound_id,
                (quarantine_candidates::account_id, quarantine_candidates::contact_id),
            ));
        let candidates: Vec<(RowId, QuarantineCandidateRow)> = connection.fetch_all(query).await?;
        let mut candidates_of = BTreeMap::<RowId, Vec<QuarantineCandidate>>::new();
        for (id, of) in candidates {
            candidates_of.entry(id).or_default().push(candidate(of));
        }
        let quarantined = |(id, channel, detail): QuarantinedRow| {
            let row_ref = RowRef { table: "inbound_messages", id };
            let channel = row_ref.named("channel", &channel)?;
            Ok(Quarantined {
                id: id.id(),
                channel,
                detail,
                candidates: candidates_of.remove(&id).unwrap_or_default(),
            })
        };
        found.into_iter().map(quarantined).collect()
    }

    async fn candidates(&self, id: MessageId) -> StoreResult<Vec<QuarantineCandidate>> {
        let mut connection = self.pool.read().await?;
        let query = quarantine_candidates::table
            .filter(quarantine_candidates::inbound_id.eq(RowId::from(id)))
            .order(quarantine_candidates::account_id)
            .select((quarantine_candidates::account_id, quarantine_candidates::contact_id));
        let found: Vec<QuarantineCandidateRow> = connection.fetch_all(query).await?;
        Ok(found.into_iter().map(candidate).collect())
    }

    async fn release(&self, id: MessageId) -> StoreResult<()> {
        let mut tx = Transaction::new(self.pool.clone(), Purpose::Batch);
        // In the order of an erasure: first the message, then its candidates.
        let message = table::table.find(RowId::from(id)).select(table::id);
        let _locked: Option<RowId> = tx.fetch_optional(Locked(message)).await?;
        end_holds(&mut tx, id.into()).await?;
        // The sender is stored for the quarantine holds, and for a text message with its content.
        let sender = diesel::update(table::table)
            .filter(table::id.eq(RowId::from(id)))
            .filter(table::channel.eq("email").or(table::content.is_null()))
            .set(table::sender.eq(None::<String>));
        tx.execute(sender).await?;
        tx.commit().await
    }

    async fn forget_content(&self, received_before: OffsetDateTime, limit: u32) -> StoreResult<u64> {
        let statement = format!(
            "UPDATE inbound_messages SET content = NULL, \
             sender = CASE WHEN state = 'quarantined' THEN sender END WHERE id IN (SELECT id FROM inbound_messages \
             WHERE content IS NOT NULL AND received_at < $1 AND state <> 'stored' \
             ORDER BY received_at LIMIT $2{SKIP_LOCKED})"
        );
        let mut connection = self.pool.write().await?;
        let query = diesel::sql_query(statement)
            .bind::<Instant, _>(RowInstant(received_before))
            .bind::<BigInt, _>(i64::from(limit));
        let forgotten = connection.execute(query).await?;
        u64::try_from(forgotten).map_err(|source| StoreError::Failed(source.into()))
    }
}

async fn end_holds(tx: &mut Transaction, id: RowId) -> StoreResult<()> {
    let held = quarantine_candidates::table.filter(quarantine_candidates::inbound_id.eq(id));
    tx.execute(diesel::delete(held)).await.map(|_count| ())
}

/// Whether an item may belong to an account.
pub(super) async fn has_candidates(tx: &mut Transaction, id: RowId) -> StoreResult<bool> {
    let candidate = quarantine_candidates::table
        .filter(quarantine_candidates::inbound_id.eq(id))
        .select(quarantine_candidates::inbound_id)
        .limit(1);
    let found: Option<RowId> = tx.fetch_optional(candidate).await?;
    Ok(found.is_some())
}

/// Drops an item in the given state, with its raw bytes and its sender, and ends its holds. `false`: it has
/// another state.
pub(super) async fn drop_with_content(
    tx: &mut Transaction,
    id: RowId,
    from: MessageState,
    detail: &str,
) -> StoreResult<bool> {
    let dropped = diesel::update(table::table.find(id)).filter(table::state.eq(from.as_str())).set((
        table::state.eq(MessageState::Dropped.as_str()),
        table::detail.eq(detail),
        table::content.eq(None::<Vec<u8>>),
        table::sender.eq(None::<String>),
    ));
    // In the order of an erasure: first the message, then its candidates.
    if tx.execute(dropped).await? == 0 {
        return Ok(false);
    }
    end_holds(tx, id).await.map(|()| true)
}
