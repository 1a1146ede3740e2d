//! Reading invoices: one, or a page, always whole.

use ::invoices::{Invoice, InvoiceFilter, InvoiceId, InvoiceReads, Letterhead};
use async_trait::async_trait;
use kernel::{AccountId, Cursor, Page, PageSize, StoreError};

use super::database::Database;
use super::invoice_page::Wanted;
use super::letterheads;
use super::load_invoice;
use crate::types::RowId;

#[async_trait]
impl InvoiceReads for Database {
    async fn get(&self, account: AccountId, id: InvoiceId) -> Result<Option<Invoice>, StoreError> {
        let mut read = self.pool.point_read().await?;
        load_invoice::get(&mut read, account.into(), id.into()).await
    }

    async fn letterhead(&self, account: AccountId) -> Result<Letterhead, StoreError> {
        let mut connection = self.pool.read().await?;
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
    ) -> Result<Page<Invoice>, StoreError> {
        let wanted = Wanted {
            account: account.into(),
            filter: filter.clone(),
            after: after.map(|cursor| RowId(cursor.after)),
            // One more than the page holds tells whether there is a next one.
            most: i64::try_from(size.get().saturating_add(1))
                .map_err(|source| StoreError::Failed(source.into()))?,
        };
        let mut connection = self.pool.read().await?;
        let mut items = load_invoice::list(&mut connection, wanted).await?;
        let has_more = items.len() > size.get();
        items.truncate(size.get());
        let next = items.last().filter(|_last| has_more);
        let next = next.map(|last| Cursor { after: last.id.uuid() });
        Ok(Page { items, next })
    }
}
