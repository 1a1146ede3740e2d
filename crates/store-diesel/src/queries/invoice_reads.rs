//! Reading invoices: one, or a page, always whole.

use ::invoices::{Invoice, InvoiceFilter, InvoiceId, InvoiceReads, Letterhead, Status};
use async_trait::async_trait;
use diesel::dsl::IntoBoxed;
use diesel::prelude::*;
use kernel::{AccountId, Cursor, Page, PageSize, StoreError};

use super::Database;
use super::dialect::Db;
use super::letterheads;
use super::load_invoice;
use crate::schema::invoices;
use crate::types::{RowDay, RowId};

#[async_trait]
impl InvoiceReads for Database {
    async fn get(&self, account: AccountId, id: InvoiceId) -> Result<Option<Invoice>, StoreError> {
        let mut read = self.pool.point_read().await?;
        load_invoice::get(&mut read, account.into(), id.into()).await
    }

    async fn letterhead(&self, account: AccountId) -> Result<Letterhead, StoreError> {
        let mut lease = self.pool.read().await?;
        let found = letterheads::json_of(account.into(), lease.conn()?).await;
        letterheads::read(account.into(), &lease.settle(found)?)
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
        let mut lease = self.pool.read().await?;
        let mut items = load_invoice::list(&mut lease, wanted).await?;
        let has_more = items.len() > size.get();
        items.truncate(size.get());
        let next = items.last().filter(|_last| has_more);
        let next = next.map(|last| Cursor {
            after: last.id.uuid(),
        });
        Ok(Page { items, next })
    }
}

/// Which invoices a list wants, newest first.
pub(crate) struct Wanted {
    pub(crate) account: RowId,
    pub(crate) filter: InvoiceFilter,
    pub(crate) after: Option<RowId>,
    pub(crate) most: i64,
}

/// The account's invoices that meet the filter. Each condition is written so that an index beginning with the account, and ending
/// with the id, can serve it.
pub(crate) fn matching(wanted: &Wanted) -> IntoBoxed<'_, invoices::table, Db> {
    let filter = &wanted.filter;
    let mut query = invoices::table
        .into_boxed::<Db>()
        .filter(invoices::account_id.eq(wanted.account))
        .order(invoices::id.desc())
        .limit(wanted.most);
    query = match filter.statuses.as_slice() {
        [] => query,
        [status] => query.filter(invoices::status.eq(status.as_str())),
        statuses => {
            let names = statuses.iter().map(|status: &Status| status.as_str());
            query.filter(invoices::status.eq_any(names.collect::<Vec<_>>()))
        }
    };
    if let Some(contact) = filter.contact {
        query = query.filter(invoices::contact_id.eq(RowId::from(contact)));
    }
    if let Some(number) = &filter.number {
        query = query.filter(invoices::number.eq(number.as_str()));
    }
    if let Some(from) = filter.date_from {
        query = query.filter(invoices::invoice_date.ge(RowDay(from)));
    }
    if let Some(to) = filter.date_to {
        query = query.filter(invoices::invoice_date.le(RowDay(to)));
    }
    if let Some(last) = wanted.after {
        query = query.filter(invoices::id.lt(last));
    }
    query
}
