//! Entering and removing bank details.

use kernel::random::RandomnessUnavailable;
use kernel::{AccountScope, Currency, Id, RetryOnContention, StoreError, retry_contended};
use time::OffsetDateTime;

use crate::bank_details::BankDetails;
use crate::bank_details_service::BankDetailsService;
use crate::email::changed_mail;
use crate::entry::{BankDetailsEntry, BankDetailsId, in_force, pending};
use crate::undo_token::UndoToken;

/// Bank details to enter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewBankDetails {
    /// The currency of the payments.
    pub currency: Currency,
    /// Where to transfer them.
    pub details: BankDetails,
}

/// Why bank details are not changed.
#[derive(Debug, thiserror::Error)]
pub enum ChangeBankDetailsError {
    /// There is no such account.
    #[error("there is no such account")]
    NotFound,
    /// The machine has no random.
    #[error(transparent)]
    SecureRandom(#[from] RandomnessUnavailable),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl RetryOnContention for ChangeBankDetailsError {
    fn is_contended(&self) -> bool {
        matches!(self, Self::Store(error) if error.is_contended())
    }
}

impl BankDetailsService {
    /// Enters the details of a currency. They come into force after the delay, in place of the earlier ones;
    /// ones that were to come into force never will. The owner is mailed a link that undoes the change.
    ///
    /// Details that are in force or on their way already change nothing: `None`. Those in force withdraw the
    /// ones that were on their way.
    ///
    /// # Errors
    /// A [`ChangeBankDetailsError`]; then nothing was changed.
    pub async fn change(
        &self,
        scope: &AccountScope,
        new: &NewBankDetails,
    ) -> Result<Option<BankDetailsEntry>, ChangeBankDetailsError> {
        retry_contended(|| self.try_to_change(scope, new)).await
    }

    async fn try_to_change(
        &self,
        scope: &AccountScope,
        new: &NewBankDetails,
    ) -> Result<Option<BankDetailsEntry>, ChangeBankDetailsError> {
        let now = self.clock.now();
        let mut tx = self.store.begin(scope.id).await?;
        let owner = tx.bank_details().lock().await?.ok_or(ChangeBankDetailsError::NotFound)?;
        let standing = tx.bank_details().standing(new.currency).await?;
        let waiting = pending(&standing, now);
        if waiting.is_some_and(|entry| entry.details == new.details) {
            return Ok(None);
        }
        let withdrawn: Vec<BankDetailsId> = to_come(&standing, now);
        tx.bank_details().withdraw(&withdrawn, now).await?;
        if in_force(&standing, now).is_some_and(|entry| entry.details == new.details) {
            tx.commit().await?;
            return Ok(None);
        }
        let token = UndoToken::generate(scope.id, &*self.random)?;
        let entry = BankDetailsEntry {
            id: Id::new(&*self.ids, now),
            account: scope.id,
            currency: new.currency,
            details: new.details.clone(),
            entered_at: now,
            in_force_at: now.saturating_add(self.delay),
            undo_hash: token.hash(),
            withdrawn_at: None,
        };
        tx.bank_details().insert(&entry).await?;
        let mail = changed_mail(&entry, &owner, &token, Id::new(&*self.ids, now), &self.keys, &*self.random)?;
        tx.jobs().queue(mail.into_job()).await?;
        tx.commit().await?;
        Ok(Some(entry))
    }

    /// Removes the details of a currency at once: invoices show none. Returns the ones that were in force.
    ///
    /// # Errors
    /// A [`ChangeBankDetailsError`]; then nothing was changed.
    pub async fn remove(
        &self,
        scope: &AccountScope,
        currency: Currency,
    ) -> Result<Option<BankDetailsEntry>, ChangeBankDetailsError> {
        retry_contended(|| self.try_to_remove(scope, currency)).await
    }

    async fn try_to_remove(
        &self,
        scope: &AccountScope,
        currency: Currency,
    ) -> Result<Option<BankDetailsEntry>, ChangeBankDetailsError> {
        let now = self.clock.now();
        let mut tx = self.store.begin(scope.id).await?;
        tx.bank_details().lock().await?.ok_or(ChangeBankDetailsError::NotFound)?;
        let standing = tx.bank_details().standing(currency).await?;
        let ids: Vec<BankDetailsId> = standing.iter().map(|entry| entry.id).collect();
        tx.bank_details().withdraw(&ids, now).await?;
        tx.commit().await?;
        Ok(in_force(&standing, now).cloned())
    }
}

fn to_come(entries: &[BankDetailsEntry], now: OffsetDateTime) -> Vec<BankDetailsId> {
    entries.iter().filter(|entry| entry.in_force_at > now).map(|entry| entry.id).collect()
}
