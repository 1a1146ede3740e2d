//! The service that the use cases of bank details are methods of.

use std::sync::Arc;

use kernel::{AccountScope, Clock, Currency, Ids, SealingKeys, SecureRandom, StoreError};
use time::Duration;

use crate::entry::{BankDetailsEntry, in_force};
use crate::ports::{BankDetailsReads, BankDetailsStore};

/// The use cases of bank details, over their ports.
#[derive(Clone)]
pub struct BankDetailsService {
    /// Begins transactions.
    pub store: Arc<dyn BankDetailsStore>,
    /// Reads outside any transaction.
    pub reads: Arc<dyn BankDetailsReads>,
    /// Tells what is in force.
    pub clock: Arc<dyn Clock>,
    /// Makes ids.
    pub ids: Arc<dyn Ids>,
    /// Makes the tokens of links that undo a change.
    pub random: Arc<dyn SecureRandom>,
    /// The keys that these tokens are sealed under in mail that waits.
    pub keys: Arc<SealingKeys>,
    /// How long it takes until new details are in force.
    pub delay: Duration,
}

impl BankDetailsService {
    /// The account's entries that were not withdrawn, by currency and age.
    ///
    /// # Errors
    /// A [`StoreError`].
    pub async fn list(&self, scope: &AccountScope) -> Result<Vec<BankDetailsEntry>, StoreError> {
        self.reads.standing(scope.id).await
    }

    /// Whether there are details of any currency that payers see now.
    ///
    /// # Errors
    /// A [`StoreError`].
    pub async fn are_shown(&self, scope: &AccountScope) -> Result<bool, StoreError> {
        let (entries, now) = (self.list(scope).await?, self.clock.now());
        let mut by_currency = entries.chunk_by(|one, next| one.currency == next.currency);
        Ok(by_currency.any(|entries| in_force(entries, now).is_some_and(|entry| entry.details.is_some())))
    }

    /// The account's entry of a currency that is in force now.
    ///
    /// # Errors
    /// A [`StoreError`].
    pub async fn in_force(
        &self,
        scope: &AccountScope,
        currency: Currency,
    ) -> Result<Option<BankDetailsEntry>, StoreError> {
        self.reads.in_force(scope.id, currency, self.clock.now()).await
    }
}
