//! Undoing the entry of a gateway key with the link in the owner's mail.

use kernel::{RetryOnContention, StoreError, retry_contended};
use time::OffsetDateTime;

use super::gateway_account::{GatewayAccount, KeyEntry};
use super::online_payments::OnlinePayments;
use super::ports::OnlineTx;
use super::task_job::GatewayTask;
use crate::undo_token::UndoToken;

/// Why the entry of a key was not undone.
#[derive(Debug, thiserror::Error)]
pub enum UndoKeyError {
    /// No entry has this token.
    #[error("no key was entered that has this address")]
    NotFound,
    /// The entry was undone already.
    #[error("this was undone already")]
    Undone,
    /// The key was entered too long ago.
    #[error("this key was entered more than seven days ago")]
    Expired,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl RetryOnContention for UndoKeyError {
    fn is_contended(&self) -> bool {
        matches!(self, Self::Store(error) if error.is_contended())
    }
}

impl OnlinePayments {
    /// The connection whose latest key this token undoes.
    ///
    /// # Errors
    /// An [`UndoKeyError`].
    pub async fn undoable_key(&self, token: &UndoToken) -> Result<GatewayAccount, UndoKeyError> {
        let gateways = self.reads.gateways(token.account()).await?;
        undoable(gateways, token, self.now())
    }

    /// Withdraws a key that is not in force yet, so that the previous key stays. A key already in force is
    /// kept for payments made with it, its open checkouts are expired, and the gateway is disconnected.
    /// Returns the connection as it was before.
    ///
    /// # Errors
    /// An [`UndoKeyError`]; then nothing was changed.
    pub async fn undo_key(&self, token: &UndoToken) -> Result<GatewayAccount, UndoKeyError> {
        retry_contended(async || {
            let now = self.now();
            let mut tx = self.store.begin(token.account()).await?;
            if !tx.online().lock_account().await? {
                return Err(UndoKeyError::NotFound);
            }
            let before = undoable(tx.online().gateways().await?, token, now)?;
            let mut gateway = GatewayAccount { undone_at: Some(now), ..before.clone() };
            let withdrawn = gateway.next_key.take_if(|next| next.in_force_at > now);
            if withdrawn.is_none() {
                if gateway.is_connected(now) {
                    gateway.disconnected_at = Some(now);
                }
                self.expire_checkouts(&mut *tx, &before, now).await?;
            }
            tx.online().put_gateway(&gateway).await?;
            tx.commit().await?;
            Ok(before)
        })
        .await
    }

    /// Queues the expiry of the checkouts that were opened with a connection's latest key.
    async fn expire_checkouts(
        &self,
        tx: &mut dyn OnlineTx,
        of: &GatewayAccount,
        now: OffsetDateTime,
    ) -> Result<(), StoreError> {
        let since = of.next_in_force(now).map(|next| next.in_force_at);
        let since = since.or_else(|| of.last_entry.as_ref().map(|entry| entry.entered_at)).unwrap_or(now);
        for (intent, invoice) in tx.online().open_intents_since(of.id, since).await? {
            let task = GatewayTask::Expire { intent: intent.uuid() };
            tx.jobs().queue(task.into_job(of.account, Some(invoice), &*self.invoicing.ids, now)).await?;
        }
        Ok(())
    }
}

fn undoable(
    gateways: Vec<GatewayAccount>,
    token: &UndoToken,
    now: OffsetDateTime,
) -> Result<GatewayAccount, UndoKeyError> {
    let entry =
        |gateway: &GatewayAccount| gateway.last_entry.clone().filter(|entry| entry.undo_hash == token.hash());
    let found = gateways.into_iter().find_map(|gateway| entry(&gateway).map(|entry| (gateway, entry)));
    let (gateway, entry) = found.ok_or(UndoKeyError::NotFound)?;
    if gateway.undone_at.is_some_and(|at| at >= entry.entered_at) {
        return Err(UndoKeyError::Undone);
    }
    if now - entry.entered_at >= KeyEntry::CAN_BE_UNDONE_FOR {
        return Err(UndoKeyError::Expired);
    }
    Ok(gateway)
}
