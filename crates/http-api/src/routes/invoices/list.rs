//! `GET /invoices`.

use access::AccountCaller;
use actix_web::{HttpResponse, web};
use http_server::{ApiError, ServerState};
use kernel::clock::NOT_A_DATE;
use utoipa::ToSchema;

use super::list_page::{LargePage, PageWriter};
use super::list_parameters::{InvoiceListParameters, ListRequest, cursor_scope};
use super::view::InvoiceView;
use crate::extract::Authenticated;
use crate::operation::Operation;

/// One page of invoices, as the OpenAPI document describes it. [`PageWriter`] writes it.
#[derive(ToSchema)]
#[schema(as = InvoiceList, description = "One page of invoices.")]
#[expect(dead_code, reason = "describes the page and never holds it")]
pub(crate) struct InvoiceListView {
    /// The invoices, newest first.
    data: Vec<InvoiceView<'static>>,
    /// The value of `cursor` for the next page; null on the last page.
    next_cursor: Option<String>,
    /// Whether there is a next page. Stop when it is false, not at an empty page.
    has_more: bool,
}

pub(super) fn operation() -> Operation {
    Operation::new(__path_list, list).faulty_field("date_from", NOT_A_DATE)
}

/// List invoices
///
/// The account's invoices, newest first by creation, with their lines and payments. Follow `next_cursor`
/// until `has_more` is false to read the whole list; invoices created meanwhile cause no gaps or repetitions.
#[utoipa::path(
    get, path = "/invoices", operation_id = "listInvoices",
    params(InvoiceListParameters),
    responses((status = 200, description = "One page of invoices", body = InvoiceListView)),
)]
pub(crate) async fn list(
    server: web::Data<ServerState>,
    request: Authenticated<AccountCaller>,
) -> Result<HttpResponse, ApiError> {
    let (state, scope) = (&request.state, request.caller.scope());
    let ListRequest { filter, size, after } =
        ListRequest::read(request.http.query_string(), &state.cursors, scope.id)?;
    let mut reserved = state.list_memory.reserve(scope.id, size).await?;
    let page = state.invoicing.list(scope, &filter, size, after).await?;
    reserved.keep(page.items.len());
    let next_cursor = page.next.map(|cursor| state.cursors.seal(&cursor_scope(scope.id), cursor));
    let page = PageWriter::new(page.items, next_cursor.as_deref(), &state.urls);
    let mut response = HttpResponse::Ok();
    response.content_type("application/json");
    Ok(match page.write_small() {
        Ok(body) => response.body(body),
        Err(page) => {
            let permit = reserved.for_large_page()?;
            response.body(LargePage::new(page, permit, server.deadline))
        }
    })
}
