//! Audit entries of what an owner does with money.

use invoices::{Invoice, InvoiceId, NewPayment, PaymentId};
use serde_json::json;
use sessions::AuditedChange;

use super::invoice_fields::Action;

/// A payment that is recorded on an invoice.
pub(super) fn payment_recorded(invoice: &Invoice, new: &NewPayment) -> AuditedChange {
    AuditedChange::of("payment.recorded").to(json!({
        "invoice": invoice.id.to_string(),
        "invoice_number": invoice.number.as_str(),
        "amount": new.amount,
        "currency": invoice.currency.code(),
        "method": new.method.as_str(),
    }))
}

/// A refund that is asked for.
pub(super) fn payment_refunded(payment: PaymentId, amount: &str) -> AuditedChange {
    AuditedChange::of("payment.refunded").to(json!({"payment": payment.to_string(), "amount": amount}))
}

/// An invoice that is made: a draft, or one that is issued at once. Its transaction says what it is.
pub(super) fn invoice_created(action: Action) -> AuditedChange {
    AuditedChange::of(if action == Action::SaveDraft { "invoice.created" } else { "invoice.issued" })
}

/// An invoice that is changed, or a draft that is issued. Its transaction says from what to what.
pub(super) fn invoice_changed(invoice: &Invoice, action: Action) -> AuditedChange {
    let is_issued = invoice.is_draft() && action != Action::SaveDraft;
    AuditedChange::of(if is_issued { "invoice.issued" } else { "invoice.changed" })
}

/// An invoice that is cancelled.
pub(super) fn invoice_cancelled(id: InvoiceId) -> AuditedChange {
    AuditedChange::of("invoice.cancelled").to(json!({"invoice": id.to_string()}))
}

/// A payment page that gets a new address.
pub(super) fn pay_link_replaced(id: InvoiceId) -> AuditedChange {
    AuditedChange::of("pay_link.replaced").to(json!({"invoice": id.to_string()}))
}
