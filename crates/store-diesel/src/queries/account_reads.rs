//! Reading a partner's accounts.

use async_trait::async_trait;
use kernel::{AccountId, OffsetPage, PartnerScope, SingleLine, StoreResult};
use partner_accounts::{Account, AccountReads};

use super::database::Database;
use super::whole_accounts::{self, AccountSelection};

#[async_trait]
impl AccountReads for Database {
    async fn get(&self, partner: PartnerScope, id: AccountId) -> StoreResult<Option<Account>> {
        let mut connection = self.pool.read().await?;
        whole_accounts::read(&mut connection, AccountSelection::OfPartner(partner.id, id)).await
    }

    async fn with_external_id(
        &self,
        partner: PartnerScope,
        external_id: &SingleLine<255>,
    ) -> StoreResult<Option<Account>> {
        let mut connection = self.pool.read().await?;
        whole_accounts::read(&mut connection, AccountSelection::WithExternalId(partner.id, external_id)).await
    }

    async fn list(
        &self,
        partner: PartnerScope,
        limit: usize,
        offset: u64,
    ) -> StoreResult<OffsetPage<Account>> {
        let mut connection = self.pool.read().await?;
        whole_accounts::page(&mut connection, partner.id, limit, offset).await
    }
}
