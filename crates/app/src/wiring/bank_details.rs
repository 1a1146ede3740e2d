//! Bank details: the use cases that change them, and the port that documents read them through.

use std::sync::Arc;

use async_trait::async_trait;
use invoices::{BankTransfer, BankTransfers};
use kernel::{AccountId, Currency, SealingKeys, StoreResult};
use payments::{BankDetailsReads, BankDetailsService};
use time::{Duration, OffsetDateTime};

use super::Dependencies;

impl Dependencies {
    /// The use cases of bank details.
    pub(super) fn bank_details(&self, keys: Arc<SealingKeys>, delay: Duration) -> BankDetailsService {
        BankDetailsService {
            store: self.store.bank_details.clone(),
            reads: self.store.bank_details_reads.clone(),
            clock: self.clock.clone(),
            ids: self.ids.clone(),
            random: self.random.clone(),
            keys,
            delay,
        }
    }

    /// The port through which documents read bank details.
    pub(super) fn bank_transfers(&self) -> Arc<dyn BankTransfers> {
        Arc::new(InForce(self.store.bank_details_reads.clone()))
    }
}

struct InForce(Arc<dyn BankDetailsReads>);

#[async_trait]
impl BankTransfers for InForce {
    async fn in_force(
        &self,
        account: AccountId,
        currency: Currency,
        at: OffsetDateTime,
    ) -> StoreResult<Option<BankTransfer>> {
        let entry = self.0.in_force(account, currency, at).await?;
        Ok(entry.and_then(|entry| entry.transfer()))
    }
}
