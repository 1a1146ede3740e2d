//! The query parameters of `GET /invoices`.

use http_server::ApiError;
use invoices::{InvoiceFilter, InvoiceNumber, InvoiceStatus};
use kernel::clock::{NOT_A_DATE, parse_date};
use kernel::{AccountId, Cursor, CursorKey, Id, PageSize};
use time::Date;
use utoipa::IntoParams;

use crate::query::Query;

/// The parameters as the OpenAPI document describes them.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "describes the parameters and never holds them")]
pub(crate) struct InvoiceListParameters {
    /// One status or a comma-separated list of statuses, in upper or lower case.
    #[param(required = false, example = "UNPAID,OVERDUE")]
    status: String,
    /// Only invoices of this contact.
    #[param(required = false)]
    contact_id: uuid::Uuid,
    /// Only the invoice with exactly this number.
    #[param(required = false, max_length = 50, example = "INV-0042")]
    invoice_number: String,
    /// Only invoices dated on this day or later.
    #[param(required = false, value_type = String, format = Date, example = "2026-11-01")]
    date_from: String,
    /// Only invoices dated on this day or earlier; not before `date_from`.
    #[param(required = false, value_type = String, format = Date, example = "2026-11-30")]
    date_to: String,
    /// The size of a page. Values above 100 count as 100.
    #[param(required = false, minimum = 1, default = 25)]
    limit: u32,
    /// The `next_cursor` of the previous page; opaque.
    #[param(required = false)]
    cursor: String,
}

/// The parsed parameters of a request.
#[derive(Debug)]
pub(super) struct ListRequest {
    pub(super) filter: InvoiceFilter,
    pub(super) size: PageSize,
    pub(super) after: Option<Cursor>,
}

impl ListRequest {
    /// Reads the parameters.
    ///
    /// # Errors
    /// A validation error that names every faulty parameter.
    pub(super) fn read(query: &str, cursors: &CursorKey, account: AccountId) -> Result<Self, ApiError> {
        let mut query = Query::of(query);
        let filter = InvoiceFilter {
            statuses: query.get("status", statuses).unwrap_or_default(),
            contact: query.get("contact_id", |text| Id::parse(text.trim()).ok_or("must be a UUID")),
            number: query.get("invoice_number", InvoiceNumber::parse),
            date_from: query.get("date_from", date),
            date_to: query.get("date_to", date),
            search: None,
        };
        let size = query.page_size();
        let after = query.get("cursor", |text| cursors.open(&cursor_scope(account), text));
        if filter.date_from.zip(filter.date_to).is_some_and(|(from, to)| to < from) {
            query.note("date_to", "must not be before date_from");
        }
        query.finish()?;
        Ok(Self { filter, size, after })
    }
}

/// The scope of cursors: a cursor is refused in another account's list.
pub(super) fn cursor_scope(account: AccountId) -> String {
    format!("invoices:{account}")
}

fn statuses(text: &str) -> Result<Vec<InvoiceStatus>, String> {
    let mut statuses = Vec::new();
    for name in text.split(',') {
        let status = InvoiceStatus::parse(name).map_err(|fault| {
            // A wrong name is shortened for the message.
            let shown: String = name.trim().chars().take(40).collect();
            format!("{shown:?}: {fault}")
        })?;
        if !statuses.contains(&status) {
            statuses.push(status);
        }
    }
    Ok(statuses)
}

fn date(text: &str) -> Result<Date, &'static str> {
    parse_date(text.trim()).ok_or(NOT_A_DATE)
}

#[cfg(test)]
mod tests;
