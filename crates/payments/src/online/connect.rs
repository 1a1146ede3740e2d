//! Connecting an account to a gateway, and disconnecting it.

use kernel::random::RandomnessUnavailable;
use kernel::{AccountId, Id, RetryOnContention, StoreError, Unsealable, retry_contended};
use time::OffsetDateTime;

use super::gateway_account::{GatewayAccount, NextKey, SealedGatewaySecret};
use super::online_payments::OnlinePayments;
use crate::gateway::{GatewayAccountId, GatewayKind, GatewaySecret};
use crate::undo_token::UndoToken;

/// The secrets that an owner or the operator enters. One may follow by a further call.
#[derive(Debug, Clone, Default)]
pub struct GatewaySecrets {
    /// The key that calls are made with.
    pub key: Option<GatewaySecret>,
    /// The secret that events are signed with.
    pub webhook_secret: Option<GatewaySecret>,
}

/// A connection as it stands, and from when on a key that replaces another is in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Connected {
    /// The connection.
    pub gateway: GatewayAccount,
    /// From when on the new key is in force, where it replaces one.
    pub in_force_at: Option<OffsetDateTime>,
}

/// Why an account is not connected.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// There is no such account.
    #[error("there is no account with this id")]
    NotFound,
    /// This service cannot be connected to that gateway.
    #[error("this service has no such gateway to connect to")]
    UnknownGateway,
    /// The first secret is the key.
    #[error("the key is missing")]
    KeyMissing,
    /// The secrets cannot be opened.
    #[error(transparent)]
    Unsealable(#[from] Unsealable),
    /// The machine has no random.
    #[error(transparent)]
    SecureRandom(#[from] RandomnessUnavailable),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl RetryOnContention for ConnectError {
    fn is_contended(&self) -> bool {
        matches!(self, Self::Store(error) if error.is_contended())
    }
}

impl OnlinePayments {
    /// Connects an account to a live gateway. The first key is in force at once, one that takes the place of
    /// another after the delay: who breaks into an account cannot redirect its money unnoticed. A connection
    /// that was disconnected and is made again counts as the same one. A webhook secret is in force at once.
    ///
    /// # Errors
    /// A [`ConnectError`]; then nothing was changed.
    pub async fn connect(
        &self,
        account: AccountId,
        kind: GatewayKind,
        secrets: &GatewaySecrets,
    ) -> Result<Connected, ConnectError> {
        if !kind.is_live() || self.adapter(kind).is_none() {
            return Err(ConnectError::UnknownGateway);
        }
        retry_contended(|| self.try_to_connect(account, kind, secrets)).await
    }

    async fn try_to_connect(
        &self,
        account: AccountId,
        kind: GatewayKind,
        secrets: &GatewaySecrets,
    ) -> Result<Connected, ConnectError> {
        let now = self.now();
        let mut tx = self.store.begin(account).await?;
        if !tx.online().lock_account().await? {
            return Err(ConnectError::NotFound);
        }
        let known = tx.online().gateways().await?.into_iter().find(|one| one.kind == kind);
        let mut gateway = match known {
            Some(gateway) => self.with_key(gateway, secrets.key.as_ref(), now)?,
            None => {
                let key = secrets.key.as_ref().ok_or(ConnectError::KeyMissing)?;
                let id = Id::new(&*self.invoicing.ids, now);
                GatewayAccount {
                    id,
                    account,
                    kind,
                    key: SealedGatewaySecret::seal(key, &self.keys, &*self.random, (account, id))?,
                    next_key: None,
                    webhook_secret: None,
                    connected_at: now,
                    disconnected_at: None,
                    listed_until: None,
                }
            }
        };
        if let Some(secret) = &secrets.webhook_secret {
            let row = (account, gateway.id);
            let sealed = SealedGatewaySecret::seal(secret, &self.keys, &*self.random, row)?;
            gateway.webhook_secret = Some(sealed);
        }
        tx.online().put_gateway(&gateway).await?;
        tx.commit().await?;
        let in_force_at = gateway.next_key.as_ref().map(|next| next.in_force_at);
        Ok(Connected { in_force_at: in_force_at.filter(|at| *at > now), gateway })
    }

    /// A connection with another key: the one in force stays until the delay is over.
    fn with_key(
        &self,
        mut gateway: GatewayAccount,
        key: Option<&GatewaySecret>,
        now: OffsetDateTime,
    ) -> Result<GatewayAccount, ConnectError> {
        gateway.disconnected_at = None;
        let Some(key) = key else {
            return Ok(gateway);
        };
        if let Some(next) = gateway.next_key.take_if(|next| next.in_force_at <= now) {
            gateway.key = next.key;
        }
        let row = (gateway.account, gateway.id);
        if gateway.key.open(&self.keys, row)? == *key {
            gateway.next_key = None;
            return Ok(gateway);
        }
        let token = UndoToken::generate(gateway.account, &*self.random)?;
        gateway.next_key = Some(NextKey {
            key: SealedGatewaySecret::seal(key, &self.keys, &*self.random, row)?,
            in_force_at: now.saturating_add(self.delay),
            undo_hash: token.hash(),
        });
        Ok(gateway)
    }

    /// Disconnects a gateway: no checkout is opened there any more, and what was begun is brought to its end.
    /// `None` when there is none with this id.
    ///
    /// # Errors
    /// A [`ConnectError`]; then nothing was changed.
    pub async fn disconnect(
        &self,
        account: AccountId,
        id: GatewayAccountId,
    ) -> Result<Option<GatewayAccount>, ConnectError> {
        retry_contended(async || {
            let now = self.now();
            let mut tx = self.store.begin(account).await?;
            if !tx.online().lock_account().await? {
                return Err(ConnectError::NotFound);
            }
            let found = tx.online().gateways().await?.into_iter().find(|one| one.id == id);
            let Some(mut gateway) = found else {
                return Ok(None);
            };
            gateway.disconnected_at = gateway.disconnected_at.or(Some(now));
            tx.online().put_gateway(&gateway).await?;
            tx.commit().await?;
            Ok(Some(gateway))
        })
        .await
    }
}
