//! Reading invoices: one, or a page, always whole.

use ::invoices::{Invoice, InvoiceFilter, InvoiceId, InvoiceReads, Letterhead, Status};
use async_trait::async_trait;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use kernel::{AccountId, Cursor, Page, PageSize, StoreError};

use super::Database;
use super::dialect::{Db, together};
use super::letterheads::letterhead_of;
use crate::rows::{InvoiceRow, LineItemRow, PaymentRow, with_details};
use crate::schema::{invoices, line_items, payments};
use crate::types::{RowDay, RowId};

#[async_trait]
impl InvoiceReads for Database {
    async fn get(&self, account: AccountId, id: InvoiceId) -> Result<Option<Invoice>, StoreError> {
        let (account, id) = (RowId::from(account), RowId::from(id));
        let row = invoices::table
            .filter(invoices::account_id.eq(account))
            .filter(invoices::id.eq(id))
            .select(InvoiceRow::as_select());
        let lines = line_items::table
            .filter(line_items::account_id.eq(account))
            .filter(line_items::invoice_id.eq(id))
            .order(line_items::position)
            .select(LineItemRow::as_select());
        let payments = payments::table
            .filter(payments::account_id.eq(account))
            .filter(payments::invoice_id.eq(id))
            .order(payments::id)
            .select(PaymentRow::as_select());
        let mut lease = self.pool.read().await?;
        lease.begin_reading().await?;
        let found = together!(lease.conn()?; row, lines, payments);
        let (rows, lines, payments) = lease.settle(found)?;
        lease.end_reading().await?;
        Ok(with_details(rows, lines, payments)?.pop())
    }

    async fn letterhead(&self, account: AccountId) -> Result<Letterhead, StoreError> {
        let mut lease = self.pool.read().await?;
        let found = letterhead_of(account.into(), lease.conn()?).await;
        Ok(lease.settle(found)?.into())
    }

    async fn list(
        &self,
        account: AccountId,
        filter: &InvoiceFilter,
        size: PageSize,
        after: Option<Cursor>,
    ) -> Result<Page<Invoice>, StoreError> {
        let account = RowId::from(account);
        // One more than the page holds tells whether there is a next one.
        let most = i64::try_from(size.get().saturating_add(1))
            .map_err(|source| StoreError::Failed(source.into()))?;
        let mut query = matching(account, filter)
            .order(invoices::id.desc())
            .limit(most);
        if let Some(cursor) = after {
            query = query.filter(invoices::id.lt(RowId(cursor.after)));
        }
        let mut lease = self.pool.read().await?;
        // An invoice may change between the queries; what is answered is each one as it was at one moment.
        lease.begin_reading().await?;
        let rows = query.load::<InvoiceRow>(lease.conn()?).await;
        let mut rows = lease.settle(rows)?;
        let has_more = rows.len() > size.get();
        rows.truncate(size.get());
        let next = rows.last().filter(|_last| has_more);
        let next = next.map(|last| Cursor { after: last.id.0 });
        if rows.is_empty() {
            lease.end_reading().await?;
            return Ok(Page {
                items: Vec::new(),
                next,
            });
        }
        let ids: Vec<RowId> = rows.iter().map(|row| row.id).collect();
        let lines = line_items::table
            .filter(line_items::account_id.eq(account))
            .filter(line_items::invoice_id.eq_any(ids.clone()))
            .order((line_items::invoice_id, line_items::position))
            .select(LineItemRow::as_select());
        let payments = payments::table
            .filter(payments::account_id.eq(account))
            .filter(payments::invoice_id.eq_any(ids))
            .order((payments::invoice_id, payments::id))
            .select(PaymentRow::as_select());
        let details = together!(lease.conn()?; lines, payments);
        let (lines, payments) = lease.settle(details)?;
        lease.end_reading().await?;
        Ok(Page {
            items: with_details(rows, lines, payments)?,
            next,
        })
    }
}

type Matching<'a> = diesel::dsl::IntoBoxed<
    'a,
    diesel::dsl::Select<invoices::table, diesel::dsl::AsSelect<InvoiceRow, Db>>,
    Db,
>;

/// The account's invoices that meet the filter. Each condition is written so that an index beginning with the account, and ending
/// with the id, can serve it.
fn matching(account: RowId, filter: &InvoiceFilter) -> Matching<'_> {
    let mut query = invoices::table
        .select(InvoiceRow::as_select())
        .into_boxed::<Db>()
        .filter(invoices::account_id.eq(account));
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
    query
}
