//! Reading webhook endpoints.

use async_trait::async_trait;
use diesel::dsl::{AsSelect, auto_type, exists};
use diesel::prelude::*;
use diesel::sql_types::Text;
use kernel::{AccountId, Operator, StoreResult};
use store_schema::json_rows::{ValueType, json_rows};
use store_schema::rows::EndpointRow;
use store_schema::schema::{accounts, webhook_endpoints as table};
use store_schema::types::{RowId, Uid};
use webhooks::{Endpoint, EndpointId, EndpointsStore, EndpointsTx};

use super::columns::columns_of;
use super::database::Database;
use super::purpose::Purpose;
use super::run_statements::RunStatements as _;
use super::unit_of_work::UnitOfWork;
use crate::dialect::{Db, JSON_ROWS, json_value};
use crate::pool::Pool;

/// An account's endpoints that are not deleted, oldest first.
#[auto_type]
pub(super) fn of_account(account: RowId) -> _ {
    let endpoint: AsSelect<EndpointRow, Db> = columns_of::<EndpointRow>();
    table::table
        .filter(table::account_id.eq(account))
        .filter(table::deleted_at.is_null())
        .order(table::id)
        .select(endpoint)
}

#[async_trait]
impl EndpointsStore for Database {
    async fn begin(&self, account: AccountId) -> StoreResult<Box<dyn EndpointsTx>> {
        Ok(Box::new(UnitOfWork::with_purpose(self, account, Purpose::Command)))
    }

    async fn list(&self, account: AccountId) -> StoreResult<Option<Vec<Endpoint>>> {
        let account = RowId::from(account);
        let mut connection = self.pool.read().await?;
        let rows: Vec<EndpointRow> = connection.fetch_all(of_account(account)).await?;
        if rows.is_empty() {
            let is_there = accounts::table.filter(accounts::id.eq(account));
            let is_there: bool = connection.fetch_one(diesel::select(exists(is_there))).await?;
            return Ok(is_there.then(Vec::new));
        }
        let endpoints: Result<_, _> = rows.into_iter().map(Endpoint::try_from).collect();
        endpoints.map(Some)
    }

    async fn account_of(&self, _operator: Operator, endpoint: EndpointId) -> StoreResult<Option<AccountId>> {
        let mut connection = self.pool.read().await?;
        let query = table::table
            .filter(table::id.eq(RowId::from(endpoint)))
            .filter(table::deleted_at.is_null())
            .select(table::account_id);
        let found: Option<RowId> = connection.fetch_optional(query).await?;
        Ok(found.map(RowId::id))
    }
}

#[derive(QueryableByName)]
struct UrlRow {
    #[diesel(sql_type = Uid)]
    id: RowId,
    #[diesel(sql_type = Text)]
    url: String,
}

/// The enabled ones among the given endpoints, with their URLs.
pub(super) async fn enabled_urls(
    pool: &Pool,
    endpoints: &[(AccountId, EndpointId)],
) -> StoreResult<Vec<(EndpointId, String)>> {
    let ids = endpoints.iter().map(|(account, endpoint)| (RowId::from(*account), RowId::from(*endpoint)));
    let rows = json_rows(ids)?;
    let [account, endpoint] = [0, 1].map(|place| json_value(place, ValueType::Uid));
    let statement = format!(
        "SELECT e.id, e.url FROM webhook_endpoints AS e \
         WHERE e.enabled AND (e.account_id, e.id) IN (SELECT {account}, {endpoint} FROM {JSON_ROWS})"
    );
    let mut connection = pool.read().await?;
    let found: Vec<UrlRow> = connection.fetch_all(diesel::sql_query(statement).bind::<Text, _>(rows)).await?;
    Ok(found.into_iter().map(|row| (row.id.id(), row.url)).collect())
}
