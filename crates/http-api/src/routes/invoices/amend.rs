//! `PUT /invoices/{id}`.

use access::AccountCaller;
use actix_web::{HttpRequest, HttpResponse, web};

use super::amend_body::AmendmentBody;
use super::create_body::InvoiceBody;
use super::view::InvoiceView;
use crate::answer::{done, response};
use crate::body;
use crate::error::{ApiError, Code};
use crate::extract::Writing;
use crate::routes::path_id::path_id;
use crate::state::AppState;

/// What this operation refuses besides what every operation does.
pub(crate) const ERRORS: [Code; 7] = [
    Code::ValidationError,
    Code::NotFound,
    Code::Conflict,
    Code::InvoiceLocked,
    Code::DuplicateInvoiceNumber,
    Code::PayloadTooLarge,
    Code::UnsupportedMediaType,
];

/// Amend an invoice
///
/// Only the fields that are sent change; at least one must be sent. `line_items` replaces every line, so send the full set. Leaving a
/// field out keeps it, and `null` or empty text clears one that can be empty. Amounts are worked out again, and so is the status when
/// the dates change, when a draft is issued and when the invoice is sent.
///
/// `is_draft: false` issues a draft, which needs its contact and lines by then. `send_invoice: true` mails the invoice, or mails it
/// again. Of two writers of one invoice, the second amends what the first one left. An `Idempotency-Key` is ignored.
///
/// An invoice that is `PAID` or `CANCELLED` answers `INVOICE_LOCKED`. `CONFLICT` is the answer to `is_draft: true` on an issued
/// invoice, to `send_invoice: true` on what stays a draft, to another `currency` once a payment is recorded, and to a total below what
/// is paid already; a total equal to it makes the invoice `PAID`.
#[utoipa::path(
    put,
    path = "/invoices/{id}",
    tag = "Invoices",
    operation_id = "amendInvoice",
    params(("id" = uuid::Uuid, Path, description = "The invoice's id")),
    request_body(content = AmendmentBody, description = "The fields to change"),
    responses((status = 200, description = "The amended invoice", body = InvoiceView)),
    security(("account_key" = []))
)]
pub(crate) async fn amend(
    state: web::Data<AppState>,
    request: Writing<AccountCaller>,
    path: HttpRequest,
) -> Result<HttpResponse, ApiError> {
    let id = path_id(&path)?;
    let (input, faults) = body::read(&request.body, InvoiceBody::read)?;
    let scope = request.caller.scope();
    let invoice = state.invoicing.amend(scope, id, input, faults).await?;
    Ok(response(done(&InvoiceView::new(&invoice, &state.urls))))
}

#[cfg(test)]
mod tests;
