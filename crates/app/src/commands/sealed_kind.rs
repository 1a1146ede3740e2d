//! The kinds of secrets that are stored sealed: one list for `rekey`, which reseals them, and for `doctor`,
//! which looks for those under another key.

use std::sync::Arc;

use kernel::{Operator, SealingKeys, StoreResult};
use store_diesel::Store;

use super::gateway::online_payments;
use crate::cursor_key;
use crate::wiring::{Dependencies, webhook_client};

/// A kind of secrets that are stored for longer than a day. Sealed links in mail that waits are not among
/// them: they are not resealed, and end within a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SealedKind {
    CursorKey,
    SecondFactors,
    GatewaySecrets,
    SigningSecrets,
}

impl SealedKind {
    pub(super) const ALL: [Self; 4] =
        [Self::CursorKey, Self::SecondFactors, Self::GatewaySecrets, Self::SigningSecrets];

    /// What the operator reads.
    pub(super) const fn label(self) -> &'static str {
        match self {
            Self::CursorKey => "the key of cursors",
            Self::SecondFactors => "second factors",
            Self::GatewaySecrets => "gateway secrets",
            Self::SigningSecrets => "signing secrets of webhooks",
        }
    }

    /// Whether a secret of this kind is sealed under another key than the one with this prefix.
    pub(super) async fn is_left_behind(self, store: &Store, key_prefix: &[u8]) -> StoreResult<bool> {
        let operator = Operator::at_the_command_line();
        match self {
            Self::CursorKey => cursor_key::is_left_behind(&*store.upkeep, key_prefix).await,
            Self::SecondFactors => {
                let factors = &store.sealed_second_factors;
                let found = factors.sealed_under_other_keys(operator, key_prefix, None, 1).await?;
                Ok(!found.is_empty())
            }
            Self::GatewaySecrets => {
                payments::has_secrets_under_other_keys(&*store.online_reads, operator, key_prefix).await
            }
            Self::SigningSecrets => {
                let secrets = &store.sealed_secrets;
                let found = secrets.sealed_under_other_keys(operator, key_prefix, None, 1).await?;
                Ok(!found.is_empty())
            }
        }
    }

    /// Reseals every secret of this kind under the present key. Returns how many were resealed; the key of
    /// cursors is no secret of an account and does not count.
    pub(super) async fn rekey(self, deps: &Dependencies, keys: &Arc<SealingKeys>) -> anyhow::Result<u64> {
        let operator = Operator::at_the_command_line();
        match self {
            Self::CursorKey => {
                cursor_key::rekey(&*deps.store.upkeep, keys, &*deps.random).await?;
                Ok(0)
            }
            Self::SecondFactors => {
                let logins = deps.logins(keys.clone())?;
                Ok(logins.rekey(operator, &*deps.store.sealed_second_factors).await?)
            }
            Self::GatewaySecrets => Ok(online_payments(deps).await?.rekey(operator).await?),
            Self::SigningSecrets => {
                let webhooks = deps.webhook_administration(webhook_client(&deps.settings)?, keys.clone());
                Ok(webhooks.rekey(operator).await?)
            }
        }
    }
}
