//! What the operator decides about messages that may belong to several accounts.

use kernel::{AccountId, StoreError};

use super::handle::{Filed, HandleError};
use super::inbox::{InboxItem, StateChange};
use super::matching::Matched;
use super::receive::InboundService;
use crate::message::{MessageId, MessageState};

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
    /// Assigns a message in quarantine to one of its candidate accounts, which also confirms its sender, and
    /// ends the holds in the others.
    ///
    /// # Errors
    /// A [`QuarantineError`].
    pub async fn assign(&self, id: MessageId, account: AccountId) -> Result<(), QuarantineError> {
        let item = self.waiting(id).await?;
        let candidates = self.inbox.candidates(id).await?;
        let candidate = candidates.iter().find(|one| one.account == account);
        let candidate = candidate.ok_or(QuarantineError::NoCandidate)?;
        let parsed = self.read(&item).ok_or(QuarantineError::Forgotten)?;
        let contact = candidate.contact;
        let matched = Matched { account, contact, invoice: None, is_sure: true, written_to: None };
        let matched = self.with_invoice(matched, &parsed).await?;
        match self.file(&item, &parsed, matched).await? {
            Filed::As(_) => Ok(self.inbox.release(id).await?),
            Filed::Before => Err(QuarantineError::NotFound),
            Filed::ContactErased => Err(QuarantineError::NoCandidate),
        }
    }

    /// Drops a message in quarantine, and ends the holds.
    ///
    /// # Errors
    /// A [`QuarantineError`].
    pub async fn drop_quarantined(&self, id: MessageId) -> Result<(), QuarantineError> {
        let item = self.waiting(id).await?;
        let dropped = StateChange { from: item.state, to: MessageState::Dropped };
        if !self.inbox.settle(id, dropped, Some("the operator dropped it")).await? {
            return Err(QuarantineError::NotFound);
        }
        Ok(self.inbox.release(id).await?)
    }

    async fn waiting(&self, id: MessageId) -> Result<InboxItem, QuarantineError> {
        let item = self.inbox.item(id).await?;
        item.filter(|item| item.state == MessageState::Quarantined).ok_or(QuarantineError::NotFound)
    }
}
