//! Connecting an account to a gateway, and disconnecting it.

use kernel::{AccountId, AccountToken, Id, StoreError, Unsealable, retry_contended};
use time::OffsetDateTime;

use super::gateway_account::{GatewayAccount, KeyEntry, NextKey, SealedGatewaySecret};
use super::key_email;
use super::online_payments::OnlinePayments;
use super::ports::OnlineTx;
use crate::gateway::{GatewayAccess, GatewayAccountId, GatewayError, GatewayKind, GatewaySecret};

/// The secrets that an owner or the operator enters. One of them may be entered in a later call.
#[derive(Debug, Clone, Default)]
pub struct GatewaySecrets {
    /// The key for calls.
    pub key: Option<GatewaySecret>,
    /// The secret that events are signed with.
    pub webhook_secret: Option<GatewaySecret>,
}

/// The present state of a gateway account, and when a replacing key comes into force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Connected {
    /// The gateway account after the change.
    pub gateway: GatewayAccount,
    /// When the new key comes into force, if it replaces another.
    pub in_force_at: Option<OffsetDateTime>,
}

/// Why an account was not connected.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// There is no such account.
    #[error("there is no account with this id")]
    NotFound,
    /// This service has no such live gateway.
    #[error("this service has no such gateway to connect to")]
    UnknownGateway,
    /// The sandbox is no gateway that could be disconnected.
    #[error(
        "the sandbox is there for every account without a live gateway, and cannot be disconnected; \
         COUNTINGHOUSE_SANDBOX=false switches it off"
    )]
    SandboxStays,
    /// The gateway rejects the key or a call that is made with it, or the key has too few permissions.
    #[error(transparent)]
    KeyRefused(GatewayError),
    /// The webhook secret is something else that the gateway shows, such as the id of the endpoint. It begins
    /// with this.
    #[error("the webhook secret must begin with {0}: it is the endpoint's signing secret at the gateway")]
    NotAWebhookSecret(&'static str),
    /// The previous key is still in use, and a third key cannot be stored.
    #[error(
        "checkouts that were opened with the key before the present one have not ended; enter another key when \
         they have, which is within a day unless a debit is pending"
    )]
    EarlierKeyNeeded,
    /// Connecting a gateway for the first time needs its key.
    #[error("the key is missing")]
    KeyMissing,
    /// The secrets cannot be unsealed.
    #[error(transparent)]
    Unsealable(#[from] Unsealable),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl OnlinePayments {
    /// Connects an account to a live gateway. The first key is in force at once; a key that replaces another
    /// is in force after the delay, so that an intruder cannot redirect the account's money unnoticed. The
    /// owner is mailed a link that undoes either. Connecting a disconnected gateway again reuses its gateway
    /// account; with another key, no checkout is opened until that key is in force. A webhook secret is in
    /// force at once. Entering what is stored already changes nothing.
    ///
    /// # Errors
    /// A [`ConnectError`]; then nothing was changed.
    pub async fn connect(
        &self,
        account: AccountId,
        kind: GatewayKind,
        secrets: &GatewaySecrets,
    ) -> Result<Connected, ConnectError> {
        if !kind.is_live() {
            return Err(ConnectError::UnknownGateway);
        }
        self.check(account, kind, secrets).await?;
        retry_contended(|| self.try_to_connect(account, kind, secrets)).await
    }

    /// Checks the form of a webhook secret, and with the gateway whether a key works. The key is accepted if
    /// the gateway cannot be reached.
    async fn check(
        &self,
        account: AccountId,
        kind: GatewayKind,
        secrets: &GatewaySecrets,
    ) -> Result<(), ConnectError> {
        let adapter = self.adapter(kind).ok_or(ConnectError::UnknownGateway)?;
        let prefix = adapter.webhook_secret_prefix();
        if secrets.webhook_secret.as_ref().is_some_and(|secret| !secret.reveal().starts_with(prefix)) {
            return Err(ConnectError::NotAWebhookSecret(prefix));
        }
        let Some(key) = &secrets.key else {
            return Ok(());
        };
        let access = GatewayAccess {
            account,
            gateway_account: Id::new(&*self.invoicing.ids, self.now()),
            key: key.clone(),
            webhook_secrets: Vec::new(),
        };
        match adapter.check_key(&access).await {
            Err(error @ GatewayError::Unreachable(_)) => {
                tracing::warn!(%account, error = %error, "a gateway did not say whether its key works");
                Ok(())
            }
            answered => answered.map_err(ConnectError::KeyRefused),
        }
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
        let payee = tx.online().payee().await?.ok_or(ConnectError::NotFound)?;
        let known = tx.online().gateways().await?.into_iter().find(|one| one.kind == kind);
        let before = known.clone();
        let replaces_waiting = known.as_ref().is_some_and(|one| one.pending_key(now).is_some());
        let (mut gateway, token) = match (known, &secrets.key) {
            (Some(gateway), Some(key)) => self.with_key(&mut *tx, gateway, key, now).await?,
            (Some(gateway), None) if secrets.webhook_secret.is_some() => (gateway, None),
            (None, Some(key)) => self.first(account, kind, key, now),
            (_, None) => return Err(ConnectError::KeyMissing),
        };
        if let Some(secret) = &secrets.webhook_secret {
            self.put_webhook_secret(&mut gateway, secret);
        }
        if let Some(token) = token {
            let entry = KeyEntry { undo_token_hash: token.hash(), entered_at: now };
            gateway.enter(entry, replaces_waiting);
            let id = Id::new(&*self.invoicing.ids, now);
            let seal = (&*self.keys, &*self.random);
            let mail = key_email::entered_mail(&gateway, &payee, &token, (id, now), seal);
            tx.jobs().queue(mail.into_job()).await?;
        }
        if before.as_ref() != Some(&gateway) {
            tx.online().put_gateway(&gateway).await?;
            tx.commit().await?;
        }
        let in_force_at = gateway.pending_key(now).map(|next| next.in_force_at);
        Ok(Connected { in_force_at, gateway })
    }

    /// Stores another webhook secret: sealed again, the same one would be a change.
    fn put_webhook_secret(&self, gateway: &mut GatewayAccount, secret: &GatewaySecret) {
        let row = (gateway.account, gateway.id);
        let is_it = |known: &SealedGatewaySecret| known.open(&self.keys, row).is_ok_and(|one| one == *secret);
        if !gateway.webhook_secret.as_ref().is_some_and(is_it) {
            let sealed = SealedGatewaySecret::seal(secret, &self.keys, &*self.random, row);
            gateway.webhook_secret = Some(sealed);
        }
    }

    /// Makes a first gateway account.
    fn first(
        &self,
        account: AccountId,
        kind: GatewayKind,
        key: &GatewaySecret,
        now: OffsetDateTime,
    ) -> (GatewayAccount, Option<AccountToken>) {
        let id = Id::new(&*self.invoicing.ids, now);
        let sealed = SealedGatewaySecret::seal(key, &self.keys, &*self.random, (account, id));
        let token = AccountToken::generate(account, &*self.random);
        (GatewayAccount::new(id, account, kind, sealed, now), Some(token))
    }

    /// The gateway account with another key: the key in force stays until the delay is over. Also returns the
    /// token that undoes the change, if there is anything to undo.
    async fn with_key(
        &self,
        tx: &mut dyn OnlineTx,
        mut gateway: GatewayAccount,
        key: &GatewaySecret,
        now: OffsetDateTime,
    ) -> Result<(GatewayAccount, Option<AccountToken>), ConnectError> {
        let row = (gateway.account, gateway.id);
        let is_it = |sealed: &SealedGatewaySecret| Ok::<_, Unsealable>(sealed.open(&self.keys, row)? == *key);
        let pending = gateway.pending_key(now).map(|next| is_it(&next.key)).transpose()?;
        if pending == Some(true) {
            return Ok((gateway, None));
        }
        // One that was undone waits like another one.
        if is_it(gateway.key_at(now))? && !gateway.is_undone(now) {
            if pending.is_some() {
                gateway.withdraw_waiting(now);
            }
            if !gateway.is_connected(now) {
                gateway.disconnected_at = None;
            }
            return Ok((gateway, None));
        }
        // A refund that waits does not keep the owner from replacing a key that was stolen.
        if let Some(next) = gateway.next_in_force(now) {
            if tx.online().has_open_intents(gateway.id, next.in_force_at).await? {
                return Err(ConnectError::EarlierKeyNeeded);
            }
            gateway.remove_replaced_key();
        }
        gateway.next_key = Some(NextKey {
            key: SealedGatewaySecret::seal(key, &self.keys, &*self.random, row),
            in_force_at: now.saturating_add(self.delay),
        });
        Ok((gateway, Some(AccountToken::generate(row.0, &*self.random))))
    }

    /// Disconnects a live gateway: no further checkout is opened there, and payments in progress are
    /// completed. Disconnecting it again changes nothing. `None` when there is no gateway account with this
    /// id.
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
            let found = tx.online().lock_gateways().await?.into_iter().find(|one| one.id == id);
            let Some(mut gateway) = found else {
                return Ok(None);
            };
            if !gateway.kind.is_live() {
                return Err(ConnectError::SandboxStays);
            }
            let before = gateway.clone();
            // A pending key would reconnect the gateway when it comes into force.
            if gateway.pending_key(now).is_some() {
                gateway.withdraw_waiting(now);
            }
            if gateway.is_connected(now) {
                gateway.disconnected_at = Some(now);
            }
            if gateway != before {
                tx.online().put_gateway(&gateway).await?;
                tx.commit().await?;
            }
            Ok(Some(gateway))
        })
        .await
    }
}
