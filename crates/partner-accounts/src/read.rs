//! Reading a partner's accounts.

use kernel::{AccountId, OffsetPage, PageSize, PartnerScope, ReadError, SingleLine, StoreResult};

use crate::account::Account;
use crate::partner_accounts::PartnerAccounts;

const NOT_FOUND: ReadError = ReadError::NotFound("the partner has no such account");

impl PartnerAccounts {
    /// One account of the partner, by id.
    ///
    /// # Errors
    /// [`ReadError::NotFound`], also for another partner's account.
    pub async fn get(&self, partner: PartnerScope, id: AccountId) -> Result<Account, ReadError> {
        self.reads.get(partner, id).await?.ok_or(NOT_FOUND)
    }

    /// The partner's account with this external id, compared exactly.
    ///
    /// # Errors
    /// [`ReadError::NotFound`] when no account has it.
    pub async fn with_external_id(
        &self,
        partner: PartnerScope,
        external_id: &SingleLine<255>,
    ) -> Result<Account, ReadError> {
        let found = self.reads.with_external_id(partner, external_id).await?;
        found.ok_or(NOT_FOUND)
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
