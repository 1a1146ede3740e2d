//! Resealing all signing secrets after a change of the master key.

use kernel::{AccountId, Operator, StoreError, Unsealable};

use crate::administration::WebhookAdministration;
use crate::endpoint::EndpointId;
use crate::secret::SealedSecret;

/// How many secrets are resealed in one transaction.
const BATCH: u32 = 500;

/// Why secrets were not resealed.
#[derive(Debug, thiserror::Error)]
pub enum RekeyError {
    /// The key that the secret was sealed under is not available.
    #[error(
        "the signing secret of endpoint {0} was sealed under neither the present nor the previous master key"
    )]
    Unsealable(EndpointId),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl WebhookAdministration {
    /// Reseals under the present key every secret that is still sealed under the previous key. Works while
    /// processes run, and can be resumed after an interruption. Returns how many were resealed.
    ///
    /// # Errors
    /// A [`RekeyError`]; secrets resealed before it stay resealed.
    pub async fn rekey(&self, operator: Operator) -> Result<u64, RekeyError> {
        let key_prefix = self.keys.present_key_prefix();
        let (mut rewritten, mut after) = (0_u64, None);
        loop {
            let batch = self.secrets.sealed_under_other_keys(operator, &key_prefix, after, BATCH).await?;
            let Some(last) = batch.last() else {
                return Ok(rewritten);
            };
            after = Some((last.0, last.1));
            let anew: Result<Vec<_>, _> = batch.into_iter().map(|secret| self.anew(secret)).collect();
            let replaced = self.secrets.replace(operator, &anew?).await?;
            rewritten = rewritten.saturating_add(replaced);
        }
    }

    fn anew(
        &self,
        (account, endpoint, old): (AccountId, EndpointId, SealedSecret),
    ) -> Result<(AccountId, EndpointId, SealedSecret, SealedSecret), RekeyError> {
        let opened = old.open(&self.keys, account, endpoint);
        let secret = opened.map_err(|Unsealable| RekeyError::Unsealable(endpoint))?;
        let new = secret.seal(&self.keys, &*self.random, account, endpoint);
        Ok((account, endpoint, old, new))
    }
}
