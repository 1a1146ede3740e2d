//! Reading a partner's accounts.

use kernel::{AccountId, OffsetPage, PageSize, PartnerScope, SingleLine, StoreError, StoreResult};

use crate::account::Account;
use crate::partner_accounts::PartnerAccounts;

/// Why an account cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadAccountError {
    #[error("the partner has no such account")]
    NotFound,
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl PartnerAccounts {
    /// One account of the partner, by id.
    ///
    /// # Errors
    /// [`ReadAccountError::NotFound`], also for another partner's account.
    pub async fn get(&self, partner: PartnerScope, id: AccountId) -> Result<Account, ReadAccountError> {
        self.reads.get(partner, id).await?.ok_or(ReadAccountError::NotFound)
    }

    /// The partner's account with this external id, compared exactly.
    ///
    /// # Errors
    /// [`ReadAccountError::NotFound`] when no account has it.
    pub async fn with_external_id(
        &self,
        partner: PartnerScope,
        external_id: &SingleLine<255>,
    ) -> Result<Account, ReadAccountError> {
        let found = self.reads.with_external_id(partner, external_id).await?;
        found.ok_or(ReadAccountError::NotFound)
    }

    /// One page of the partner's accounts, newest first.
    pub async fn list(
        &self,
        partner: PartnerScope,
        size: PageSize,
        offset: u64,
    ) -> StoreResult<OffsetPage<Account>> {
        self.reads.list(partner, size.get(), offset).await
    }
}
