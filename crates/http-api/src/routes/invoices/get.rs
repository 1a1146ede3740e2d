//! `GET /invoices/{id}`.

use actix_web::{HttpRequest, HttpResponse, web};
use kernel::AccountScope;

use super::view::InvoiceView;
use crate::answer::{done, response};
use crate::error::{ApiError, Code};
use crate::extract::read_ahead;
use crate::routes::path_id::path_id;
use crate::state::AppState;

/// What this operation refuses besides what every operation does.
pub(crate) const ERRORS: [Code; 2] = [Code::ValidationError, Code::NotFound];

/// Read an invoice
///
/// One invoice of the account, with its lines and payments.
#[utoipa::path(
    get,
    path = "/invoices/{id}",
    tag = "Invoices",
    operation_id = "getInvoice",
    params(("id" = uuid::Uuid, Path, description = "The invoice's id")),
    responses((status = 200, description = "The invoice", body = InvoiceView)),
    security(("account_key" = []))
)]
pub(crate) async fn get(
    state: web::Data<AppState>,
    request: HttpRequest,
) -> Result<HttpResponse, ApiError> {
    let read = async |scope: &AccountScope| {
        let id = path_id(&request)?;
        Ok(state.invoicing.get(scope, id).await?)
    };
    let invoice = read_ahead(&request, read).await?;
    Ok(response(done(&InvoiceView::new(&invoice, &state.urls))))
}
