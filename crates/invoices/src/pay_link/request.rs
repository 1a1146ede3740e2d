//! The request for a link.

use kernel::{AccountId, EmailAddress, StoreResult, retry_contended};
use outbox::{JobId, NewJob};
use time::OffsetDateTime;

use super::payload::PayLinkTask;
use crate::invoicing::Invoicing;
use crate::number::InvoiceNumber;
use crate::ports::MailableInvoice;

/// What a reader of an account's payment page entered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PayLinkRequest {
    /// The number of an invoice.
    pub invoice_number: InvoiceNumber,
    /// The e-mail address of its contact.
    pub email: EmailAddress,
}

impl PayLinkRequest {
    /// The request in a job's payload.
    pub(super) fn of(task: &PayLinkTask) -> Self {
        Self {
            invoice_number: InvoiceNumber::from_stored(task.invoice_number.clone()),
            email: EmailAddress::from_stored(task.email.clone()),
        }
    }

    /// The contact's present address, if it equals the entered address and the invoice is issued. The address
    /// stored on the invoice may meanwhile be erased or belong to another person.
    pub(super) fn recipient<'a>(&self, found: &'a MailableInvoice) -> Option<&'a EmailAddress> {
        let own = found.contact.email.as_ref()?;
        (*own == self.email && !found.invoice.is_draft()).then_some(own)
    }
}

impl Invoicing {
    /// Stores a request for the link to a payment page. A [`PayLinkWorker`](super::PayLinkWorker) later
    /// checks whether number and address match.
    ///
    /// # Errors
    /// A [`kernel::StoreError`]; then nothing was stored.
    pub async fn request_pay_link(&self, account: AccountId, request: &PayLinkRequest) -> StoreResult<()> {
        let now = self.clock.now();
        retry_contended(async || {
            let mut tx = self.store.begin(account).await?;
            tx.jobs().queue(job(request, account, JobId::new(&*self.ids, now), now)).await?;
            tx.commit().await
        })
        .await
    }
}

fn job(request: &PayLinkRequest, account: AccountId, id: JobId, now: OffsetDateTime) -> NewJob {
    let task = PayLinkTask {
        invoice_number: request.invoice_number.as_str().to_owned(),
        email: request.email.as_str().to_owned(),
    };
    NewJob::of(&task, id, account, now)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::email_template::tests::acme::{contact, full, with};
    use crate::status::InvoiceStatus;

    #[test]
    fn link_of_an_issued_invoice_goes_to_the_present_address_of_its_contact_alone() {
        let issued = |email| MailableInvoice { invoice: full(), contact: contact("Ada Byron", email) };
        let of = |email: &str| PayLinkRequest {
            invoice_number: full().number.clone(),
            email: EmailAddress::parse(email).unwrap(),
        };
        let (moved, present) = (issued(Some("byron@example.com")), of("byron@example.com"));
        assert_eq!(present.recipient(&moved), Some(&present.email));
        assert_eq!(of("eve@example.com").recipient(&moved), None);
        let on_the_invoice = of("ada@example.com");
        assert_eq!(on_the_invoice.recipient(&moved), None);
        assert_eq!(on_the_invoice.recipient(&issued(None)), None, "erased");
        let invoice = with(&moved.invoice, |data| data.status = InvoiceStatus::Draft);
        assert_eq!(present.recipient(&MailableInvoice { invoice, ..moved }), None);
    }
}
