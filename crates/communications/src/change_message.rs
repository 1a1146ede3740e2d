//! Changing one message under its lock.

use kernel::{AccountId, StoreResult, retry_contended};

use crate::message::{Message, MessageId};
use crate::ports::CommunicationsStore;

/// Changes a message, unless it was removed. `change` says whether it changed anything; it may run twice.
pub(crate) async fn change_message(
    store: &dyn CommunicationsStore,
    account: AccountId,
    id: MessageId,
    change: impl Fn(&mut Message) -> bool,
) -> StoreResult<()> {
    retry_contended(async || {
        let mut tx = store.begin(account).await?;
        if let Some(mut message) = tx.messages().lock(id).await?
            && change(&mut message)
        {
            tx.messages().update(&message).await?;
            tx.commit().await?;
        }
        Ok(())
    })
    .await
}
