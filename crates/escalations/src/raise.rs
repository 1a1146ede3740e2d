//! Raising an escalation.

use contacts::ContactId;
use kernel::{AccountId, Id, StoreError, retry_contended};
use mail::OwnerNotice;

use crate::escalation::{Escalation, NewEscalation};
use crate::notice::{NoticeSubject, notice};
use crate::ports::EscalationsTx;
use crate::service::EscalationService;

/// Why an escalation was not raised.
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
    /// The contact that it names was erased.
    #[error("the contact was erased, and nothing more is stored about it")]
    ContactErased,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// An escalation to raise, with the names of its contact and its invoice.
#[derive(Debug, Clone)]
pub struct EscalationDraft {
    new: NewEscalation,
    of: NoticeSubject,
}

impl EscalationService {
    /// Raises an escalation, publishes `escalation.created` and queues a mail to the owner, unless the owner
    /// has switched these mails off, all in one transaction. Without a contact it takes the invoice's
    /// contact, even if erased: a payer may still write on the payment page.
    ///
    /// # Errors
    /// A [`RaiseError`]; then nothing was changed.
    pub async fn raise(&self, account: AccountId, new: NewEscalation) -> Result<Escalation, RaiseError> {
        let named = new.contact;
        let draft = self.draft(account, new).await?;
        retry_contended(|| self.try_to_raise(account, named, &draft)).await
    }

    async fn try_to_raise(
        &self,
        account: AccountId,
        named: Option<ContactId>,
        draft: &EscalationDraft,
    ) -> Result<Escalation, RaiseError> {
        let mut tx = self.store.begin(account).await?;
        if let Some(contact) = named {
            tx.escalations().lock_preferences(contact).await?;
            if tx.escalations().is_erased(contact).await? {
                return Err(RaiseError::ContactErased);
            }
        }
        let escalation = self.raise_in(&mut *tx, account, draft).await?;
        tx.commit().await?;
        Ok(escalation)
    }

    /// Reads the contact and the invoice of an escalation before the transaction that raises it, since
    /// invoices and contacts are never deleted.
    pub async fn draft(&self, account: AccountId, new: NewEscalation) -> Result<EscalationDraft, RaiseError> {
        let (mut new, mut of) = (new, NoticeSubject::default());
        if let Some(id) = new.contact {
            let contact = self.contacts.get(account, id).await?;
            let contact = contact.ok_or(RaiseError::ContactNotFound)?;
            of.contact = Some(contact.name.to_string());
        }
        if let Some(id) = new.invoice {
            let invoice = self.invoices.get(account, id).await?;
            let invoice = invoice.ok_or(RaiseError::InvoiceNotFound)?;
            of.invoice = Some(invoice.number.to_string());
            if let (None, Some(contact)) = (new.contact, &invoice.contact) {
                new.contact = Some(contact.id);
                of.contact = Some(contact.name.to_string());
            }
        }
        Ok(EscalationDraft { new, of })
    }

    /// Raises an escalation in the caller's transaction, which the caller commits, unless one of its type is
    /// open for its contact.
    pub async fn raise_unless_open_in(
        &self,
        tx: &mut dyn EscalationsTx,
        account: AccountId,
        draft: &EscalationDraft,
    ) -> Result<(), RaiseError> {
        let open = match draft.new.contact {
            Some(contact) => tx.escalations().open_of_contact(contact, draft.new.escalation_type).await?,
            None => None,
        };
        if open.is_none() {
            self.raise_in(tx, account, draft).await?;
        }
        Ok(())
    }

    async fn raise_in(
        &self,
        tx: &mut dyn EscalationsTx,
        account: AccountId,
        draft: &EscalationDraft,
    ) -> Result<Escalation, RaiseError> {
        let owner = tx.escalations().owner().await?.ok_or(RaiseError::AccountNotFound)?;
        if let Some(contact) = draft.new.contact {
            tx.escalations().lock_preferences(contact).await?;
        }
        let now = self.clock.now();
        let escalation = Escalation::raise(Id::new(&*self.ids, now), account, draft.new.clone(), now);
        tx.escalations().insert(&escalation).await?;
        if owner.wants(OwnerNotice::Escalations) {
            let id = Id::new(&*self.ids, now);
            let mail = notice(&escalation, &draft.of).into_mail(id, &owner, escalation.id.uuid(), now);
            tx.jobs().queue(mail.into_job()).await?;
        }
        self.publish(tx, &escalation).await?;
        Ok(escalation)
    }
}
