//! Listing webhook deliveries with their attempts, and replaying finished ones.

use std::collections::HashMap;
use std::ops::RangeInclusive;

use async_trait::async_trait;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool};
use kernel::{AccountId, Named as _, Operator, StoreResult};
use outbox::NewJob;
use store_schema::rows::{AttemptRow, DeliveryRow};
use store_schema::schema::{
    events, webhook_attempts as attempts, webhook_deliveries as deliveries, webhook_endpoints as endpoints,
};
use store_schema::types::{RowId, Uid};
use time::OffsetDateTime;
use uuid::Uuid;
use webhooks::{
    BulkReplay, BulkReplayId, Delivery, DeliveryAttempt, DeliveryFilter, DeliveryId, DeliveryRecord,
    DeliveryStore, EndpointId, Event, Replay, SealedSecret,
};

use super::columns::columns_of;
use super::database::Database;
use super::pooled_connection::PooledConnection;
use super::run_statements::RunStatements as _;
use super::{bulk_replay, replay};

#[async_trait]
impl DeliveryStore for Database {
    async fn list(&self, account: AccountId, filter: DeliveryFilter) -> StoreResult<Vec<Delivery>> {
        let account = RowId::from(account);
        let mut connection = self.pool.of(account).read().await?;
        // Deliveries change between the queries; one snapshot shows each of them at the same moment.
        connection.begin_reading().await?;
        let before = place_of(&mut connection, account, filter.after).await?;
        let end = filter.before.map(|before| (RowId::first_at(before), RowId(Uuid::nil())));
        let before = before.map(|place| end.map_or(place, |end| place.min(end)));
        let rows = match before {
            Some(before) => page(&mut connection, account, before, filter).await?,
            None => Vec::new(),
        };
        let mut logged = attempts_of(&mut connection, account, &rows).await?;
        connection.end_reading().await?;
        let with_attempts = |row: DeliveryRow| {
            let attempts = logged.remove(&row.id).unwrap_or_default();
            row.with(attempts)
        };
        rows.into_iter().map(with_attempts).collect()
    }

    async fn get(&self, account: AccountId, id: DeliveryId) -> StoreResult<Option<DeliveryRecord>> {
        let account = RowId::from(account);
        let mut connection = self.pool.of(account).read().await?;
        connection.begin_reading().await?;
        let query = format!("{} WHERE d.account_id = $1 AND d.id = $2", DeliveryRow::SELECT);
        let statement = diesel::sql_query(query).bind::<Uid, _>(account).bind::<Uid, _>(RowId::from(id));
        let found: Vec<DeliveryRow> = connection.fetch_all(statement).await?;
        let mut logged = attempts_of(&mut connection, account, &found).await?;
        let Some(row) = found.into_iter().next() else {
            connection.end_reading().await?;
            return Ok(None);
        };
        let (secret, body) = content_of(&mut connection, &row).await?;
        connection.end_reading().await?;
        let (attempts, enabled) = (logged.remove(&row.id).unwrap_or_default(), row.enabled);
        let delivery = row.with(attempts)?;
        Ok(Some(DeliveryRecord { delivery, enabled, body, secret: secret.map(SealedSecret) }))
    }

    async fn publish_to(
        &self,
        endpoint: EndpointId,
        event: &Event,
        delivery: DeliveryId,
    ) -> StoreResult<bool> {
        replay::publish_to(self, endpoint, event, delivery).await
    }

    async fn replay_own(
        &self,
        account: AccountId,
        delivery: DeliveryId,
        new: DeliveryId,
        now: OffsetDateTime,
    ) -> StoreResult<Replay> {
        replay::one(self, Some(account), delivery, new, now).await
    }

    async fn replay(
        &self,
        _operator: Operator,
        delivery: DeliveryId,
        new: DeliveryId,
        now: OffsetDateTime,
    ) -> StoreResult<Replay> {
        replay::one(self, None, delivery, new, now).await
    }

    async fn replay_abandoned(
        &self,
        account: AccountId,
        since: OffsetDateTime,
        new: &[DeliveryId],
        now: OffsetDateTime,
    ) -> StoreResult<Vec<Delivery>> {
        replay::abandoned(self, account, since, new, now).await
    }

    async fn count_abandoned(
        &self,
        account: AccountId,
        abandoned: RangeInclusive<OffsetDateTime>,
    ) -> StoreResult<u64> {
        bulk_replay::count_abandoned(self, account, abandoned).await
    }

