//! Sending an invoice: its mail is queued in the transaction that sends it.

use kernel::{EmailAddress, FieldErrors, Id, Ids, StoreResult};
use mail::{Audience, NewMail};
use time::OffsetDateTime;

use crate::check::missing_address;
use crate::email_template::{InvoiceEmail, InvoicePayload};
use crate::invoice::Invoice;
use crate::ports::InvoicingTx;

/// The address that an invoice is sent to.
///
/// # Errors
/// A field error on `contact.email` when the contact has none, or there is no contact.
pub(crate) fn recipient(email: Option<&EmailAddress>) -> Result<EmailAddress, FieldErrors> {
    email.cloned().ok_or_else(missing_address)
}

/// Queues the mail of an invoice with its present content. The caller has marked the invoice as sent.
pub(crate) async fn queue_mail(
    tx: &mut dyn InvoicingTx,
    invoice: &Invoice,
    to: EmailAddress,
    ids: &dyn Ids,
    now: OffsetDateTime,
) -> StoreResult<()> {
    let mail = NewMail {
        id: Id::new(ids, now),
        account: invoice.account,
        resource_id: Some(invoice.id.uuid()),
        template: InvoiceEmail::NAME,
        audience: Audience::Customer,
        to,
        payload: mail::payload(&InvoicePayload::from(invoice)),
        queued_at: now,
    };
    tx.jobs().queue(mail.into_job()).await
}
