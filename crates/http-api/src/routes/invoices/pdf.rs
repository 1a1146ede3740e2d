//! `GET /invoices/{id}/pdf`.

use access::AccountCaller;
use actix_web::HttpResponse;
use actix_web::http::header::{
    CONTENT_DISPOSITION, Charset, ContentDisposition, DispositionParam, DispositionType, ExtendedValue,
};
use http_server::{ApiError, ErrorCode};
use invoices::{InvoiceNumber, PdfError};
use utoipa::ToSchema;

use super::get::to_api_error;
use crate::extract::{Authenticated, path_id};
use crate::operation::Operation;

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
        PdfError::Read(error) => to_api_error(error),
        PdfError::Document(error) => ApiError::failed(ErrorCode::InternalError, error),
    })?;
    Ok(HttpResponse::Ok()
        .content_type("application/pdf")
        .insert_header((CONTENT_DISPOSITION, inline(&pdf.number)))
        .body(pdf.bytes))
}

/// `inline` (RFC 6266), with a file name made of the invoice's number: letters, digits, `-`, `_` and `.` stay,
/// any other character becomes a hyphen. Letters beyond ASCII are in `filename*`, which clients that
/// understand it prefer.
fn inline(number: &InvoiceNumber) -> ContentDisposition {
    let plain = file_name(number, |c| c.is_ascii_alphanumeric());
    let full = file_name(number, char::is_alphanumeric);
    let mut parameters = vec![DispositionParam::Filename(plain.clone())];
    if full != plain {
        parameters.push(DispositionParam::FilenameExt(ExtendedValue {
            charset: Charset::Ext("UTF-8".to_owned()),
            language_tag: None,
            value: full.into_bytes(),
        }));
    }
    ContentDisposition { disposition: DispositionType::Inline, parameters }
}

fn file_name(number: &InvoiceNumber, is_safe: impl Fn(char) -> bool) -> String {
    let replace = |c: char| {
        if is_safe(c) || matches!(c, '-' | '_' | '.') { c } else { '-' }
    };
    let number: String = number.as_str().chars().map(replace).collect();
    format!("invoice-{number}.pdf")
}

#[cfg(test)]
mod tests;
