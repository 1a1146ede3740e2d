//! `/pay/{token}`: the payment page of an invoice, for anyone who has its token.

use actix_web::HttpResponse;
use actix_web::web::ServiceConfig;
use http_server::{ApiError, ErrorCode, get, pdf_response, read_only};
use invoices::PayerPdfError;
use pages::PaymentPage;

use crate::page::{put_headers, render};
use crate::payer_request::PayerRequest;

pub(crate) fn configure(config: &mut ServiceConfig) {
    config
        .service(read_only("/pay/{token}", get(page)))
        .service(read_only("/pay/{token}/invoice.pdf", get(pdf)));
}

async fn page(request: PayerRequest) -> Result<HttpResponse, ApiError> {
    let shown = request.state.invoices.get(&request.token).await;
    let shown = shown.map_err(|error| request.to_api_error(error))?;
    let urls = request.state.urls.clone();
    render(&request.http, move || PaymentPage::new(&shown, &urls)).await
}

async fn pdf(request: PayerRequest) -> Result<HttpResponse, ApiError> {
    let pdf = request.state.invoices.pdf(&request.token).await;
    let pdf = pdf.map_err(|error| match error {
        PayerPdfError::Read(error) => request.to_api_error(error),
        PayerPdfError::SwitchedOff => ApiError::new(ErrorCode::Conflict, error.to_string()),
        PayerPdfError::Document(error) => ApiError::failed(ErrorCode::InternalError, error),
    })?;
    let mut answer = pdf_response(pdf.number.as_str(), pdf.bytes);
    put_headers(answer.headers_mut(), None);
    Ok(answer)
}
