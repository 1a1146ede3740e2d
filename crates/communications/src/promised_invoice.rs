//! The invoice that a message promises to pay.

use contacts::ContactId;
use invoices::InvoiceId;
use kernel::StoreResult;

use crate::ports::CommunicationsTx;

/// Whether the invoice of a message is still its contact's, which does not change before the transaction
/// ends: a promise must not hold the reminders of another contact.
pub(crate) async fn is_still_of(
    tx: &mut dyn CommunicationsTx,
    invoice: InvoiceId,
    contact: Option<ContactId>,
) -> StoreResult<bool> {
    let locked = tx.invoicing().invoices().lock(invoice).await?;
    let invoiced = locked.as_ref().and_then(|locked| locked.contact.as_ref());
    Ok(invoiced.map(|invoiced| invoiced.id) == contact)
}
