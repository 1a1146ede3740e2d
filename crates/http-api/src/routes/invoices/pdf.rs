//! `GET /invoices/{id}/pdf`.

mod file_name;

use access::AccountCaller;
use actix_web::http::header::CONTENT_DISPOSITION;
use actix_web::{HttpRequest, HttpResponse, web};
use http_server::{ApiError, ErrorCode};
use invoices::PdfError;
use utoipa::ToSchema;

use super::get::to_api_error;
use crate::extract::{Authenticated, path_id};
use crate::operation::Operation;
use crate::state::AppState;

/// A PDF (ISO 32000).
#[derive(ToSchema)]
#[schema(value_type = String, format = Binary)]
#[expect(dead_code, reason = "describes the answer and never holds it")]
pub(crate) struct PdfFile(Vec<u8>);

pub(super) fn operation() -> Operation {
    Operation::new(__path_pdf, pdf).errors(&[ErrorCode::NotFound])
}

/// Read an invoice as a PDF
///
/// The invoice as it is now, laid out on A4 under the account's letterhead of today: what the contact gets by
/// mail. Errors are JSON.
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
    let making = state.pdfs.pdf(request.caller.scope(), id);
    let pdf = making.await.map_err(pdf_error)?;
    Ok(HttpResponse::Ok()
        .content_type("application/pdf")
        .insert_header((CONTENT_DISPOSITION, file_name::inline(&pdf.number)))
        .body(pdf.bytes))
}

fn pdf_error(error: PdfError) -> ApiError {
    match error {
        PdfError::Read(error) => to_api_error(error),
        PdfError::Document(error) => ApiError::failed(ErrorCode::InternalError, error),
    }
}

#[cfg(test)]
mod tests;
