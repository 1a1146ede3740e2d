//! `POST /invoices`.

use actix_web::HttpResponse;
use http_server::{ApiError, ErrorCode};
use idempotency::{IdempotentOperation, IdempotentResponse, Ticket};
use invoices::{CreateInvoiceError, Invoice};

use super::invoice_body::InvoiceBody;
use super::view::InvoiceView;
use crate::body;
use crate::extract::IdempotentRequest;
use crate::operation::Operation;
use crate::respond::created;

pub(super) fn operation() -> Operation {
    Operation::new(__path_create, create).faulty_field("line_items.0.quantity", "must be above 0").errors(&[
        ErrorCode::NotFound,
        ErrorCode::Conflict,
        ErrorCode::DuplicateInvoiceNumber,
        ErrorCode::PlanLimitReached,
    ])
}

/// Create an invoice
///
/// Raises an invoice, or saves it as a draft for review. The contact is found or created as in `POST
/// /contacts`; contact, number and invoice are stored together or not at all. `contact` and at least one line
/// are required unless `is_draft` is true. With `send_invoice` the invoice is mailed to the contact, with a
/// PDF: the mail is queued together with the invoice and sent afterwards, so that a slow mail server does not
/// delay the response.
#[utoipa::path(
    post, path = "/invoices", operation_id = "createInvoice",
    params(crate::openapi::idempotency_key::IdempotencyKeyHeader),
    request_body(content = InvoiceBody, description = "The invoice to create"),
    responses((status = 201, description = "The invoice was created", body = InvoiceView)),
)]
pub(crate) async fn create(request: IdempotentRequest) -> Result<HttpResponse, ApiError> {
    let state = &request.state;
    let present = |invoice: &Invoice| created(&InvoiceView::new(invoice, &state.urls));
    let create = async |ticket: Option<&Ticket>| {
        let (input, faults) = body::read(&request.body.json, InvoiceBody::read)?;
        let idempotent_response = IdempotentResponse { ticket, present: &present };
        let creating = state.invoicing.create(request.caller.scope(), input, faults, &idempotent_response);
        creating.await.map_err(to_api_error)
    };
    request.respond(IdempotentOperation::CREATE_INVOICE, "invoices", create).await
}

fn to_api_error(error: CreateInvoiceError) -> ApiError {
    let code = match error {
        CreateInvoiceError::Invalid(faults) => return ApiError::invalid(faults),
        CreateInvoiceError::Store(error) => return error.into(),
        CreateInvoiceError::ContactNotFound => ErrorCode::NotFound,
        CreateInvoiceError::ContactConflict => ErrorCode::Conflict,
        CreateInvoiceError::DuplicateNumber => ErrorCode::DuplicateInvoiceNumber,
        CreateInvoiceError::PlanLimitReached(_) => ErrorCode::PlanLimitReached,
    };
    ApiError::new(code, error.to_string())
}

#[cfg(test)]
mod tests;
