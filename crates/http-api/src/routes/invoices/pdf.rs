//! `GET /invoices/{id}/pdf`.

use access::AccountCaller;
use actix_web::HttpResponse;
use http_server::{ApiError, ErrorCode, pdf_response};
use invoices::PdfError;
use utoipa::ToSchema;

use crate::extract::{Authenticated, path_id};
use crate::operation::Operation;

/// A PDF (ISO 32000).
#[derive(ToSchema)]
#[schema(value_type = String, format = Binary)]
#[expect(dead_code, reason = "describes the response and never holds it")]
pub(crate) struct PdfFile(Vec<u8>);

pub(super) fn operation() -> Operation {
    Operation::new(__path_pdf, pdf).errors(&[ErrorCode::NotFound])
}

/// Read an invoice as a PDF
///
/// The invoice as it is now, on A4 with the account's current letterhead, as the contact gets it by mail.
/// Errors are JSON.
#[utoipa::path(
    get, path = "/invoices/{id}/pdf", operation_id = "getInvoicePdf",
    responses((
        status = 200,
        description = "The invoice as a PDF",
        content_type = "application/pdf",
        body = inline(PdfFile),
        headers(("Content-Disposition" = String, description = "`inline`, with a file name made of the invoice's number"))
    )),
)]
pub(crate) async fn pdf(request: Authenticated<AccountCaller>) -> Result<HttpResponse, ApiError> {
    let making = request.state.pdfs.pdf(request.caller.scope(), path_id(&request.http)?);
    let pdf = making.await.map_err(|error| match error {
        PdfError::Read(error) => error.into(),
        PdfError::Document(error) => ApiError::internal(error),
    })?;
    Ok(pdf_response(pdf.number.as_str(), pdf.bytes))
}

#[cfg(test)]
mod tests;
