//! The operator's use cases: partners, and the switches and limits of accounts.

use std::sync::Arc;

use access::{ApiKey, KeySpace, NewKey};
use kernel::{AccountId, Clock, Id, Ids, Operator, PartnerId, SecureRandom, StoreError};
use time::OffsetDateTime;

use crate::account::Account;
use crate::partner::{Partner, PartnerName};
use crate::ports::{AccountChange, OperatorStore};

/// The use cases of the operator, over their ports.
#[derive(Clone)]
pub struct OperatorAccounts {
    /// Reads and changes partners and accounts of every tenant.
    pub store: Arc<dyn OperatorStore>,
    pub clock: Arc<dyn Clock>,
    pub ids: Arc<dyn Ids>,
    pub random: Arc<dyn SecureRandom>,
}

/// Why a use case of the operator fails.
#[derive(Debug, thiserror::Error)]
pub enum OperatorError {
    #[error("there is no {0} with this id")]
    NotFound(&'static str),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl OperatorAccounts {
    /// Creates a partner with its first key. The key is returned here only.
    pub async fn create_partner(
        &self,
        operator: Operator,
        name: PartnerName,
    ) -> Result<(Partner, ApiKey), OperatorError> {
        let now = self.clock.now();
        let partner = Partner { id: Id::new(&*self.ids, now), name, disabled: false, created_at: now };
        let (key, record) = self.new_key(KeySpace::Partner, now);
        self.store.insert_partner(operator, &partner, &record).await?;
        Ok((partner, key))
    }

    /// Switches a partner off or on. Its accounts keep working.
    ///
    /// # Errors
    /// [`OperatorError::NotFound`].
    pub async fn set_partner_disabled(
        &self,
        operator: Operator,
        id: PartnerId,
        disabled: bool,
    ) -> Result<Partner, OperatorError> {
        let changed = self.store.set_partner_disabled(operator, id, disabled).await?;
        changed.ok_or(OperatorError::NotFound("partner"))
    }

    /// Issues a new key to a partner and revokes all earlier ones.
    ///
    /// # Errors
    /// [`OperatorError::NotFound`].
    pub async fn rotate_partner_key(
        &self,
        operator: Operator,
        id: PartnerId,
    ) -> Result<ApiKey, OperatorError> {
        let (key, record) = self.new_key(KeySpace::Partner, self.clock.now());
        let found = self.store.put_partner_key(operator, id, &record).await?;
        found.then_some(key).ok_or(OperatorError::NotFound("partner"))
    }

    /// One account.
    ///
    /// # Errors
    /// [`OperatorError::NotFound`].
    pub async fn account(&self, operator: Operator, id: AccountId) -> Result<Account, OperatorError> {
        self.store.account(operator, id).await?.ok_or(OperatorError::NotFound("account"))
    }

    /// Changes an account's switch, limit or currency. A change to the value that the account has already
    /// succeeds and changes nothing.
    ///
    /// # Errors
    /// [`OperatorError::NotFound`].
    pub async fn change_account(
        &self,
        operator: Operator,
        id: AccountId,
        change: AccountChange,
    ) -> Result<Account, OperatorError> {
        let changed = self.store.change_account(operator, id, change, self.clock.now()).await?;
        changed.ok_or(OperatorError::NotFound("account"))
    }

    /// A new account key, in the clear only here, and its record for the store. No account has it yet.
    #[must_use]
    pub fn new_account_key(&self) -> (ApiKey, NewKey) {
        self.new_key(KeySpace::Account, self.clock.now())
    }

    /// Gives an account a new key and revokes all earlier ones.
    ///
    /// # Errors
    /// [`OperatorError::NotFound`].
    pub async fn put_account_key(
        &self,
        operator: Operator,
        id: AccountId,
        key: &NewKey,
    ) -> Result<(), OperatorError> {
        let found = self.store.put_account_key(operator, id, key).await?;
        found.then_some(()).ok_or(OperatorError::NotFound("account"))
    }

    pub(crate) fn new_key(&self, space: KeySpace, now: OffsetDateTime) -> (ApiKey, NewKey) {
        ApiKey::issue(space, &*self.random, &*self.ids, now)
    }
}
