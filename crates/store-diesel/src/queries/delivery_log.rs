//! Showing webhook deliveries with their attempts, and making new ones of finished ones.

use std::collections::HashMap;

use async_trait::async_trait;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool};
use diesel_async::RunQueryDsl;
use kernel::{AccountId, Operator, StoreError};
use time::OffsetDateTime;
use uuid::Uuid;
use webhooks::{Attempt, Delivery, DeliveryFilter, DeliveryId, DeliveryLog, Replay};

use super::database::Database;
use super::pooled_connection::PooledConnection;
use super::replay;
use crate::rows::{AttemptRow, DeliveryRow};
use crate::schema::{webhook_attempts as attempts, webhook_deliveries as deliveries};
use crate::types::{RowId, Uid};

#[async_trait]
impl DeliveryLog for Database {
    async fn list(&self, account: AccountId, filter: DeliveryFilter) -> Result<Vec<Delivery>, StoreError> {
        let account = RowId::from(account);
        let mut connection = self.pool.read().await?;
        // A delivery goes on between the queries; what is answered is each one as it was at one moment.
        connection.begin_reading().await?;
        let before = place_of(&mut connection, account, filter.after).await?;
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

    async fn replay(
        &self,
        _operator: Operator,
        delivery: DeliveryId,
        new: DeliveryId,
        now: OffsetDateTime,
    ) -> Result<Replay, StoreError> {
        replay::one(self, delivery, new, now).await
    }

    async fn replay_abandoned(
        &self,
        account: AccountId,
        since: OffsetDateTime,
        new: &[DeliveryId],
        now: OffsetDateTime,
    ) -> Result<Vec<Delivery>, StoreError> {
        replay::abandoned(self, account, since, new, now).await
    }
}

/// Event and id behind which a page begins: behind nothing, or behind a delivery; `None` when the account has
/// no such delivery.
async fn place_of(
    connection: &mut PooledConnection,
    account: RowId,
    after: Option<DeliveryId>,
) -> Result<Option<(RowId, RowId)>, StoreError> {
    let Some(after) = after else {
        return Ok(Some((RowId(Uuid::max()), RowId(Uuid::max()))));
    };
    let found = deliveries::table
        .filter(deliveries::account_id.eq(account))
        .filter(deliveries::id.eq(RowId::from(after)))
        .select((deliveries::event_id, deliveries::id))
        .get_result::<(RowId, RowId)>(connection.conn()?)
        .await;
    connection.settle(found.optional())
}

async fn page(
    connection: &mut PooledConnection,
    account: RowId,
    (event, id): (RowId, RowId),
    filter: DeliveryFilter,
) -> Result<Vec<DeliveryRow>, StoreError> {
    let query = format!(
        "{} WHERE d.account_id = $1 AND (d.event_id, d.id) < ($2, $3) AND ($4 OR d.endpoint_id = $5) \
         ORDER BY d.event_id DESC, d.id DESC LIMIT $6",
        DeliveryRow::SELECT,
    );
    let endpoint = filter.endpoint.map(RowId::from);
    let rows = diesel::sql_query(query)
        .bind::<Uid, _>(account)
        .bind::<Uid, _>(event)
        .bind::<Uid, _>(id)
        .bind::<Bool, _>(endpoint.is_none())
        .bind::<Uid, _>(endpoint.unwrap_or(RowId(Uuid::nil())))
        .bind::<BigInt, _>(i64::from(filter.limit))
        .load::<DeliveryRow>(connection.conn()?)
        .await;
    connection.settle(rows)
}

async fn attempts_of(
    connection: &mut PooledConnection,
    account: RowId,
    rows: &[DeliveryRow],
) -> Result<HashMap<RowId, Vec<Attempt>>, StoreError> {
    let ids: Vec<RowId> = rows.iter().map(|row| row.id).collect();
    let logged = attempts::table
        .filter(attempts::account_id.eq(account))
        .filter(attempts::delivery_id.eq_any(ids))
        .order((attempts::delivery_id, attempts::number))
        .select(AttemptRow::as_select())
        .load::<AttemptRow>(connection.conn()?)
        .await;
    let mut by_delivery: HashMap<RowId, Vec<Attempt>> = HashMap::new();
    for row in connection.settle(logged)? {
        let of = by_delivery.entry(row.delivery_id).or_default();
        of.push(Attempt::try_from(row)?);
    }
    Ok(by_delivery)
}
