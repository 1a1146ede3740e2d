//! `POST /invoices`.

use actix_web::{HttpResponse, web};
use idempotency::Endpoint;
use invoices::Invoice;

use super::create_body::InvoiceBody;
use super::view::InvoiceView;
use crate::answer::created;
use crate::body;
use crate::error::{ApiError, Code};
use crate::extract::{Keyed, KeyedOperation};
use crate::state::AppState;

/// What this operation refuses besides what every operation does.
pub(crate) const ERRORS: [Code; 9] = [
    Code::ValidationError,
    Code::NotFound,
    Code::Conflict,
    Code::DuplicateInvoiceNumber,
    Code::PlanLimitReached,
    Code::IdempotencyKeyReused,
    Code::IdempotentReplayInFlight,
    Code::PayloadTooLarge,
    Code::UnsupportedMediaType,
];

pub(crate) struct CreateInvoice;

impl KeyedOperation for CreateInvoice {
    const ENDPOINT: Endpoint = Endpoint::CreateInvoice;
    const COLLECTION: &'static str = "invoices";
}

/// Create an invoice
///
/// Raises an invoice, or saves it as a draft for review. The contact is found or created as in `POST /contacts`; contact,
/// number and invoice are stored together or not at all. `contact` and at least one line are required unless `is_draft` is true.
/// With `send_invoice` it is mailed to the contact, with the invoice as a PDF: the mail is queued together with the invoice and
/// delivered right afterwards, so that a slow mail server delays no answer.
#[utoipa::path(
    post,
    path = "/invoices",
    tag = "Invoices",
    operation_id = "createInvoice",
    params(crate::openapi::IdempotencyKeyHeader),
    request_body(content = InvoiceBody, description = "The invoice to create"),
    responses((status = 201, description = "The invoice was created", body = InvoiceView)),
    security(("account_key" = []))
)]
pub(crate) async fn create(
    state: web::Data<AppState>,
    request: Keyed<CreateInvoice>,
) -> Result<HttpResponse, ApiError> {
    let present = |invoice: &Invoice| created(&InvoiceView::new(invoice, &state.urls));
    let outcome = match body::read(&request.body, InvoiceBody::read) {
        Ok((input, faults)) => {
            let once = request.once(&present);
            let creating = state
                .invoicing
                .create(request.scope(), input, faults, &once);
            creating.await.map_err(ApiError::from)
        }
        Err(refusal) => Err(refusal),
    };
    request.settle(&state, outcome).await
}

#[cfg(test)]
mod tests;
