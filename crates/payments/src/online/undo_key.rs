//! Undoing the entry of a gateway key with the link in the owner's mail.

use kernel::{AccountToken, StoreResult, retry_contended};
use time::OffsetDateTime;

use super::gateway_account::{GatewayAccount, KeyEntry};
use super::gateway_job::GatewayTask;
use super::online_payments::OnlinePayments;
use super::ports::OnlineTx;
use crate::bank_details::undo::UndoError;

/// A key that can be undone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UndoableKey {
    /// The gateway account, as it is while the key can be undone.
    pub gateway: GatewayAccount,
    /// When the key comes into force, UTC, if it still waits.
    pub waits_until: Option<OffsetDateTime>,
    /// From when on checkouts may have been opened with the key, UTC.
    used_since: OffsetDateTime,
}

impl OnlinePayments {
    /// The key that this token undoes.
    pub async fn undoable_key(&self, token: &AccountToken) -> Result<UndoableKey, UndoError> {
        let gateways = self.reads.gateways(token.account()).await?;
        self.undoable(gateways, token, self.now())
    }

    /// Withdraws a key that is not in force yet, so that the previous key stays. A key already in force is
    /// kept for payments made with it, the checkouts opened since are expired, and the gateway is
    /// disconnected; a later key that waits is withdrawn with it. Returns the key as it was before.
    ///
    /// # Errors
    /// An [`UndoError`]; then nothing was changed.
    pub async fn undo_key(&self, token: &AccountToken) -> Result<UndoableKey, UndoError> {
        retry_contended(async || {
            let now = self.now();
            let mut tx = self.store.begin(token.account()).await?;
            if !tx.online().lock_account().await? {
                return Err(UndoError::NotFound);
            }
            let undone = self.undoable(tx.online().lock_gateways().await?, token, now)?;
            let mut gateway = GatewayAccount { undone_at: Some(now), ..undone.gateway.clone() };
            gateway.next_key.take_if(|next| next.in_force_at > now);
            // A key in force that was undone before stays so.
            if undone.waits_until.is_none() || undone.gateway.is_undone(now) {
                gateway.disconnected_at = Some(now);
            }
            if undone.waits_until.is_none() {
                self.expire_checkouts(&mut *tx, &undone, now).await?;
            }
            tx.online().put_gateway(&gateway).await?;
            tx.commit().await?;
            Ok(undone)
        })
        .await
    }

    /// Queues the expiry of the checkouts that were opened with a key.
    async fn expire_checkouts(
        &self,
        tx: &mut dyn OnlineTx,
        of: &UndoableKey,
        now: OffsetDateTime,
    ) -> StoreResult<()> {
        let account = of.gateway.account;
        for (intent, invoice) in tx.online().open_intents_since(of.gateway.id, of.used_since).await? {
            let task = GatewayTask::Expire { intent: intent.uuid() };
            tx.jobs().queue(task.into_job(account, Some(invoice), &*self.invoicing.ids, now)).await?;
        }
        Ok(())
    }

    fn undoable(
        &self,
        gateways: Vec<GatewayAccount>,
        token: &AccountToken,
        now: OffsetDateTime,
    ) -> Result<UndoableKey, UndoError> {
        let (hash, mut found) = (token.hash(), None);
        for gateway in gateways {
            let is_it = |entry: &&KeyEntry| entry.undo_token_hash == hash;
            if let Some(entry) = gateway.last_entry.as_ref().filter(is_it).cloned() {
                let is_undone = gateway.undone_at.is_some_and(|at| at >= entry.entered_at);
                found = Some((undoable_last(gateway, &entry, now), entry, is_undone));
            } else if let Some(entry) = gateway.entry_in_force(now).filter(is_it).cloned() {
                let is_undone = gateway.is_undone(now);
                let key = UndoableKey { gateway, waits_until: None, used_since: entry.entered_at };
                found = Some((key, entry, is_undone));
            }
        }
        let (key, entry, is_undone) = found.ok_or(UndoError::NotFound)?;
        if is_undone {
            return Err(UndoError::Undone);
        }
        // The delay is the operator's, and may be longer than the seven days.
        if now - entry.entered_at >= KeyEntry::CAN_BE_UNDONE_FOR.saturating_add(self.delay) {
            return Err(UndoError::Expired);
        }
        Ok(key)
    }
}

/// The gateway account's latest key.
fn undoable_last(gateway: GatewayAccount, entry: &KeyEntry, now: OffsetDateTime) -> UndoableKey {
    UndoableKey {
        waits_until: gateway.pending_key(now).map(|next| next.in_force_at),
        used_since: gateway.next_in_force(now).map_or(entry.entered_at, |next| next.in_force_at),
        gateway,
    }
}
