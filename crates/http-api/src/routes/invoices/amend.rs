//! `PUT /invoices/{id}`.

use access::AccountCaller;
use actix_web::HttpResponse;
use http_server::{ApiError, ErrorCode};
use invoices::{AmendInvoiceError, AmendRefused};
use utoipa::ToSchema;

use super::invoice_body::{InvoiceBody, LineBody};
use super::view::InvoiceView;
use crate::body;
use crate::extract::{AuthenticatedJson, path_id};
use crate::operation::Operation;
use crate::respond::ok;
use crate::routes::contacts::reference::ContactReferenceBody;

/// The fields to change; at least one. Unknown fields are ignored. A field that is left out stays as it is;
/// empty text counts as `null`.
#[derive(ToSchema)]
#[schema(as = InvoiceAmendment, example = json!({
    "due_date": "2026-12-18",
    "notes": null,
    "line_items": [{"description": "Consulting", "quantity": 3, "unit_amount": 50.00, "tax_rate": 10}]
}))]
#[expect(dead_code, reason = "describes the body and never holds it")]
pub(crate) struct InvoiceAmendmentBody {
    /// The contact to invoice, found or created as in `POST /contacts`. `null` removes the contact of a
    /// draft; an issued invoice must have one. When a draft is issued, its contact is copied as it is at that
    /// time.
    #[schema(required = false)]
    contact: Option<ContactReferenceBody>,
    /// Your own invoice number, 1 to 50 printable characters, unique within the account. Not `null`.
    #[schema(required = false, max_length = 50, example = "INV-0042")]
    invoice_number: String,
    /// The invoice's date. Not `null`.
    #[schema(required = false, format = Date, example = "2026-11-20")]
    invoice_date: String,
    /// The due date, not before the invoice date. Not `null`.
    #[schema(required = false, format = Date, example = "2026-12-04")]
    due_date: String,
    /// The ISO 4217 code of a currency in use, in upper or lower case. Not `null`. It cannot change once a
    /// payment is recorded.
    #[schema(required = false, example = "AUD")]
    currency: String,
    /// Whether line amounts contain their tax: `EXCLUSIVE`, `INCLUSIVE` or `NO_TAX`, in upper or lower case;
    /// `NoTax` is accepted too. With `NO_TAX` each tax_rate must be 0. Not `null`.
    #[schema(required = false, example = "EXCLUSIVE")]
    line_amount_types: String,
    /// The lines, at most 500, which replace all present ones. `null` or an empty list removes the lines of a
    /// draft; an issued invoice must have at least one.
    #[schema(required = false, max_items = 500)]
    line_items: Option<Vec<LineBody>>,
    /// Your own reference; `null` clears it.
    #[schema(required = false, max_length = 255)]
    reference: Option<String>,
    /// Notes to the contact; may contain line breaks. `null` clears them.
    #[schema(required = false, max_length = 4000)]
    notes: Option<String>,
    /// The member of your staff who raised the invoice; `null` clears it.
    #[schema(required = false, max_length = 255)]
    staff: Option<String>,
    /// `true` mails the invoice to its contact, even if it was mailed before. Needs a contact with an e-mail
    /// address and an account whose `communications_enabled` is true. Not `null`.
    #[schema(required = false)]
    send_invoice: bool,
    /// `false` issues a draft. Not `null`.
    #[schema(required = false)]
    is_draft: bool,
}

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
    let amending = request.state.invoicing.amend(request.caller.scope(), id, input, faults);
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
