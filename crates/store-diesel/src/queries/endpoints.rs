//! Webhook endpoints inside a transaction, of one account or of a partner's accounts.

use async_trait::async_trait;
use diesel::prelude::*;
use kernel::{AccountId, PartnerId, StoreResult};
use store_schema::errors::failed;
use store_schema::rows::EndpointRow;
use store_schema::schema::{accounts, webhook_endpoints as table};
use store_schema::types::{Instant, RowId, RowInstant, Uid};
use time::OffsetDateTime;
use webhooks::{Endpoint, EndpointId, Endpoints, EndpointsTx, SealedSecret};

use super::endpoint_reads::of_account;
use super::run_statements::RunStatements as _;
use super::transaction::Transaction;
use super::unit_of_work::{UnitOfWork, parts};
use crate::dialect::Locked;

impl EndpointsTx for UnitOfWork<AccountId> {
    parts!(endpoints: Endpoints);
}

/// A scope that contains accounts.
#[async_trait]
pub(super) trait HasAccounts: Send {
    /// Locks an account's row until the transaction ends; `false` when the scope has no such account.
    async fn lock(&self, tx: &mut Transaction, account: AccountId) -> StoreResult<bool>;
}

#[async_trait]
impl HasAccounts for AccountId {
    async fn lock(&self, tx: &mut Transaction, account: AccountId) -> StoreResult<bool> {
        if *self != account {
            return Ok(false);
        }
        let row = accounts::table.filter(accounts::id.eq(RowId::from(account)));
        let locked: Option<RowId> = tx.fetch_optional(Locked(row.select(accounts::id))).await?;
        Ok(locked.is_some())
    }
}

#[async_trait]
impl HasAccounts for PartnerId {
    async fn lock(&self, tx: &mut Transaction, account: AccountId) -> StoreResult<bool> {
        let row = accounts::table
            .filter(accounts::partner_id.eq(RowId::from(*self)))
            .filter(accounts::id.eq(RowId::from(account)));
        let locked: Option<RowId> = tx.fetch_optional(Locked(row.select(accounts::id))).await?;
        Ok(locked.is_some())
    }
}

#[async_trait]
impl<S: HasAccounts> Endpoints for UnitOfWork<S> {
    async fn lock_all(&mut self, account: AccountId) -> StoreResult<Option<Vec<Endpoint>>> {
        if !self.scope.lock(&mut self.tx, account).await? {
            return Ok(None);
        }
        self.locked.push(account);
        let rows: Vec<EndpointRow> = self.tx.fetch_all(of_account(account.into())).await?;
        let endpoints: Result<_, _> = rows.into_iter().map(Endpoint::try_from).collect();
        endpoints.map(Some)
    }

    async fn insert(&mut self, endpoint: &Endpoint, secret: &SealedSecret) -> StoreResult<()> {
        self.check_locked(endpoint)?;
        let row = EndpointRow::from(endpoint);
        let statement = diesel::insert_into(table::table).values((&row, table::secret.eq(&secret.0)));
        self.tx.execute_unique(statement).await?;
        Ok(())
    }

    async fn update(&mut self, endpoint: &Endpoint) -> StoreResult<()> {
        self.check_locked(endpoint)?;
        let row = EndpointRow::from(endpoint);
        let statement = diesel::update(table::table.find((row.account_id, row.id)))
            .filter(table::deleted_at.is_null())
            .set((
                table::url.eq(row.url),
                table::events.eq(row.events),
                table::enabled.eq(row.enabled),
                table::provisioned.eq(row.provisioned),
                table::updated_at.eq(row.updated_at),
            ));
        self.tx.execute(statement).await?;
        if endpoint.enabled {
            return Ok(());
        }
        self.stop_all(endpoint.account, endpoint.id, endpoint.updated_at).await
    }

    async fn delete(&mut self, endpoint: &Endpoint, now: OffsetDateTime) -> StoreResult<()> {
        self.check_locked(endpoint)?;
        let now_row = RowInstant(now);
        let own = table::table.find((RowId::from(endpoint.account), RowId::from(endpoint.id)));
        let statement = diesel::update(own).filter(table::deleted_at.is_null()).set((
            table::enabled.eq(false),
            table::secret.eq(None::<Vec<u8>>),
            table::updated_at.eq(now_row),
            table::deleted_at.eq(Some(now_row)),
        ));
        self.tx.execute(statement).await?;
        self.stop_all(endpoint.account, endpoint.id, now).await
    }
}

impl<S> UnitOfWork<S> {
    fn check_locked(&self, endpoint: &Endpoint) -> StoreResult<()> {
        if self.locked.contains(&endpoint.account) {
            Ok(())
        } else {
            Err(failed("the endpoints of the account are not locked"))
        }
    }

    /// Stops the pending deliveries of an endpoint. They are found by scanning the pending deliveries of all
    /// endpoints along the index of due times: this happens rarely, and an index by endpoint would have to be
    /// written with every delivery.
    async fn stop_all(
        &mut self,
        account: AccountId,
        endpoint: EndpointId,
        now: OffsetDateTime,
    ) -> StoreResult<()> {
        let statement = diesel::sql_query(
            "UPDATE webhook_deliveries SET state = 'stopped', finished_at = $1 \
             WHERE state = 'pending' AND account_id = $2 AND (account_id, event_id, id) IN (SELECT account_id, event_id, id \
             FROM webhook_deliveries WHERE state = 'pending' AND endpoint_id = $3)",
        )
        .bind::<Instant, _>(RowInstant(now))
        .bind::<Uid, _>(RowId::from(account))
        .bind::<Uid, _>(RowId::from(endpoint));
        self.tx.execute(statement).await?;
        Ok(())
    }
}
