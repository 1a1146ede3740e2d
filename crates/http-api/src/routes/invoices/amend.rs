//! `PUT /invoices/{id}`.

use access::AccountCaller;
use actix_web::HttpResponse;
use http_server::{ApiError, ErrorCode};
use invoices::{AmendInvoiceError, AmendRefused};

use super::invoice_body::{InvoiceAmendmentBody, InvoiceBody};
use super::view::InvoiceView;
use crate::body;
use crate::extract::{AuthenticatedJson, path_id};
use crate::operation::Operation;
use crate::respond::ok;

pub(super) fn operation() -> Operation {
    Operation::new(__path_amend, amend).faulty_field("line_items.0.quantity", "must be above 0").errors(&[
        ErrorCode::NotFound,
        ErrorCode::Conflict,
        ErrorCode::InvoiceLocked,
        ErrorCode::DuplicateInvoiceNumber,
    ])
}

/// Amend an invoice
///
/// Only the fields that are sent change; at least one must be sent. `line_items` replaces every line, so send
/// the full set. `null` or empty text clears a field that can be empty. Amounts are recalculated, and so is
/// the status when the dates change, when a draft is issued and when the invoice is sent.
///
/// `is_draft: false` issues a draft, which must then have a contact and lines. `send_invoice: true` mails the
/// invoice, or mails it again. If its contact was erased since, it is mailed to the address that the contact
/// was given afterwards, or refused. Of two concurrent amendments, the second is applied to the result of the
/// first. An `Idempotency-Key` is ignored.
///
/// The error is `INVOICE_LOCKED` when the invoice is `PAID` or `CANCELLED`. It is `CONFLICT` for `is_draft:
/// true` on an issued invoice, for `send_invoice: true` on an invoice that stays a draft, for another
/// `currency` once a payment is recorded, and for a total below the amount already paid; a total equal to
/// that amount makes the invoice `PAID`.
#[utoipa::path(
    put, path = "/invoices/{id}", operation_id = "amendInvoice",
    request_body(content = InvoiceAmendmentBody, description = "The fields to change"),
    responses((status = 200, description = "The amended invoice", body = InvoiceView)),
)]
pub(crate) async fn amend(request: AuthenticatedJson<AccountCaller>) -> Result<HttpResponse, ApiError> {
    let id = path_id(&request.http)?;
    let (input, faults) = body::read(&request.body, InvoiceBody::read)?;
    let amending = request.state.invoicing.amend(request.caller.scope(), id, None, input, faults);
    let invoice = amending.await.map_err(to_api_error)?;
    Ok(ok(&InvoiceView::new(&invoice, &request.state.urls)))
}

fn to_api_error(error: AmendInvoiceError) -> ApiError {
    let code = match error {
        AmendInvoiceError::Invalid(faults) => return ApiError::invalid(faults),
        AmendInvoiceError::Store(error) => return error.into(),
        AmendInvoiceError::Empty => ErrorCode::ValidationError,
        AmendInvoiceError::NotFound | AmendInvoiceError::ContactNotFound => ErrorCode::NotFound,
        AmendInvoiceError::Changed | AmendInvoiceError::ContactConflict => ErrorCode::Conflict,
        AmendInvoiceError::DuplicateNumber => ErrorCode::DuplicateInvoiceNumber,
        AmendInvoiceError::Refused(AmendRefused::Locked(_)) => ErrorCode::InvoiceLocked,
        AmendInvoiceError::Refused(
            AmendRefused::CannotUnissue
            | AmendRefused::DraftNotSent
            | AmendRefused::CurrencyFixed
            | AmendRefused::BelowPaid(_),
        ) => ErrorCode::Conflict,
    };
    ApiError::new(code, error.to_string())
}

#[cfg(test)]
mod tests;
