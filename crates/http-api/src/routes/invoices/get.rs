//! `GET /invoices/{id}`.

use actix_web::{HttpRequest, HttpResponse, web};
use http_server::{ApiError, ErrorCode};
use kernel::AccountScope;

use super::view::InvoiceView;
use crate::extract::{path_id, read_ahead};
use crate::operation::Operation;
use crate::respond::ok;
use crate::state::AppState;

pub(super) fn operation() -> Operation {
    Operation::new(__path_get, get).errors(&[ErrorCode::NotFound])
}

/// Read an invoice
///
/// One invoice of the account, with its lines and payments.
#[utoipa::path(
    get, path = "/invoices/{id}", operation_id = "getInvoice",
    responses((status = 200, description = "The invoice", body = InvoiceView)),
)]
pub(crate) async fn get(state: web::Data<AppState>, request: HttpRequest) -> Result<HttpResponse, ApiError> {
    let read = async |scope: &AccountScope| Ok(state.invoicing.get(scope, path_id(&request)?).await?);
    let invoice = read_ahead(&request, read).await?;
    Ok(ok(&InvoiceView::new(&invoice, &state.urls)))
}
