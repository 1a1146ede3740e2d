//! Undoing a change of bank details with the link in the owner's mail.

use kernel::{AccountToken, StoreError, retry_contended};

use super::entry::BankDetailsEntry;
use super::ports::AccountOwner;
use super::service::BankDetailsService;

/// Why a change was not undone.
#[derive(Debug, thiserror::Error)]
pub enum UndoError {
    /// No change has this token.
    #[error("no change has this token")]
    NotFound,
    /// The change was undone, removed or replaced already.
    #[error("the change was undone, removed or replaced already")]
    Undone,
    /// The change has been in force for too long.
    #[error("the time in which the change can be undone is over")]
    Expired,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl BankDetailsService {
    /// The change that a token undoes.
    pub async fn undoable(&self, token: &AccountToken) -> Result<BankDetailsEntry, UndoError> {
        let found = self.reads.by_undo_token(token.account(), &token.hash()).await?;
        let entry = found.ok_or(UndoError::NotFound)?;
        if entry.is_withdrawn() {
            return Err(UndoError::Undone);
        }
        if self.clock.now() - entry.in_force_at >= BankDetailsEntry::CAN_BE_UNDONE_FOR {
            return Err(UndoError::Expired);
        }
        Ok(entry)
    }

    /// Withdraws the entry with this token, whether or not it has come into force: the previous entry
    /// applies. Returns the entry with the owner who was mailed the token.
    ///
    /// # Errors
    /// An [`UndoError`]; then nothing was changed.
    pub async fn undo(&self, token: &AccountToken) -> Result<(BankDetailsEntry, AccountOwner), UndoError> {
        let entry = self.undoable(token).await?;
        let owner = retry_contended(async || {
            let now = self.clock.now();
            let mut tx = self.store.begin(entry.account).await?;
            let owner = tx.bank_details().lock().await?.ok_or(UndoError::NotFound)?;
            // Of two concurrent requests, one succeeds.
            if tx.bank_details().withdraw(&[entry.id], now).await? == 0 {
                return Err(UndoError::Undone);
            }
            tx.commit().await?;
            Ok::<_, UndoError>(owner)
        })
        .await?;
        Ok((entry, owner))
    }
}
