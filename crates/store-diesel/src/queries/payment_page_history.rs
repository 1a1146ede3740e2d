//! The history of the payment page of an invoice.

use ::invoices::{InvoiceId, PageView, PaymentPageHistory, Promise};
use async_trait::async_trait;
use diesel::prelude::*;
use kernel::{AccountId, StoreResult};
use store_schema::rows::PromiseRow;
use store_schema::schema::{page_views, promises};
use store_schema::types::{RowDay, RowId, RowInstant};

use super::columns::columns_of;
use super::database::Database;
use super::purpose::Purpose;
use super::run_statements::RunStatements as _;
use super::transaction::Transaction;

#[async_trait]
impl PaymentPageHistory for Database {
    async fn record_view(&self, view: &PageView) -> StoreResult<()> {
        let row = (
            page_views::account_id.eq(RowId::from(view.account)),
            page_views::invoice_id.eq(RowId::from(view.invoice)),
            page_views::viewed_on.eq(RowDay(view.day)),
            page_views::first_at.eq(RowInstant(view.first_at)),
        );
        let mut tx = Transaction::new(self.pool.of(view.account.into()).into_owned(), Purpose::Batch);
        let statement = diesel::insert_into(page_views::table).values(row).on_conflict_do_nothing();
        tx.execute(statement).await?;
        tx.commit().await
    }

    async fn views(&self, account: AccountId, invoice: InvoiceId) -> StoreResult<Vec<PageView>> {
        let mut connection = self.pool.of(account.into()).read().await?;
        let query = page_views::table
            .filter(page_views::account_id.eq(RowId::from(account)))
            .filter(page_views::invoice_id.eq(RowId::from(invoice)))
            .order(page_views::viewed_on)
            .select((page_views::viewed_on, page_views::first_at));
        let found: Vec<(RowDay, RowInstant)> = connection.fetch_all(query).await?;
        let view =
            |(day, at): (RowDay, RowInstant)| PageView { account, invoice, day: day.0, first_at: at.0 };
        Ok(found.into_iter().map(view).collect())
    }

    async fn promises(&self, account: AccountId, invoice: InvoiceId) -> StoreResult<Vec<Promise>> {
        let mut connection = self.pool.of(account.into()).read().await?;
        let query = promises::table
            .filter(promises::account_id.eq(RowId::from(account)))
            .filter(promises::invoice_id.eq(RowId::from(invoice)))
            .order(promises::id)
            .select(columns_of::<PromiseRow>());
        let found: Vec<PromiseRow> = connection.fetch_all(query).await?;
        found.into_iter().map(Promise::try_from).collect()
    }
}
