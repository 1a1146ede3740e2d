//! `POST /invoices/{id}/cancel`.

use access::AccountCaller;
use actix_web::{HttpRequest, HttpResponse, web};

use super::view::InvoiceView;
use crate::answer::{done, response};
use crate::error::{ApiError, Code};
use crate::extract::Bodiless;
use crate::routes::path_id::path_id;
use crate::state::AppState;

/// What this operation refuses besides what every operation does.
pub(crate) const ERRORS: [Code; 4] = [
    Code::ValidationError,
    Code::InvoiceNotCancellable,
    Code::NotFound,
    Code::PayloadTooLarge,
];

/// Cancel an invoice
///
/// The invoice becomes `CANCELLED` and its `amount_due` zero; nothing is deleted, and its payments stay. An invoice that is `PAID`
/// or `CANCELLED` already is refused and stays as it is. There is no body, and an `Idempotency-Key` is ignored.
#[utoipa::path(
    post,
    path = "/invoices/{id}/cancel",
    tag = "Invoices",
    operation_id = "cancelInvoice",
    params(("id" = uuid::Uuid, Path, description = "The invoice's id")),
    responses((status = 200, description = "The cancelled invoice", body = InvoiceView)),
    security(("account_key" = []))
)]
pub(crate) async fn cancel(
    state: web::Data<AppState>,
    request: Bodiless<AccountCaller>,
    path: HttpRequest,
) -> Result<HttpResponse, ApiError> {
    let id = path_id(&path)?;
    let invoice = state.invoicing.cancel(request.caller.scope(), id).await?;
    Ok(response(done(&InvoiceView::new(&invoice, &state.urls))))
}

#[cfg(test)]
mod tests;
