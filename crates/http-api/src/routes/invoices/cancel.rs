//! `POST /invoices/{id}/cancel`.

use access::AccountCaller;
use actix_web::{HttpRequest, HttpResponse, web};
use http_server::{ApiError, ErrorCode};
use invoices::CancelInvoiceError;

use super::view::InvoiceView;
use crate::extract::{AuthenticatedWrite, path_id};
use crate::operation::Operation;
use crate::respond::ok;
use crate::state::AppState;

pub(super) fn operation() -> Operation {
    Operation::new(__path_cancel, cancel).errors(&[ErrorCode::InvoiceNotCancellable, ErrorCode::NotFound])
}

/// Cancel an invoice
///
/// The invoice becomes `CANCELLED` and its `amount_due` zero; nothing is deleted, and its payments stay. An
/// invoice that is `PAID` or `CANCELLED` already is refused and stays as it is. There is no body, and an
/// `Idempotency-Key` is ignored.
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
    request: AuthenticatedWrite<AccountCaller>,
    path: HttpRequest,
) -> Result<HttpResponse, ApiError> {
    let id = path_id(&path)?;
    let cancelling = state.invoicing.cancel(request.caller.scope(), id);
    let invoice = cancelling.await.map_err(to_api_error)?;
    Ok(ok(&InvoiceView::new(&invoice, &state.urls)))
}

fn to_api_error(error: CancelInvoiceError) -> ApiError {
    let code = match error {
        CancelInvoiceError::NotFound => ErrorCode::NotFound,
        CancelInvoiceError::NotCancellable(_) => ErrorCode::InvoiceNotCancellable,
        CancelInvoiceError::Store(error) => return error.into(),
    };
    ApiError::new(code, error.to_string())
}

#[cfg(test)]
mod tests;
