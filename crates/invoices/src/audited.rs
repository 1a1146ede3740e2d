//! What an audit entry records of an invoice. Entries stay when a contact is erased, so they hold neither its
//! name nor its address nor its texts.

use kernel::{Named as _, clock::date_text};
use serde_json::{Value, json};

use crate::invoice::Invoice;
use crate::payment::Payment;

/// The values that decide who owes how much, and by when.
pub(crate) fn figures(invoice: &Invoice) -> Value {
    json!({
        "invoice": invoice.id.to_string(),
        "invoice_number": invoice.number.as_str(),
        "status": invoice.status.as_str(),
        "contact": invoice.contact.as_ref().map(|contact| contact.id.to_string()),
        "total": invoice.totals.total.to_string(),
        "currency": invoice.currency.code(),
        "due_date": date_text(invoice.due_date),
    })
}

/// A payment that was recorded by hand.
pub(crate) fn payment(invoice: &Invoice, payment: &Payment) -> Value {
    json!({
        "invoice": invoice.id.to_string(),
        "invoice_number": invoice.number.as_str(),
        "amount": payment.amount.to_string(),
        "currency": invoice.currency.code(),
        "method": payment.method.as_str(),
    })
}
