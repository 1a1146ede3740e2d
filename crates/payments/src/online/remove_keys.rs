//! Removing replaced keys once nothing needs them any more.

use kernel::{AccountId, OneFailed, StoreResult, retry_contended};
use time::{Duration, OffsetDateTime};

use super::gateway_account::GatewayAccount;
use super::online_payments::OnlinePayments;
use super::ports::OnlineTx;
use crate::gateway::GatewayAccountId;

/// How many connections are read at a time.
const BATCH: u32 = 500;

/// How long after a key came into force the opening of a checkout with the previous key may still be in
/// progress.
const BEING_OPENED: Duration = Duration::minutes(10);

/// How long after its request money that goes back keeps the key of its payment. What fails for so long is
/// left to the owner, who was told of it.
const REFUND_KEEPS_KEY: Duration = Duration::days(30);

impl OnlinePayments {
    /// Removes, for all accounts, each replaced key whose checkouts have all ended, and whose returns and
    /// refunds have been made. Returns how many were removed.
    ///
    /// # Errors
    /// A [`kernel::StoreError`]; keys removed before it stay removed. If it concerns one account alone, the
    /// others' keys were removed.
    pub async fn remove_replaced_keys(&self) -> StoreResult<u64> {
        let in_force_before = self.now() - BEING_OPENED;
        let (mut removed, mut after, mut failures) = (0_u64, None, OneFailed::default());
        loop {
            let batch = self.reads.replaced_keys(in_force_before, after, BATCH).await?;
            let Some(last) = batch.last() else {
                return failures.into_result().map(|()| removed);
            };
            after = Some(*last);
            for (account, id) in batch {
                let is_removed = retry_contended(|| self.try_to_remove(account, id)).await;
                let is_removed = failures.set_aside(is_removed, |error| {
                    tracing::warn!(gateway = %id, error = %error, "a gateway's replaced key is removed later");
                })?;
                removed = removed.saturating_add(u64::from(is_removed == Some(true)));
            }
        }
    }

    async fn try_to_remove(&self, account: AccountId, id: GatewayAccountId) -> StoreResult<bool> {
        let now = self.now();
        let mut tx = self.store.begin(account).await?;
        if !tx.online().lock_account().await? {
            return Ok(false);
        }
        let found = tx.online().gateways().await?.into_iter().find(|one| one.id == id);
        let Some(mut gateway) = found else {
            return Ok(false);
        };
        // The key may have been replaced or undone meanwhile.
        let in_force_before = now - BEING_OPENED;
        let Some(in_force_at) = gateway.next_in_force(in_force_before).map(|next| next.in_force_at) else {
            return Ok(false);
        };
        if is_needed(&mut *tx, &gateway, in_force_at, now).await? {
            return Ok(false);
        }
        gateway.remove_replaced_key();
        tx.online().put_gateway(&gateway).await?;
        tx.commit().await?;
        Ok(true)
    }
}

/// Whether the key that was replaced at an instant may be the only one that reaches a payment: the other one
/// may be of another company at the gateway.
async fn is_needed(
    tx: &mut dyn OnlineTx,
    gateway: &GatewayAccount,
    replaced_at: OffsetDateTime,
    now: OffsetDateTime,
) -> StoreResult<bool> {
    if tx.online().has_open_intents(gateway.id, replaced_at).await? {
        return Ok(true);
    }
    let since = now - REFUND_KEEPS_KEY;
    Ok(gateway.replaced_at(now).is_some()
        && tx.online().has_waiting_refunds(gateway.id, replaced_at, since).await?)
}
