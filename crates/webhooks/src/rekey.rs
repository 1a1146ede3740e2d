//! Sealing every secret anew, after the master key has changed.

use kernel::random::RandomnessUnavailable;
use kernel::{AccountId, Operator, StoreError, Unsealable};

use crate::administration::WebhookAdministration;
use crate::endpoint::EndpointId;
use crate::secret::SealedSecret;

/// How many secrets are written anew in one transaction.
const BATCH: u32 = 500;

/// Why secrets are not sealed anew.
#[derive(Debug, thiserror::Error)]
pub enum RekeyError {
    /// A secret was sealed under a key that is not there.
    #[error(
        "the signing secret of endpoint {0} was sealed under neither the present nor the previous master key"
    )]
    Unsealable(EndpointId),
    /// The machine has no random.
    #[error(transparent)]
    SecureRandom(#[from] RandomnessUnavailable),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl WebhookAdministration {
    /// Seals every secret under the present key that is still sealed under the previous one. It works beside
    /// running processes, and goes on where it was broken off. How many secrets were written anew.
    ///
    /// # Errors
    /// A [`RekeyError`]; what was written anew before it stays.
    pub async fn rekey(&self, operator: Operator) -> Result<u64, RekeyError> {
        let mark = self.keys.present_mark();
        let (mut rewritten, mut after) = (0_u64, None);
        loop {
            let batch = self.secrets.not_marked(operator, &mark, after, BATCH).await?;
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
        let new = secret.seal(&self.keys, &*self.random, account, endpoint)?;
        Ok((account, endpoint, old, new))
    }
}
