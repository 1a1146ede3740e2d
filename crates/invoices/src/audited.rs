//! What an audit entry records of an invoice. Entries stay when a contact is erased, so they hold neither its
//! name nor its address nor its texts.

use kernel::{AuditDetails, Named as _, clock::date_text};
use serde_json::{Value, json};

use crate::invoice::Invoice;
use crate::line_item::LineItem;
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

/// The invoice, as an entry names it.
pub(crate) fn named(invoice: &Invoice) -> Value {
    json!({"invoice": invoice.id.to_string(), "invoice_number": invoice.number.as_str()})
}

/// A cancellation: what was due, and what stays paid.
pub(crate) fn cancellation(before: &Invoice, after: &Invoice) -> AuditDetails {
    let with_amounts = |invoice: &Invoice| {
        let mut figures = figures(invoice);
        if let Some(fields) = figures.as_object_mut() {
            fields.insert("amount_paid".to_owned(), json!(invoice.amount_paid.to_string()));
            fields.insert("amount_due".to_owned(), json!(invoice.amount_due().to_string()));
        }
        Some(figures)
    };
    AuditDetails { before: with_amounts(before), after: with_amounts(after) }
}

/// An amendment: the figures of both sides, and the names of the changed fields that are not among them.
pub(crate) fn amendment(before: &Invoice, after: &Invoice) -> AuditDetails {
    let mut figures_after = figures(after);
    if let Some(fields) = figures_after.as_object_mut() {
        fields.insert("changed".to_owned(), json!(changed_fields(before, after)));
    }
    AuditDetails { before: Some(figures(before)), after: Some(figures_after) }
}

fn changed_fields(before: &Invoice, after: &Invoice) -> Vec<&'static str> {
    // Lines that are sent again as they were have new ids.
    let lines = |invoice: &Invoice| invoice.lines.iter().map(LineItem::to_new).collect::<Vec<_>>();
    let fields = [
        ("contact_details", before.contact != after.contact),
        ("invoice_date", before.invoice_date != after.invoice_date),
        ("line_amount_types", before.line_amount_types != after.line_amount_types),
        ("line_items", lines(before) != lines(after)),
    ];
    let fields = fields.into_iter().filter_map(|(name, changed)| changed.then_some(name));
    fields.chain(before.texts.changed(&after.texts)).collect()
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
