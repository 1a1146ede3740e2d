//! Raising an escalation.

use contacts::ContactId;
use kernel::{AccountId, Id, RetryOnContention, StoreError, retry_contended};

use crate::escalation::{Escalation, NewEscalation};
use crate::service::EscalationService;

/// Why an escalation is not raised.
#[derive(Debug, thiserror::Error)]
pub enum RaiseError {
    /// There is no such account.
    #[error("there is no account with this id")]
    AccountNotFound,
    /// The account has no such invoice.
    #[error("the account has no such invoice")]
    InvoiceNotFound,
    /// The account has no such contact.
    #[error("the account has no such contact")]
    ContactNotFound,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl RetryOnContention for RaiseError {
    fn is_contended(&self) -> bool {
        matches!(self, Self::Store(error) if error.is_contended())
    }
}

impl EscalationService {
    /// Raises an escalation and publishes `escalation.created` in the same transaction. Without a contact it
    /// takes the contact of its invoice.
    ///
    /// # Errors
    /// A [`RaiseError`]; then nothing was changed.
    pub async fn raise(&self, account: AccountId, new: NewEscalation) -> Result<Escalation, RaiseError> {
        // Invoices and contacts are never deleted, so they can be read before the transaction.
        let contact = self.contact_of(account, &new).await?;
        let new = NewEscalation { contact, ..new };
        retry_contended(|| self.try_to_raise(account, new.clone())).await
    }

    async fn contact_of(
        &self,
        account: AccountId,
        new: &NewEscalation,
    ) -> Result<Option<ContactId>, RaiseError> {
        let mut of_invoice = None;
        if let Some(id) = new.invoice {
            let invoice = self.invoices.get(account, id).await?;
            let invoice = invoice.ok_or(RaiseError::InvoiceNotFound)?;
            of_invoice = invoice.contact.as_ref().map(|contact| contact.id);
        }
        let Some(id) = new.contact else {
            return Ok(of_invoice);
        };
        let contact = self.contacts.get(account, id).await?;
        let contact = contact.ok_or(RaiseError::ContactNotFound)?;
        Ok(Some(contact.id))
    }

    async fn try_to_raise(&self, account: AccountId, new: NewEscalation) -> Result<Escalation, RaiseError> {
        let mut tx = self.store.begin(account).await?;
        if !tx.escalations().has_account().await? {
            return Err(RaiseError::AccountNotFound);
        }
        let now = self.clock.now();
        let escalation = Escalation::raise(Id::new(&*self.ids, now), account, new, now);
        tx.escalations().insert(&escalation).await?;
        self.publish(tx, &escalation).await?;
        Ok(escalation)
    }
}
