//! Audit entries of what an owner does with money.

use invoices::{Invoice, InvoiceId, NewPayment};
use serde_json::{Value, json};
use sessions::AuditedChange;

use crate::session_caller::SessionCaller;

/// Records a payment that was recorded.
pub(super) async fn payment_recorded(caller: &SessionCaller, invoice: &Invoice, new: &NewPayment) {
    let after = json!({
        "invoice": invoice.id.to_string(),
        "invoice_number": invoice.number.as_str(),
        "amount": new.amount,
        "currency": invoice.currency.code(),
        "method": new.method.as_str(),
    });
    record(caller, "payment.recorded", after).await;
}

/// Records that an invoice was cancelled.
pub(super) async fn invoice_cancelled(caller: &SessionCaller, id: InvoiceId) {
    record(caller, "invoice.cancelled", json!({"invoice": id.to_string()})).await;
}

/// Records that a payment page got a new address.
pub(super) async fn pay_link_replaced(caller: &SessionCaller, id: InvoiceId) {
    record(caller, "pay_link.replaced", json!({"invoice": id.to_string()})).await;
}

/// The change is committed by now, so a failure to record it is logged: an error would have the owner do it
/// again.
async fn record(caller: &SessionCaller, action: &'static str, after: Value) {
    let change = AuditedChange { action, before: None, after: Some(after) };
    if let Err(error) = caller.record(change).await {
        tracing::error!(action, error = %error, "an audit entry could not be written");
    }
}
