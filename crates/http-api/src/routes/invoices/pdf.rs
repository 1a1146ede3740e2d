//! `GET /invoices/{id}/pdf`.

mod file_name;

use access::AccountCaller;
use actix_web::http::header::CONTENT_DISPOSITION;
use actix_web::{HttpRequest, HttpResponse, web};
use utoipa::ToSchema;

use crate::error::{ApiError, Code};
use crate::extract::Authenticated;
use crate::routes::path_id::path_id;
use crate::state::AppState;

/// What this operation refuses besides what every operation does.
pub(crate) const ERRORS: [Code; 2] = [Code::ValidationError, Code::NotFound];

/// A PDF (ISO 32000).
#[derive(ToSchema)]
#[schema(value_type = String, format = Binary)]
#[expect(dead_code, reason = "describes the answer and never holds it")]
pub(crate) struct PdfFile(Vec<u8>);

/// Read an invoice as a PDF
///
/// The invoice as it is now, laid out on A4 under the account's letterhead of today: what the contact gets by mail. Errors are JSON.
#[utoipa::path(
    get,
    path = "/invoices/{id}/pdf",
    tag = "Invoices",
    operation_id = "getInvoicePdf",
    params(("id" = uuid::Uuid, Path, description = "The invoice's id")),
    responses((
        status = 200,
        description = "The invoice as a PDF",
        content_type = "application/pdf",
        body = inline(PdfFile),
        headers(("Content-Disposition" = String, description = "`inline`, with a file name made of the invoice's number"))
    )),
    security(("account_key" = []))
)]
pub(crate) async fn pdf(
    state: web::Data<AppState>,
    request: Authenticated<AccountCaller>,
    path: HttpRequest,
) -> Result<HttpResponse, ApiError> {
    let id = path_id(&path)?;
    let pdf_request = state
        .invoicing
        .pdf_request(request.caller.scope(), id)
        .await?;
    let disposition = file_name::inline(&pdf_request.invoice.number);
    // PdfRequest computes for as long as the invoice is large, and the other requests of this thread are not to wait for it.
    let drawn = web::block(move || pdf_request.render()).await;
    let document = drawn.map_err(|lost| ApiError::failed(Code::InternalError, lost))??;
    Ok(HttpResponse::Ok()
        .content_type("application/pdf")
        .insert_header((CONTENT_DISPOSITION, disposition))
        .body(document))
}

#[cfg(test)]
mod tests;
