//! Messages that are left to the operator: how they get into quarantine, and what the operator decides.

use std::collections::BTreeSet;

use contacts::ContactId;
use kernel::{AccountId, StoreError, StoreResult, retry_contended};

use super::handle::{Filed, HandleError, MAX_ATTEMPTS};
use super::inbox::{InboxItem, QuarantineCandidate};
use super::matching::Match;
use super::parsed_message::ParsedMessage;
use super::receive::InboundService;
use crate::message::{MessageId, MessageState};
use crate::waiting_mail::CONTACT_ERASED;

/// Why a message does not leave quarantine.
#[derive(Debug, thiserror::Error)]
pub enum QuarantineError {
    /// No message in quarantine has this id.
    #[error("no message with this id waits in quarantine")]
    NotFound,
    /// The account is not one of its candidates.
    #[error("the account is none of those that the message may be for")]
    NoCandidate,
    /// Its raw bytes are no longer kept.
    #[error("the message is no longer kept")]
    Forgotten,
    /// It could not be handled.
    #[error(transparent)]
    Handle(#[from] HandleError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl InboundService {
    /// Leaves an item to the operator after all its attempts. The accounts that it may belong to are looked
    /// for once only, since it may be this that fails.
    pub(super) async fn give_up(&self, item: &InboxItem) -> Result<Option<MessageState>, HandleError> {
        let detail = format!("it could not be worked on {MAX_ATTEMPTS} times");
        let is_first = item.attempts == MAX_ATTEMPTS.saturating_add(1);
        let Some(parsed) = is_first.then(|| self.read(item)).flatten() else {
            return self.settle(item, MessageState::Quarantined, Some(&detail)).await;
        };
        let candidates = match self.find(&parsed, item.received_at).await? {
            Match::One(matched) => {
                vec![QuarantineCandidate { account: matched.account, contact: matched.contact }]
            }
            Match::Several(candidates) => candidates,
            Match::None => Vec::new(),
        };
        self.quarantine(item, &parsed, &candidates, &detail).await
    }

    /// Holds reminders in every account that a message may belong to, then leaves the message to the
    /// operator.
    pub(super) async fn quarantine(
        &self,
        item: &InboxItem,
        parsed: &ParsedMessage,
        candidates: &[QuarantineCandidate],
        detail: &str,
    ) -> Result<Option<MessageState>, HandleError> {
        if candidates.is_empty() {
            return self.settle(item, MessageState::Quarantined, Some(detail)).await;
        }
        for candidate in candidates {
            retry_contended(|| self.hold(*candidate, parsed, item.id)).await?;
        }
        Ok(self.inbox.quarantine(item.id, detail, CONTACT_ERASED).await?)
    }

    async fn hold(
        &self,
        candidate: QuarantineCandidate,
        parsed: &ParsedMessage,
        item: MessageId,
    ) -> StoreResult<()> {
        let QuarantineCandidate { account, contact } = candidate;
        let mut tx = self.store.begin(account).await?;
        // Several contacts may share the sender's address, and any of them may have written.
        let mut contacts: BTreeSet<ContactId> = contact.into_iter().collect();
        if let Some(sender) = &parsed.sender {
            contacts.extend(tx.preferences().contacts_at(parsed.channel, sender).await?);
        }
        for contact in contacts {
            tx.preferences().lock(contact).await?;
        }
        if let Some(contact) = contact
            && tx.invoicing().contacts().is_erased(contact).await?
        {
            return Ok(());
        }
        if tx.preferences().hold_for_quarantine(item, contact, parsed.sender.as_ref()).await? {
            tx.commit().await?;
        }
        Ok(())
    }

    /// Assigns a message in quarantine to one of its candidate accounts, which also confirms its sender, and
    /// ends the holds in the others.
    pub async fn assign(&self, id: MessageId, account: AccountId) -> Result<(), QuarantineError> {
        let item = self.waiting(id).await?;
        let candidates = self.inbox.candidates(id).await?;
        let candidate = candidates.iter().find(|one| one.account == account);
        let candidate = candidate.ok_or(QuarantineError::NoCandidate)?;
        let mut parsed = self.read(&item).ok_or(QuarantineError::Forgotten)?;
        let matched = self.assigned(&parsed, *candidate, item.received_at).await?;
        parsed.leave_out_sent(&matched.answered_text);
        match self.file(&item, &parsed, matched).await? {
            Filed::As(_) => Ok(retry_contended(|| self.inbox.release(id)).await?),
            Filed::Before => Err(QuarantineError::NotFound),
            Filed::ContactErased => Err(QuarantineError::NoCandidate),
        }
    }

    /// Drops a message in quarantine, with its raw bytes and its sender: an erasure of its contact would no
    /// longer find it. Ends the holds.
    pub async fn drop_quarantined(&self, id: MessageId) -> Result<(), QuarantineError> {
        let from = MessageState::Quarantined;
        let dropped =
            retry_contended(|| self.inbox.drop_with_content(id, from, "the operator dropped it")).await?;
        if dropped { Ok(()) } else { Err(QuarantineError::NotFound) }
    }

    async fn waiting(&self, id: MessageId) -> Result<InboxItem, QuarantineError> {
        let item = self.inbox.item(id).await?;
        item.filter(|item| item.state == MessageState::Quarantined).ok_or(QuarantineError::NotFound)
    }
}
