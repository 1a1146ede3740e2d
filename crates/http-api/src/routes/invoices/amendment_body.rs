//! The body of `PUT /invoices/{id}` as the document describes it.
//! [`InvoiceBody`](super::invoice_body::InvoiceBody) reads it.

use utoipa::ToSchema;

use super::invoice_body::LineBody;
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
