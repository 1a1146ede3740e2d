//! The query of a page of invoices.

use ::invoices::{InvoiceFilter, InvoiceNumber, InvoiceSearch, InvoiceStatus};
use diesel::dsl::IntoBoxed;
use diesel::prelude::*;
use diesel::sql_types::{Bool, Nullable};
use kernel::Named as _;
use store_schema::schema::{contacts, invoices};
use store_schema::types::{RowDay, RowId};

use super::contact_search;
use crate::dialect::Db;

/// A page of a list of invoices, newest first.
pub(crate) struct Wanted {
    pub(crate) account: RowId,
    pub(crate) filter: InvoiceFilter,
    pub(crate) found_contacts: FoundContacts,
    pub(crate) after: Option<RowId>,
    pub(crate) limit: i64,
}

/// The contacts that match the search of a filter.
pub(crate) enum FoundContacts {
    /// These.
    Few(Vec<RowId>),
    /// More than [`MAX_FEW`](Self::MAX_FEW).
    Many,
}

impl FoundContacts {
    /// How many contacts are few.
    pub(crate) const MAX_FEW: usize = 100;
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

/// The invoices that match a search.
fn found<'a>(
    wanted: &'a Wanted,
    search: &'a InvoiceSearch,
) -> Box<dyn BoxableExpression<invoices::table, Db, SqlType = Nullable<Bool>> + 'a> {
    let numbers: Vec<&str> = search.numbers.iter().map(InvoiceNumber::as_str).collect();
    match &wanted.found_contacts {
        FoundContacts::Few(contacts) => {
            // Each part names the account, so that an index serves each. SQLite uses no index for conditions
            // that are combined by OR.
            let named = diesel::alias!(invoices as named);
            let ids = || {
                let of_account = named.filter(named.field(invoices::account_id).eq(wanted.account));
                of_account.select(named.field(invoices::id))
            };
            let by_number = ids().filter(named.field(invoices::number).eq_any(numbers));
            let by_reference = ids().filter(named.field(invoices::reference).eq(search.text.text()));
            let by_contact = ids().filter(named.field(invoices::contact_id).eq_any(contacts));
            let all = by_number.union_all(by_reference).union_all(by_contact);
            Box::new(invoices::id.eq_any(all).nullable())
        }
        FoundContacts::Many => {
            // A page of their invoices is read sooner along the list than all of them are found.
            let by_number = invoices::number.eq_any(numbers);
            let by_reference = invoices::reference.eq(search.text.text());
            let contacts = contact_search::matching(wanted.account, Some(&search.text));
            let by_contact = invoices::contact_id.eq_any(contacts.select(contacts::id.nullable()));
            Box::new(by_number.nullable().or(by_reference).or(by_contact))
        }
    }
}