    async fn insert_bulk_replay(&self, replay: &BulkReplay, job: NewJob) -> StoreResult<()> {
        bulk_replay::insert(self, replay, job).await
    }

    async fn bulk_replay(&self, account: AccountId, id: BulkReplayId) -> StoreResult<Option<BulkReplay>> {
        bulk_replay::get(self, account, id).await
    }

    async fn unfinished_bulk_replay(
        &self,
        account: AccountId,
        requested_since: OffsetDateTime,
        abandoned_since: OffsetDateTime,
    ) -> StoreResult<Option<BulkReplay>> {
        bulk_replay::unfinished(self, account, requested_since, abandoned_since).await
    }

    async fn advance_bulk_replay(
        &self,
        replay: &BulkReplay,
        new: &[DeliveryId],
        now: OffsetDateTime,
    ) -> StoreResult<usize> {
        bulk_replay::advance(self, replay, new, now).await
    }
}

/// The event and id after which a page begins: the beginning of the list, or a delivery; `None` when the
/// account has no such delivery.
async fn place_of(
    connection: &mut PooledConnection,
    account: RowId,
    after: Option<DeliveryId>,
) -> StoreResult<Option<(RowId, RowId)>> {
    let Some(after) = after else {
        return Ok(Some((RowId(Uuid::max()), RowId(Uuid::max()))));
    };
    let query = deliveries::table
        .filter(deliveries::account_id.eq(account))
        .filter(deliveries::id.eq(RowId::from(after)))
        .select((deliveries::event_id, deliveries::id));
    connection.fetch_optional(query).await
}

async fn page(
    connection: &mut PooledConnection,
    account: RowId,
    (event, id): (RowId, RowId),
    filter: DeliveryFilter,
) -> StoreResult<Vec<DeliveryRow>> {
    // A literal, so that the partial index of that state is used.
    let state = filter.state.map(|state| format!(" AND d.state = '{}'", state.as_str())).unwrap_or_default();
    // `=` would turn the outer join into an inner join.
    let kind = filter.event.map(|event| format!(" AND v.kind IS NOT DISTINCT FROM '{}'", event.as_str()));
    let kind = kind.unwrap_or_default();
    let query = format!(
        "{} WHERE d.account_id = $1 AND (d.event_id, d.id) < ($2, $3) AND d.event_id >= $4 \
         AND ($5 OR d.endpoint_id = $6){state}{kind} ORDER BY d.event_id DESC, d.id DESC LIMIT $7",
        DeliveryRow::SELECT,
    );
    let endpoint = filter.endpoint.map(RowId::from);
    let first = filter.from.map_or(RowId(Uuid::nil()), RowId::first_at);
    let statement = diesel::sql_query(query)
        .bind::<Uid, _>(account)
        .bind::<Uid, _>(event)
        .bind::<Uid, _>(id)
        .bind::<Uid, _>(first)
        .bind::<Bool, _>(endpoint.is_none())
        .bind::<Uid, _>(endpoint.unwrap_or(RowId(Uuid::nil())))
        .bind::<BigInt, _>(i64::from(filter.limit));
    connection.fetch_all(statement).await
}

/// The secret of a delivery's endpoint, and the body of its event.
async fn content_of(
    connection: &mut PooledConnection,
    row: &DeliveryRow,
) -> StoreResult<(Option<Vec<u8>>, String)> {
    let query = endpoints::table
        .inner_join(events::table.on(events::account_id.eq(endpoints::account_id)))
        .filter(endpoints::account_id.eq(row.account_id))
        .filter(endpoints::id.eq(row.endpoint_id))
        .filter(events::id.eq(row.event_id))
        .select((endpoints::secret, events::body));
    connection.fetch_one(query).await
}

async fn attempts_of(
    connection: &mut PooledConnection,
    account: RowId,
    rows: &[DeliveryRow],
) -> StoreResult<HashMap<RowId, Vec<DeliveryAttempt>>> {
    let ids: Vec<RowId> = rows.iter().map(|row| row.id).collect();
    let query = attempts::table
        .filter(attempts::account_id.eq(account))
        .filter(attempts::delivery_id.eq_any(ids))
        .order((attempts::delivery_id, attempts::number))
        .select(columns_of::<AttemptRow>());
    let logged: Vec<AttemptRow> = connection.fetch_all(query).await?;
    let mut by_delivery: HashMap<RowId, Vec<DeliveryAttempt>> = HashMap::new();
    for row in logged {
        let of = by_delivery.entry(row.delivery_id).or_default();
        of.push(DeliveryAttempt::try_from(row)?);
    }
    Ok(by_delivery)
}
