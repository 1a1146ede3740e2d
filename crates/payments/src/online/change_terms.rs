//! Changing what an owner sets for payers.

use kernel::{AccountId, StoreError, Version, retry_contended};

use super::online_payments::OnlinePayments;
use super::settings::{PaymentSettings, PaymentTerms};
use crate::audited;

/// A change of the terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TermsChange {
    /// How many days from today payers may promise to pay within.
    PromiseDays(u16),
    /// The settings for online payments. Charges that are already settled stay unchanged.
    Online(PaymentSettings),
}

/// Why the terms were not changed.
#[derive(Debug, thiserror::Error)]
pub enum ChangeTermsError {
    /// There is no such account.
    #[error("there is no such account")]
    NotFound,
    /// The terms were changed since the version that the owner saw.
    #[error("the settings were changed in the meantime")]
    Changed,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl TermsChange {
    const fn applied_to(self, before: PaymentTerms) -> PaymentTerms {
        match self {
            Self::PromiseDays(promise_days) => PaymentTerms { promise_days, ..before },
            Self::Online(online) => PaymentTerms { online, ..before },
        }
    }
}

impl OnlinePayments {
    /// Changes the terms, if they still have this version. A change to what they are already succeeds and
    /// changes nothing.
    ///
    /// # Errors
    /// A [`ChangeTermsError`]; then nothing was changed.
    pub async fn change_terms(
        &self,
        account: AccountId,
        change: TermsChange,
        version: Option<&Version>,
    ) -> Result<(), ChangeTermsError> {
        retry_contended(async || {
            let mut tx = self.store.begin(account).await?;
            let before: PaymentTerms = tx.online().lock_terms().await?.ok_or(ChangeTermsError::NotFound)?;
            if version.is_some_and(|version| *version != before.version()) {
                return Err(ChangeTermsError::Changed);
            }
            let after = change.applied_to(before);
            if after == before {
                return Ok(());
            }
            match change {
                TermsChange::PromiseDays(days) => tx.online().set_promise_days(days).await?,
                TermsChange::Online(settings) => tx.online().put_settings(&settings).await?,
            }
            tx.complete_audit(audited::terms(&before, &after));
            tx.commit().await?;
            Ok(())
        })
        .await
    }
}
