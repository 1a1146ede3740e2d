//! The query of a page of invoices.

use ::invoices::{InvoiceFilter, InvoiceNumber, InvoiceSearch, InvoiceStatus};
use diesel::dsl::IntoBoxed;
use diesel::prelude::*;
use diesel::sql_types::{Bool, Nullable};
use kernel::Named as _;
use store_schema::schema::invoices;
use store_schema::types::{RowDay, RowId};

use crate::dialect::Db;

/// A page of a list of invoices, newest first.
pub(crate) struct Wanted {
    pub(crate) account: RowId,
    pub(crate) filter: InvoiceFilter,
    /// The contacts that match the search of the filter.
    pub(crate) found_contacts: Vec<RowId>,
    pub(crate) after: Option<RowId>,
    pub(crate) limit: i64,
}

/// The account's invoices that match the filter. Each condition is written so that an index that begins with
/// the account and ends with the id can serve it.
pub(crate) fn matching(wanted: &Wanted) -> IntoBoxed<'_, invoices::table, Db> {
    let filter = &wanted.filter;
    let mut query = invoices::table
        .into_boxed::<Db>()
        .filter(invoices::account_id.eq(wanted.account))
        .order(invoices::id.desc())
        .limit(wanted.limit);
    query = match filter.statuses.as_slice() {
        [] => query,
        [status] => query.filter(invoices::status.eq(status.as_str())),
        statuses => {
            let names = statuses.iter().map(|status: &InvoiceStatus| status.as_str());
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
    if let Some(search) = &filter.search {
        query = query.filter(found(wanted, search));
    }
    if let Some(last) = wanted.after {
        query = query.filter(invoices::id.lt(last));
    }
    query
}

/// The invoices that match a search. Each arm names the account, so that an index serves each.
fn found<'a>(
    wanted: &'a Wanted,
    search: &'a InvoiceSearch,
) -> Box<dyn BoxableExpression<invoices::table, Db, SqlType = Nullable<Bool>> + 'a> {
    let of = || invoices::account_id.eq(wanted.account);
    let numbers: Vec<&str> = search.numbers.iter().map(InvoiceNumber::as_str).collect();
    let by_number = of().and(invoices::number.eq_any(numbers));
    let by_reference = of().and(invoices::reference.eq(search.text.text()));
    let by_contact = of().and(invoices::contact_id.eq_any(wanted.found_contacts.clone()));
    Box::new(by_number.nullable().or(by_reference).or(by_contact))
}
