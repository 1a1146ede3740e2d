//! `/dashboard/invoices/export.csv`: every invoice that matches the filter of the list.

use std::future::ready;

use actix_web::http::header::CONTENT_DISPOSITION;
use actix_web::web::{Bytes, Data};
use actix_web::{HttpRequest, HttpResponse};
use futures_util::StreamExt as _;
use futures_util::stream::{once, try_unfold};
use http_server::ApiError;
use invoices::{InvoiceFilter, InvoiceSummary};
use kernel::clock::date_text;
use kernel::{AccountScope, Cursor, Named as _, PageSize};

use super::invoice_query;
use crate::forms::{FormFields, PageResult};
use crate::page::put_headers;
use crate::session_caller::SessionCaller;
use crate::state::PagesState;

const COLUMNS: [&str; 13] = [
    "id", "number", "status", "contact", "invoice_date", "due_date", "currency", "sub_total", "tax_total",
    "total", "amount_paid", "amount_due", "reference",
];

/// The rest of an export. Only one page of the list is in memory at a time, whatever the number of invoices.
struct Export {
    state: Data<PagesState>,
    scope: AccountScope,
    filter: InvoiceFilter,
    /// Where the next page starts.
    next: Option<Cursor>,
    is_first: bool,
}

pub(super) async fn csv(caller: SessionCaller, http: HttpRequest) -> PageResult {
    let (state, scope) = (caller.state().clone(), caller.scope().clone());
    let fields = FormFields::of_query(&http)?;
    let filter = invoice_query::read(&fields, &scope).map_err(ApiError::invalid)?;
    invoice_query::check_contact(&filter, &state, &scope).await?;
    let mut export = Export { state, scope, filter, next: None, is_first: true };
    // Read the first page here, so that an error in it becomes an error response.
    let first = export.page().await?;
    let rest = try_unfold(export, async |mut export: Export| {
        if export.next.is_none() {
            return Ok(None);
        }
        let page =
            export.page().await.inspect_err(|error| tracing::error!(%error, "an export ended early"))?;
        Ok::<_, actix_web::Error>(Some((page, export)))
    });
    let first = once(ready(Ok(first)));
    let mut response = HttpResponse::Ok()
        .content_type("text/csv; charset=utf-8")
        .insert_header((CONTENT_DISPOSITION, "attachment; filename=\"invoices.csv\""))
        .streaming(first.chain(rest));
    put_headers(response.headers_mut(), None);
    Ok(response)
}

impl Export {
    async fn page(&mut self) -> Result<Bytes, ApiError> {
        let after = self.next.take();
        let size = page_size(&self.filter);
        let page = self.state.invoicing.summaries(&self.scope, &self.filter, size, after).await?;
        self.next = page.next;
        let header = std::mem::replace(&mut self.is_first, false);
        rows(header, &page.items).map_err(ApiError::internal)
    }
}

/// Each page looks for the contacts that match a search. Without one, small pages take less memory.
const fn page_size(filter: &InvoiceFilter) -> PageSize {
    if filter.search.is_some() { PageSize::EXPORT_OF_SEARCH } else { PageSize::MAX }
}

fn rows(header: bool, invoices: &[InvoiceSummary]) -> Result<Bytes, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    if header {
        writer.write_record(COLUMNS)?;
    }
    for invoice in invoices {
        writer.write_record(row(invoice))?;
    }
    let written = writer.into_inner().map_err(|error| csv::Error::from(error.into_error()))?;
    Ok(written.into())
}

fn row(invoice: &InvoiceSummary) -> [String; COLUMNS.len()] {
    let contact = invoice.contact.as_ref().map(|contact| contact.name.as_str());
    let reference = invoice.reference.as_ref().map(|reference| reference.as_str());
    [
        invoice.id.to_string(),
        text(invoice.number.as_str()),
        invoice.status.as_str().to_owned(),
        text(contact.unwrap_or_default()),
        date_text(invoice.invoice_date),
        date_text(invoice.due_date),
        invoice.currency.code().to_owned(),
        invoice.totals.sub_total.to_string(),
        invoice.totals.tax_total.to_string(),
        invoice.totals.total.to_string(),
        invoice.amount_paid.to_string(),
        invoice.amount_due.to_string(),
        text(reference.unwrap_or_default()),
    ]
}

/// The signs with which a formula begins, and their full-width forms.
const SIGNS: [char; 8] = ['=', '+', '-', '@', '＝', '＋', '－', '＠'];

/// Escapes text that a spreadsheet would take for a formula (OWASP, "CSV Injection"), also behind a semicolon
/// or a tab, at which some spreadsheets begin another cell.
fn text(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    let mut begins_cell = true;
    for letter in text.chars() {
        if begins_cell && SIGNS.contains(&letter) {
            escaped.push('\'');
        }
        escaped.push(letter);
        // A quote or a blank at the beginning of a cell is left out of it.
        begins_cell = matches!(letter, ';' | '\t') || (begins_cell && matches!(letter, '"' | ' '));
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_that_begins_like_a_formula_gets_an_apostrophe() {
        for formula in ["=1+1", "+1", "-1", "@SUM(A1)", "＝1", "＠SUM(A1)"] {
            assert_eq!(text(formula), format!("'{formula}"));
        }
        assert_eq!(text("Ada;=HYPERLINK(A1);x;\t-1"), "Ada;'=HYPERLINK(A1);x;\t'-1");
        assert_eq!(text("Ada;\"=1; +2"), "Ada;\"'=1; '+2");
        assert_eq!(text("INV-0001 = 5"), "INV-0001 = 5");
    }

    #[test]
    fn header_is_written_once() {
        assert_eq!(rows(true, &[]).unwrap(), format!("{}\n", COLUMNS.join(",")));
        assert!(rows(false, &[]).unwrap().is_empty());
    }
}
