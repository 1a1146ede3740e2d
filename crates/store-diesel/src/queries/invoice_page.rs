//! The query of a page of invoices.

use ::invoices::{InvoiceFilter, Status};
use diesel::dsl::IntoBoxed;
use diesel::prelude::*;

use super::dialect::Db;
use crate::schema::invoices;
use crate::types::{RowDay, RowId};

/// A page of a list of invoices, newest first.
pub(crate) struct Wanted {
    pub(crate) account: RowId,
    pub(crate) filter: InvoiceFilter,
    pub(crate) after: Option<RowId>,
    pub(crate) most: i64,
}

/// The account's invoices that meet the filter. Each condition is written so that an index beginning with the
/// account, and ending with the id, can serve it.
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
