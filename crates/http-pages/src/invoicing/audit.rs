//! Audit entries of what an owner does with money.

use invoices::{Invoice, InvoiceId, NewPayment, PaymentId};
use serde_json::json;
use sessions::AuditedChange;

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

/// An invoice that is cancelled.
pub(super) fn invoice_cancelled(id: InvoiceId) -> AuditedChange {
    AuditedChange::of("invoice.cancelled").to(json!({"invoice": id.to_string()}))
}

/// A payment page that gets a new address.
pub(super) fn pay_link_replaced(id: InvoiceId) -> AuditedChange {
    AuditedChange::of("pay_link.replaced").to(json!({"invoice": id.to_string()}))
}
