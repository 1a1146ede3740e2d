//! `/pay/{token}`: the payment page of an invoice, for anyone who has its token.

use actix_web::http::Method;
use http_server::{ApiError, pdf_response, receipt_response};
use invoices::{InvoiceForPayer, PayerPdfError, PaymentId, ReceiptError};
use kernel::clock;
use pages::texts::ENGLISH;
use pages::{Form, PaymentPage};

use super::request::PayerRequest;
use crate::forms::submit::new_form_token;
use crate::forms::{PageError, PageResult};
use crate::page::{put_headers, render, render_short};
use crate::routing::{self, Routes};

/// A payment page with up to this many rows is rendered in less time than a change of threads takes.
const SHORT: usize = 20;

pub(super) fn configure(routes: &mut Routes<'_>) {
    routes
        .service(routing::page("/pay/{token}", page))
        .service(routing::page("/pay/{token}/invoice.pdf", pdf))
        .service(routing::page("/pay/{token}/receipts/{payment_id}.pdf", receipt));
}

async fn page(request: PayerRequest) -> PageResult {
    let shown = request.invoice().await?;
    let state = &request.state;
    if request.http.method() == Method::GET {
        state.page_views.keep(&shown, state.clock.now(), &state.timelines.history);
    }
    let online = state.online.for_payer(&shown).await?;
    let form = Form::new(new_form_token(state, request.account()), Vec::new());
    let today = request.today(&shown);
    if is_short(&shown) {
        let page = PaymentPage::new(&shown, &online, &form, today, &state.links);
        return Ok(render_short(&request.http, page)?);
    }
    let urls = state.links.clone();
    Ok(render(&request.http, move || PaymentPage::new(&shown, &online, &form, today, &urls)).await?)
}

/// Whether the page has few rows and no bank details, which may need a QR code.
fn is_short(shown: &InvoiceForPayer) -> bool {
    let rows = shown.invoice.lines.len().saturating_add(shown.invoice.payments.len());
    rows <= SHORT && shown.bank_transfer.is_none()
}

async fn pdf(request: PayerRequest) -> PageResult {
    let pdf = match request.state.payer_invoices.pdf(&request.token).await {
        Ok(pdf) => pdf,
        Err(PayerPdfError::Read(error)) => return Err(request.to_page_error(error).await),
        Err(PayerPdfError::SwitchedOff) => {
            request.note_company().await?;
            return Err(PageError::conflict(ENGLISH.payer.pdf_not_offered));
        }
        Err(PayerPdfError::Document(error)) => {
            return Err(ApiError::internal(error).into());
        }
    };
    let mut response = pdf_response(pdf.number.as_str(), pdf.bytes);
    put_headers(response.headers_mut(), None);
    Ok(response)
}

async fn receipt(request: PayerRequest) -> PageResult {
    let id = PaymentId::parse(request.http.match_info().get("payment_id").unwrap_or_default());
    let id = id.ok_or_else(PageError::not_found)?;
    let refunded = request.state.online.refunded(request.token.account(), id).await?;
    let receipt = match request.state.payer_invoices.receipt(&request.token, id, refunded).await {
        Ok(receipt) => receipt,
        Err(error) => return Err(receipt_error(error, &request).await),
    };
    let day = clock::date_text(receipt.received_on);
    let mut response = receipt_response(receipt.number.as_str(), &day, receipt.bytes);
    put_headers(response.headers_mut(), None);
    Ok(response)
}

async fn receipt_error(error: ReceiptError, request: &PayerRequest) -> PageError {
    match error {
        ReceiptError::Read(error) => request.to_page_error(error).await,
        ReceiptError::PaymentNotFound => PageError::not_found(),
        ReceiptError::SwitchedOff | ReceiptError::NotOffered(_) => match request.note_company().await {
            Ok(()) => PageError::conflict(ENGLISH.payer.receipt_not_offered),
            Err(error) => error,
        },
        ReceiptError::Document(error) => ApiError::internal(error).into(),
    }
}
