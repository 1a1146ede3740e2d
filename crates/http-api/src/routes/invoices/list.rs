//! `GET /invoices`.

use access::AccountCaller;
use actix_web::{HttpRequest, HttpResponse, web};
use http_server::{ApiError, ServerState};
use kernel::clock::NOT_A_DATE;
use utoipa::ToSchema;

use super::list_page::{LargePage, PageWriter};
use super::list_parameters::{InvoiceListParameters, ListRequest, cursor_scope};
use super::view::InvoiceView;
use crate::extract::Authenticated;
use crate::operation::Operation;
use crate::state::AppState;

/// One page of invoices, as the document describes it. [`PageWriter`] writes it.
#[derive(ToSchema)]
#[schema(as = InvoiceList, description = "One page of invoices.")]
#[expect(dead_code, reason = "describes the page and never holds it")]
pub(crate) struct InvoiceListView {
    /// The invoices, newest first.
    data: Vec<InvoiceView>,
    /// What to send as `cursor` for the next page; null on the last page.
    next_cursor: Option<String>,
    /// Whether there is a next page. Stop on this, not on an empty page.
    has_more: bool,
}

pub(super) fn operation() -> Operation {
    Operation::new(__path_list, list).faulty_field("date_from", NOT_A_DATE)
}

/// List invoices
///
/// The account's invoices, newest first by creation, with their lines and payments. Following `next_cursor`
/// until `has_more` is false walks the whole list; invoices that are created meanwhile neither hide nor
/// repeat one.
#[utoipa::path(
    get,
    path = "/invoices",
    tag = "Invoices",
    operation_id = "listInvoices",
    params(InvoiceListParameters),
    responses((status = 200, description = "One page of invoices", body = InvoiceListView)),
    security(("account_key" = []))
)]
pub(crate) async fn list(
    state: web::Data<AppState>,
    server: web::Data<ServerState>,
    request: Authenticated<AccountCaller>,
    http: HttpRequest,
) -> Result<HttpResponse, ApiError> {
    let scope = request.caller.scope();
    let ListRequest { filter, size, after } =
        ListRequest::read(http.query_string(), &state.cursors, scope.id)?;
    let _reserved = state.list_memory.reserve(size).await?;
    let page = state.invoicing.list(scope, &filter, size, after).await?;
    let seal = |cursor| state.cursors.seal(&cursor_scope(scope.id), cursor);
    let next_cursor = page.next.map(seal);
    let page = PageWriter::new(page.items, next_cursor.as_deref(), &state.urls);
    let mut answer = HttpResponse::Ok();
    answer.content_type("application/json");
    Ok(match page.write_small() {
        Ok(body) => answer.body(body),
        Err(page) => {
            let permit = state.list_memory.reserve_large_page()?;
            answer.body(LargePage::new(page, permit, server.deadline))
        }
    })
}
