//! Resealing the secrets of gateways after a change of the master key.

use kernel::{Operator, retry_contended};

use super::connect::ConnectError;
use super::gateway_account::{GatewayAccount, SealedGatewaySecret};
use super::online_payments::OnlinePayments;

/// How many connections are read at a time.
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
            after = Some((last.account, last.id));
            for gateway in &batch {
                let anew = retry_contended(|| self.try_to_rekey(gateway)).await?;
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
        let next = gateway.next_key.as_mut().map(|next| &mut next.key);
        let secrets = [Some(&mut gateway.key), next, gateway.webhook_secret.as_mut()];
        let mut rewritten = 0_u64;
        for sealed in secrets.into_iter().flatten().filter(|sealed| !sealed.0.starts_with(&key_prefix)) {
            let secret = sealed.open(&self.keys, row)?;
            *sealed = SealedGatewaySecret::seal(&secret, &self.keys, &*self.random, row)?;
            rewritten = rewritten.saturating_add(1);
        }
        if rewritten > 0 {
            tx.online().put_gateway(&gateway).await?;
            tx.commit().await?;
        }
        Ok(rewritten)
    }
}
