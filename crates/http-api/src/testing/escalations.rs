//! Escalations, which no request raises.

use async_trait::async_trait;
use escalations::{Escalation, EscalationId, EscalationReads};
use kernel::{AccountId, StoreError};

use super::store::Store;

#[async_trait]
impl EscalationReads for Store {
    async fn get(
        &self,
        account: AccountId,
        id: EscalationId,
    ) -> Result<Option<Escalation>, StoreError> {
        let mut escalations = self.look().await?.escalations.into_iter();
        Ok(escalations.find(|one| one.account == account && one.id == id))
    }
}
