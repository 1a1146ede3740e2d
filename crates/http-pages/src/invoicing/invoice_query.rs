//! The filter of the invoice list, read from the query of its URL.

use invoices::{InvoiceFilter, InvoiceNumber, InvoiceSearch, InvoiceStatus};
use kernel::{AccountId, AccountScope, FieldErrors, FieldSource as _};

use super::contact::to_page_error;
use crate::forms::{FormFields, FormReader, PageError};
use crate::state::PagesState;

/// The names of the filter's query parameters.
const NAMES: [&str; 6] = ["q", "status", "contact", "number", "from", "to"];

/// Reads the filter from the fields of a query.
///
/// # Errors
/// Every faulty field.
pub(super) fn read(fields: &FormFields, scope: &AccountScope) -> Result<InvoiceFilter, FieldErrors> {
    let mut reader = FormReader::new(fields);
    let statuses = reader
        .text("status", |text| text.split(',').map(InvoiceStatus::parse).collect::<Result<Vec<_>, _>>());
    let filter = InvoiceFilter {
        statuses: statuses.value().unwrap_or_default(),
        contact: reader.id("contact").value(),
        number: reader.text("number", InvoiceNumber::parse).value(),
        date_from: reader.date("from").value(),
        date_to: reader.date("to").value(),
        search: InvoiceSearch::parse(fields.get("q"), scope),
    };
    if filter.date_from.zip(filter.date_to).is_some_and(|(from, to)| to < from) {
        reader.fault("to", "must not be before the first day");
    }
    reader.into_faults().into_result()?;
    Ok(filter)
}

/// Checks that the contact of a filter exists.
///
/// # Errors
/// When the account has no such contact.
pub(super) async fn check_contact(
    filter: &InvoiceFilter,
    state: &PagesState,
    scope: &AccountScope,
) -> Result<(), PageError> {
    match filter.contact {
        Some(contact) => state.contacts.get(scope, contact).await.map(drop).map_err(to_page_error),
        None => Ok(()),
    }
}

/// The filter's part of a query, encoded again; empty when there is no filter.
pub(super) fn conditions(fields: &FormFields) -> String {
    let given = NAMES.map(|name| (name, fields.get(name)));
    form_urlencoded::Serializer::new(String::new())
        .extend_pairs(given.into_iter().filter(|(_, text)| !text.is_empty()))
        .finish()
}

/// A query with this filter that starts after a cursor.
pub(super) fn with_cursor(conditions: &str, cursor: &str) -> String {
    let mut query = form_urlencoded::Serializer::new(conditions.to_owned());
    query.append_pair("cursor", cursor).finish()
}

/// The scope of the list's cursors.
pub(super) fn cursor_scope(account: AccountId) -> String {
    format!("dashboard-invoices:{account}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_keep_what_was_given_without_the_cursor_and_other_names() {
        let fields = FormFields::parse(b"q=a%26b&status=&cursor=x&from=2026-01-01&other=1").unwrap();
        assert_eq!(conditions(&fields), "q=a%26b&from=2026-01-01");
        assert_eq!(with_cursor("q=a", "z"), "q=a&cursor=z");
        assert_eq!(with_cursor("", "z"), "cursor=z");
    }
}
