//! `PUT /invoices/{id}`.

use access::AccountCaller;
use actix_web::{HttpRequest, HttpResponse, web};
use http_server::{ApiError, ErrorCode};
use invoices::{AmendInvoiceError, AmendRefused};

use super::amendment_body::AmendmentBody;
use super::invoice_body::InvoiceBody;
use super::view::InvoiceView;
use crate::body;
use crate::extract::{AuthenticatedJson, path_id};
use crate::operation::Operation;
use crate::respond::ok;
use crate::state::AppState;

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
    request: AuthenticatedJson<AccountCaller>,
    path: HttpRequest,
) -> Result<HttpResponse, ApiError> {
    let id = path_id(&path)?;
    let (input, faults) = body::read(&request.body, InvoiceBody::read)?;
    let scope = request.caller.scope();
    let amending = state.invoicing.amend(scope, id, input, faults);
    let invoice = amending.await.map_err(to_api_error)?;
    Ok(ok(&InvoiceView::new(&invoice, &state.urls)))
}

fn to_api_error(error: AmendInvoiceError) -> ApiError {
    let code = match error {
        AmendInvoiceError::Invalid(faults) => return ApiError::invalid(faults),
        AmendInvoiceError::Store(error) => return error.into(),
        AmendInvoiceError::Empty => ErrorCode::ValidationError,
        AmendInvoiceError::NotFound | AmendInvoiceError::ContactNotFound => ErrorCode::NotFound,
        AmendInvoiceError::ContactConflict => ErrorCode::Conflict,
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
