//! Resealing the secrets of gateways after a change of the master key.

use kernel::{Operator, StoreResult, retry_contended};

use super::connect::ConnectError;
use super::gateway_account::{GatewayAccount, SealedGatewaySecret};
use super::online_payments::OnlinePayments;
use super::ports::OnlineReads;

/// How many gateway accounts are read at a time.
const BATCH: u32 = 500;

impl OnlinePayments {
    /// Reseals under the present key every gateway secret that is still sealed under the previous key.
    /// Returns how many secrets were resealed.
    ///
    /// # Errors
    /// A [`ConnectError`]; secrets resealed before it stay resealed.
    pub async fn rekey(&self, _operator: Operator) -> Result<u64, ConnectError> {
        let (mut rewritten, mut after) = (0_u64, None);
        loop {
            let batch = self.reads.all_gateways(after, BATCH).await?;
            let Some(last) = batch.last() else {
                return Ok(rewritten);
            };
            after = Some(last.0);
            for (_, gateway) in batch {
                let gateway = gateway?;
                let anew = retry_contended(|| self.try_to_rekey(&gateway)).await?;
                rewritten = rewritten.saturating_add(anew);
            }
        }
    }

    async fn try_to_rekey(&self, of: &GatewayAccount) -> Result<u64, ConnectError> {
        let mut tx = self.store.begin(of.account).await?;
        if !tx.online().lock_account().await? {
            return Ok(0);
        }
        let Some(mut gateway) = tx.online().gateways().await?.into_iter().find(|one| one.id == of.id) else {
            return Ok(0);
        };
        let row = (gateway.account, gateway.id);
        let key_prefix = self.keys.present_key_prefix();
        let mut rewritten = 0_u64;
        for sealed in under_other_keys(&mut gateway, &key_prefix) {
            let secret = sealed.open(&self.keys, row)?;
            *sealed = SealedGatewaySecret::seal(&secret, &self.keys, &*self.random, row);
            rewritten = rewritten.saturating_add(1);
        }
        if rewritten > 0 {
            tx.online().put_gateway(&gateway).await?;
            tx.commit().await?;
        }
        Ok(rewritten)
    }
}

/// Whether a gateway secret of any account is sealed under another key than the one with this prefix.
pub async fn has_secrets_under_other_keys(
    reads: &dyn OnlineReads,
    _operator: Operator,
    key_prefix: &[u8],
) -> StoreResult<bool> {
    let mut after = None;
    loop {
        let batch = reads.all_gateways(after, BATCH).await?;
        let Some(last) = batch.last() else {
            return Ok(false);
        };
        after = Some(last.0);
        for (_, gateway) in batch {
            if under_other_keys(&mut gateway?, key_prefix).next().is_some() {
                return Ok(true);
            }
        }
    }
}

/// The secrets of a gateway account that do not begin with the prefix of the present key.
fn under_other_keys<'a>(
    gateway: &'a mut GatewayAccount,
    key_prefix: &'a [u8],
) -> impl Iterator<Item = &'a mut SealedGatewaySecret> {
    let next = gateway.next_key.as_mut().map(|next| &mut next.key);
    let secrets = [Some(&mut gateway.key), next, gateway.webhook_secret.as_mut()];
    secrets.into_iter().flatten().filter(move |sealed| !sealed.0.starts_with(key_prefix))
}
