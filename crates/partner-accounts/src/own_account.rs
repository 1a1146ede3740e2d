//! The use cases of an account's owner: reading and changing the account.

use std::sync::Arc;

use access::{ApiKey, KeySpace, NewKey};
use kernel::{AccountId, Clock, Ids, PublicUrls, SecureRandom, StoreError, retry_contended};
use mail::SilencedNotices;

use crate::account::Account;
use crate::audited;
use crate::logo::Logos;
use crate::ports::OwnAccountStore;

/// The use cases of an account's owner, over their ports.
#[derive(Clone)]
pub struct OwnAccounts {
    pub store: Arc<dyn OwnAccountStore>,
    pub clock: Arc<dyn Clock>,
    pub ids: Arc<dyn Ids>,
    pub random: Arc<dyn SecureRandom>,
    /// Fetches and stores logos.
    pub logos: Logos,
    /// Makes the addresses of logos.
    pub urls: PublicUrls,
}

/// Why a use case of an owner failed.
#[derive(Debug, thiserror::Error)]
pub enum OwnAccountError {
    #[error("there is no such account")]
    NotFound,
    #[error("it was changed in the meantime")]
    Changed,
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl OwnAccounts {
    /// The account.
    pub async fn get(&self, account: AccountId) -> Result<Account, OwnAccountError> {
        self.store.get(account).await?.ok_or(OwnAccountError::NotFound)
    }

    /// A new key, in the clear only here, and its record for the store. No account has it yet.
    #[must_use]
    pub fn new_key(&self) -> (ApiKey, NewKey) {
        ApiKey::issue(KeySpace::Account, &*self.random, &*self.ids, self.clock.now())
    }

    /// Gives the account a new key and revokes all earlier ones, both at the commit and without a grace
    /// period. `replaced` has the last four characters of the key that the caller wants to replace; it is
    /// empty if the account had none.
    ///
    /// # Errors
    /// An [`OwnAccountError`], [`OwnAccountError::Changed`] if the account has another key by now. Then no
    /// key changed.
    pub async fn put_key(
        &self,
        account: AccountId,
        key: &NewKey,
        replaced: Option<&str>,
    ) -> Result<(), OwnAccountError> {
        retry_contended(async || {
            let mut tx = self.store.begin(account).await?;
            let before = tx.own_account().lock().await?.ok_or(OwnAccountError::NotFound)?;
            let last_four = before.key.as_ref().map_or("", |key| key.last_four.as_str());
            if replaced.is_some_and(|replaced| replaced != last_four) {
                return Err(OwnAccountError::Changed);
            }
            if !tx.own_account().put_key(key).await? {
                return Err(OwnAccountError::NotFound);
            }
            tx.complete_audit(audited::new_key(before.key.as_ref(), key));
            tx.commit().await?;
            Ok(())
        })
        .await
    }

    /// The notices that the owner has switched off.
    pub async fn silenced(&self, account: AccountId) -> Result<SilencedNotices, OwnAccountError> {
        self.store.silenced(account).await?.ok_or(OwnAccountError::NotFound)
    }

    /// Sets the notices that the owner has switched off, if they are still `from`.
    ///
    /// # Errors
    /// [`OwnAccountError::Changed`] when `from` is outdated; then nothing was changed.
    pub async fn silence(
        &self,
        account: AccountId,
        from: SilencedNotices,
        to: SilencedNotices,
    ) -> Result<(), OwnAccountError> {
        let is_set = retry_contended(|| self.store.silence(account, from, to)).await?;
        is_set.then_some(()).ok_or(OwnAccountError::Changed)
    }
}
