//! Sending an invoice: its mail is queued in the transaction that sends it.

use kernel::{EmailAddress, FieldErrors, Id, Ids, StoreResult};
use mail::{Audience, NewMail};
use time::OffsetDateTime;

use crate::email_template::{InvoiceEmail, InvoicePayload};
use crate::invoice::Invoice;
use crate::ports::InvoicingTx;

/// The address that an invoice is sent to.
///
/// # Errors
/// A field error on `contact.email` when the stored contact has none, whether or not the request names one,
/// since finding a contact does not change it; or when there is no contact.
pub(crate) fn recipient(email: Option<&EmailAddress>) -> Result<EmailAddress, FieldErrors> {
    let message = "is required to send the invoice: the stored contact has none; add it on the contact's dashboard page";
    email.cloned().ok_or_else(|| FieldErrors::one("contact.email", message))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_contact_without_an_address_is_named_as_the_cause() {
        let faults = recipient(None).unwrap_err();
        let [fault] = &faults.iter().collect::<Vec<_>>()[..] else { panic!("{faults:?}") };
        assert_eq!(fault.field, "contact.email");
        assert!(fault.message.contains("the stored contact has none"), "{fault:?}");
    }
}
