//! `POST /invoices/{id}/cancel`.

use access::AccountCaller;
use actix_web::HttpResponse;
use http_server::{ApiError, ErrorCode};
use invoices::CancelInvoiceError;

use super::view::InvoiceView;
use crate::extract::{AuthenticatedWrite, path_id};
use crate::operation::Operation;
use crate::respond::ok;

pub(super) fn operation() -> Operation {
    Operation::new(__path_cancel, cancel).errors(&[ErrorCode::InvoiceNotCancellable, ErrorCode::NotFound])
}

/// Cancel an invoice
///
/// The invoice becomes `CANCELLED` and its `amount_due` zero; nothing is deleted, and its payments stay. An
/// invoice that is already `PAID` or `CANCELLED` is refused and stays as it is. The request has no body, and
/// an `Idempotency-Key` is ignored.
#[utoipa::path(
    post, path = "/invoices/{id}/cancel", operation_id = "cancelInvoice",
    responses((status = 200, description = "The cancelled invoice", body = InvoiceView)),
)]
pub(crate) async fn cancel(request: AuthenticatedWrite<AccountCaller>) -> Result<HttpResponse, ApiError> {
    let id = path_id(&request.http)?;
    let cancelling = request.state.invoicing.cancel(request.caller.scope(), id, None);
    let invoice = cancelling.await.map_err(to_api_error)?;
    Ok(ok(&InvoiceView::new(&invoice, &request.state.urls)))
}

fn to_api_error(error: CancelInvoiceError) -> ApiError {
    let code = match error {
        CancelInvoiceError::NotFound => ErrorCode::NotFound,
        CancelInvoiceError::Changed => ErrorCode::Conflict,
        CancelInvoiceError::NotCancellable(_) => ErrorCode::InvoiceNotCancellable,
        CancelInvoiceError::Store(error) => return error.into(),
    };
    ApiError::new(code, error.to_string())
}

#[cfg(test)]
mod tests;
