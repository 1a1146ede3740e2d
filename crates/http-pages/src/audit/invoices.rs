//! Audit entries for an owner's changes of invoices and payments.

use invoices::Invoice;
use sessions::AuditedChange;

use crate::invoicing::invoice_fields::Action;

/// The content of the entry for a recorded payment. The transaction adds the details.
pub(crate) fn payment_recorded() -> AuditedChange {
    AuditedChange::of("payment.recorded")
}

/// The content of the entry for a requested refund. The transaction adds the details.
pub(crate) fn payment_refunded() -> AuditedChange {
    AuditedChange::of("payment.refunded")
}

/// The content of the entry for a new invoice: a draft, or one that is issued at once. The transaction adds
/// the details.
pub(crate) fn invoice_created(action: Action) -> AuditedChange {
    AuditedChange::of(if action == Action::SaveDraft { "invoice.created" } else { "invoice.issued" })
}

/// The content of the entry for an amended invoice or an issued draft. The transaction adds the old and new
/// values.
pub(crate) fn invoice_changed(invoice: &Invoice, action: Action) -> AuditedChange {
    let is_issued = invoice.is_draft() && action != Action::SaveDraft;
    AuditedChange::of(if is_issued { "invoice.issued" } else { "invoice.changed" })
}

/// The content of the entry for a cancelled invoice. The transaction adds what was due and paid.
pub(crate) fn invoice_cancelled() -> AuditedChange {
    AuditedChange::of("invoice.cancelled")
}

/// The content of the entry for a payment page that gets a new URL. The transaction adds the invoice.
pub(crate) fn pay_link_replaced() -> AuditedChange {
    AuditedChange::of("pay_link.replaced")
}
