//! Rotating an account's key.

use access::{ApiKey, KeySpace};
use kernel::{AccountId, PartnerScope, StoreError, retry_contended};

use crate::partner_accounts::PartnerAccounts;

/// Why a key was not rotated.
#[derive(Debug, thiserror::Error)]
pub enum RotateKeyError {
    #[error("the partner has no such account")]
    NotFound,
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl PartnerAccounts {
    /// Issues a new key to an account and revokes all earlier ones, both at the commit and without a grace
    /// period (contract, "Partner accounts"). The key is in the clear only here.
    ///
    /// # Errors
    /// [`RotateKeyError::NotFound`], also for another partner's account; then no key changed.
    pub async fn rotate_key(&self, partner: PartnerScope, id: AccountId) -> Result<ApiKey, RotateKeyError> {
        retry_contended(|| self.try_to_rotate(partner, id)).await
    }

    async fn try_to_rotate(&self, partner: PartnerScope, id: AccountId) -> Result<ApiKey, RotateKeyError> {
        let now = self.clock.now();
        let (key, record) = ApiKey::issue(KeySpace::Account, &*self.random, &*self.ids, now);
        let mut tx = self.store.begin(partner).await?;
        if !tx.accounts().put_key(id, &record).await? {
            return Err(RotateKeyError::NotFound);
        }
        tx.commit().await?;
        Ok(key)
    }
}
