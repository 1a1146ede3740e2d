//! Reading invoices with their lines and payments: one, or a page.

use ::invoices::{Invoice, InvoiceFilter, InvoiceId, InvoiceReads, InvoiceSummary, Letterhead};
use async_trait::async_trait;
use diesel::prelude::*;
use kernel::{AccountId, Cursor, PageSize, ResultsPage, StoreResult};
use store_schema::rows::InvoiceRow;
use store_schema::schema::invoices;
use store_schema::types::RowId;

use super::columns::columns_of;
use super::contact_search;
use super::database::Database;
use super::invoice_page::{self, FoundContacts, Wanted};
use super::keyset::{one_more_than, page};
use super::letterheads;
use super::pooled_connection::PooledConnection;
use super::run_statements::RunStatements as _;
use crate::load_invoice;

#[async_trait]
impl InvoiceReads for Database {
    async fn get(&self, account: AccountId, id: InvoiceId) -> StoreResult<Option<Invoice>> {
        let mut read = self.pool.of(account.into()).point_read().await?;
        load_invoice::get(&mut read, account.into(), id.into()).await
    }

    async fn numbers(&self, account: AccountId, ids: &[InvoiceId]) -> StoreResult<Vec<(InvoiceId, String)>> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let ids: Vec<RowId> = ids.iter().copied().map(RowId::from).collect();
        let query = invoices::table
            .filter(invoices::account_id.eq(RowId::from(account)))
            .filter(invoices::id.eq_any(ids))
            .select((invoices::id, invoices::number));
        let mut connection = self.pool.of(account.into()).read().await?;
        let found: Vec<(RowId, String)> = connection.fetch_all(query).await?;
        Ok(found.into_iter().map(|(id, number)| (id.id(), number)).collect())
    }

    async fn letterhead(&self, account: AccountId) -> StoreResult<Letterhead> {
        let mut connection = self.pool.of(account.into()).read().await?;
        let found = letterheads::load(account.into(), connection.conn()?).await;
        let (letterhead, ..) = connection.settle(found)?;
        letterheads::read(account.into(), &letterhead)
    }

    async fn list(
        &self,
        account: AccountId,
        filter: &InvoiceFilter,
        size: PageSize,
        after: Option<Cursor>,
    ) -> StoreResult<ResultsPage<Invoice>> {
        let mut connection = self.pool.of(account.into()).read().await?;
        let wanted = wanted(&mut connection, account, filter, size, after).await?;
        let items = load_invoice::list(&mut connection, self.pool.layout(), wanted).await?;
        Ok(page(items, size, |invoice| invoice.id))
    }

    async fn summaries(
        &self,
        account: AccountId,
        filter: &InvoiceFilter,
        size: PageSize,
        after: Option<Cursor>,
    ) -> StoreResult<ResultsPage<InvoiceSummary>> {
        let mut connection = self.pool.of(account.into()).read().await?;
        let wanted = wanted(&mut connection, account, filter, size, after).await?;
        let query = invoice_page::matching(&wanted).select(columns_of::<InvoiceRow>());
        let rows: Vec<InvoiceRow> = connection.fetch_all(query).await?;
        let invoices = rows.into_iter().map(|row| {
            let invoice = row.into_invoice(Vec::new(), Vec::new())?;
            Ok(InvoiceSummary::from(&invoice))
        });
        let items = invoices.collect::<StoreResult<Vec<_>>>()?;
        Ok(page(items, size, |invoice| invoice.id))
    }
}

async fn wanted(
    connection: &mut PooledConnection,
    account: AccountId,
    filter: &InvoiceFilter,
    size: PageSize,
    after: Option<Cursor>,
) -> StoreResult<Wanted> {
    let found_contacts = match &filter.search {
        Some(search) => {
            let limit = FoundContacts::MAX_FEW + 1;
            let ids = contact_search::ids(connection, account.into(), &search.text, limit).await?;
            if ids.len() == limit { FoundContacts::Many } else { FoundContacts::Few(ids) }
        }
        None => FoundContacts::Few(Vec::new()),
    };
    Ok(Wanted {
        account: account.into(),
        filter: filter.clone(),
        found_contacts,
        after: after.map(|cursor| RowId(cursor.after)),
        limit: one_more_than(size)?,
    })
}
