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
pub(crate) struct AmendmentBody {
    /// The contact to invoice, found or created as in `POST /contacts`. `null` takes it from a draft; an
    /// issued invoice cannot be without. When a draft is issued, its contact is taken as it is then.
    #[schema(required = false)]
    contact: Option<ContactReferenceBody>,
    /// A number of your own choice, 1 to 50 printable characters, unique within the account. Not `null`.
    #[schema(required = false, max_length = 50, example = "INV-0042")]
    invoice_number: String,
    /// The invoice's date. Not `null`.
    #[schema(required = false, format = Date, example = "2026-11-20")]
    invoice_date: String,
    /// When it is due, not before the invoice date. Not `null`.
    #[schema(required = false, format = Date, example = "2026-12-04")]
    due_date: String,
    /// The ISO 4217 code of a currency in use, in any case. Not `null`. It is fixed once a payment is
    /// recorded.
    #[schema(required = false, example = "AUD")]
    currency: String,
    /// Whether line amounts contain their tax: `EXCLUSIVE`, `INCLUSIVE` or `NO_TAX`, in any case; `NoTax` is
    /// understood too. With `NO_TAX` each tax_rate must be 0. Not `null`.
    #[schema(required = false, example = "EXCLUSIVE")]
    line_amount_types: String,
    /// The lines that take the place of all present ones, at most 500. `null` or none takes them from a
    /// draft; an issued invoice has at least one.
    #[schema(required = false, max_items = 500)]
    line_items: Option<Vec<LineBody>>,
    /// Your own reference; `null` clears it.
    #[schema(required = false, max_length = 255)]
    reference: Option<String>,
    /// Notes to the contact; line breaks are fine. `null` clears them.
    #[schema(required = false, max_length = 4000)]
    notes: Option<String>,
    /// Who of your staff raised it; `null` clears it.
    #[schema(required = false, max_length = 255)]
    staff: Option<String>,
    /// `true` mails the invoice to its contact, also when it was mailed before. Needs a contact with an
    /// e-mail address and an account whose `communications_enabled` is true. Not `null`.
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
/// the full set. Leaving a field out keeps it, and `null` or empty text clears one that can be empty. Amounts
/// are worked out again, and so is the status when the dates change, when a draft is issued and when the
/// invoice is sent.
///
/// `is_draft: false` issues a draft, which needs its contact and lines by then. `send_invoice: true` mails
/// the invoice, or mails it again. Of two writers of one invoice, the second amends what the first one left.
/// An `Idempotency-Key` is ignored.
///
/// An invoice that is `PAID` or `CANCELLED` answers `INVOICE_LOCKED`. `CONFLICT` is the answer to `is_draft:
/// true` on an issued invoice, to `send_invoice: true` on what stays a draft, to another `currency` once a
/// payment is recorded, and to a total below what is paid already; a total equal to it makes the invoice
/// `PAID`.
#[utoipa::path(
    put, path = "/invoices/{id}", operation_id = "amendInvoice",
    request_body(content = AmendmentBody, description = "The fields to change"),
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
