//! The request for a link.

use kernel::{AccountId, EmailAddress, StoreError, retry_contended};
use outbox::{JobId, NewJob};
use time::OffsetDateTime;

use super::payload::PayLinkTask;
use crate::invoice::Invoice;
use crate::invoicing::Invoicing;
use crate::number::InvoiceNumber;

/// What a reader of an account's payment page entered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PayLinkRequest {
    /// The number of an invoice.
    pub invoice_number: InvoiceNumber,
    /// The address that the invoice went to.
    pub email: EmailAddress,
}

impl PayLinkRequest {
    /// The request that a job holds.
    pub(super) fn of(task: &PayLinkTask) -> Self {
        Self {
            invoice_number: InvoiceNumber::from_stored(task.invoice_number.clone()),
            email: EmailAddress::from_stored(task.email.clone()),
        }
    }

    /// The address of the invoice's contact, if it is the one that was entered and the invoice is issued.
    pub(super) fn recipient<'a>(&self, invoice: &'a Invoice) -> Option<&'a EmailAddress> {
        let own = invoice.contact.as_ref()?.email.as_ref()?;
        (*own == self.email && !invoice.is_draft()).then_some(own)
    }
}

impl Invoicing {
    /// Stores a request for the link to a payment page. Whether number and address match is found out later,
    /// by a [`PayLinkWorker`](super::PayLinkWorker).
    ///
    /// # Errors
    /// A [`StoreError`]; then nothing was stored.
    pub async fn request_pay_link(
        &self,
        account: AccountId,
        request: &PayLinkRequest,
    ) -> Result<(), StoreError> {
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
    NewJob {
        id,
        account,
        kind: PayLinkTask::KIND,
        resource_id: None,
        to_customer: false,
        payload: outbox::payload(&task),
        queued_at: now,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::email_template::tests::acme::{full, with};
    use crate::status::Status;

    #[test]
    fn link_of_an_issued_invoice_goes_to_its_contact_alone() {
        let invoice = full();
        let of = |email: &str| PayLinkRequest {
            invoice_number: invoice.number.clone(),
            email: EmailAddress::parse(email).unwrap(),
        };
        let own = of("ada@example.com");
        assert_eq!(own.recipient(&invoice), Some(&own.email));
        assert_eq!(of("eve@example.com").recipient(&invoice), None);
        assert_eq!(own.recipient(&with(&invoice, |data| data.status = Status::Draft)), None);
        assert_eq!(own.recipient(&with(&invoice, |data| data.contact = None)), None);
    }
}
