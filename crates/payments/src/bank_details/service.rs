//! The service whose methods are the use cases of bank details.

use std::sync::Arc;

use kernel::{AccountScope, Clock, Currency, Ids, SealingKeys, SecureRandom, StoreResult};
use time::Duration;

use super::entry::{BankDetailsEntry, in_force};
use super::ports::{BankDetailsReads, BankDetailsStore};

/// The use cases of bank details, over their ports.
#[derive(Clone)]
pub struct BankDetailsService {
    /// Begins transactions.
    pub store: Arc<dyn BankDetailsStore>,
    /// Reads outside any transaction.
    pub reads: Arc<dyn BankDetailsReads>,
    /// Decides which entries are in force.
    pub clock: Arc<dyn Clock>,
    /// Generates ids.
    pub ids: Arc<dyn Ids>,
    /// The random source for tokens of links that undo a change.
    pub random: Arc<dyn SecureRandom>,
    /// The keys that seal these tokens in queued mail.
    pub keys: Arc<SealingKeys>,
    /// The delay until new details come into force.
    pub delay: Duration,
}

impl BankDetailsService {
    /// The account's entries that were not withdrawn, by currency and age.
    pub async fn list(&self, scope: &AccountScope) -> StoreResult<Vec<BankDetailsEntry>> {
        self.reads.not_withdrawn(scope.id).await
    }

    /// Whether payers now see details of any currency.
    pub async fn are_shown(&self, scope: &AccountScope) -> StoreResult<bool> {
        let (entries, now) = (self.list(scope).await?, self.clock.now());
        let mut by_currency = entries.chunk_by(|one, next| one.currency == next.currency);
        Ok(by_currency.any(|entries| in_force(entries, now).is_some_and(|entry| entry.details.is_some())))
    }

    /// The account's entry for a currency that is in force now.
    pub async fn in_force(
        &self,
        scope: &AccountScope,
        currency: Currency,
    ) -> StoreResult<Option<BankDetailsEntry>> {
        self.reads.in_force(scope.id, currency, self.clock.now()).await
    }
}
