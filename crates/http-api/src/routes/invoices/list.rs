//! `GET /invoices`.

use access::AccountCaller;
use actix_web::{HttpRequest, HttpResponse, web};
use utoipa::ToSchema;

use super::list_body::{LargePage, Pieces};
use super::list_parameters::{InvoiceListParameters, Listing, scope_of_cursors};
use super::list_room::ListRoom;
use super::view::InvoiceView;
use crate::error::{ApiError, Code};
use crate::extract::Authenticated;
use crate::state::AppState;

/// What this operation refuses besides what every operation does.
pub(crate) const ERRORS: [Code; 1] = [Code::ValidationError];

/// One page of invoices, as the document describes it. [`Pieces`] writes it.
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

/// List invoices
///
/// The account's invoices, newest first by creation, with their lines and payments. Following `next_cursor` until `has_more` is
/// false walks the whole list; invoices that are created meanwhile neither hide nor repeat one.
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
    room: web::Data<ListRoom>,
    request: Authenticated<AccountCaller>,
    line: HttpRequest,
) -> Result<HttpResponse, ApiError> {
    let scope = request.caller.scope();
    let wanted = Listing::read(line.query_string(), &state.cursors, scope.id)?;
    let taken = room.for_page(wanted.size).await?;
    let listing = state
        .invoicing
        .list(scope, &wanted.filter, wanted.size, wanted.after);
    let page = listing.await?;
    let seal = |cursor| state.cursors.seal(&scope_of_cursors(scope.id), cursor);
    let next_cursor = page.next.map(seal);
    let pieces = Pieces::new(page.items, next_cursor.as_deref(), &state.urls);
    let mut answer = HttpResponse::Ok();
    answer.content_type("application/json");
    let answer = match pieces.whole() {
        Ok(text) => answer.body(text),
        Err(pieces) => {
            let place = room.for_large_page()?;
            answer.body(LargePage::new(pieces, place, state.deadline))
        }
    };
    drop(taken);
    Ok(answer)
}
