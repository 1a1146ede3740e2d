//! What an audit entry says of an invoice. Entries stay when a contact is erased, so that none has its name,
//! its address or its words.

use kernel::clock::date_text;
use serde_json::{Value, json};

use crate::invoice::Invoice;

/// What a change made of an invoice, for the audit entry of its transaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditedInvoice {
    /// `None` of a new one.
    pub before: Option<Value>,
    /// What it is now.
    pub after: Value,
}

/// What decides who owes how much, and by when.
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
