//! An account's connection to a gateway, with its sealed secrets.

use kernel::random::RandomnessUnavailable;
use kernel::{AccountId, SealingKeys, SecureRandom, Unsealable};
use time::OffsetDateTime;
use zeroize::Zeroizing;

use crate::gateway::{GatewayAccess, GatewayAccountId, GatewayKind, GatewaySecret};
use crate::undo_token::UndoTokenHash;

/// A secret of a gateway as it is stored: sealed for its row.
#[derive(Clone, PartialEq, Eq)]
pub struct SealedGatewaySecret(pub Vec<u8>);

/// A key that takes the place of another one after a delay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NextKey {
    /// The key.
    pub key: SealedGatewaySecret,
    /// From when on checkouts are opened with it, UTC.
    pub in_force_at: OffsetDateTime,
    /// The hash of the token that undoes the change.
    pub undo_hash: UndoTokenHash,
}

/// An account's connection to a gateway.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GatewayAccount {
    /// The connection's id.
    pub id: GatewayAccountId,
    /// The account that is paid.
    pub account: AccountId,
    /// Which gateway.
    pub kind: GatewayKind,
    /// The key that calls are made with.
    pub key: SealedGatewaySecret,
    /// The key that takes its place.
    pub next_key: Option<NextKey>,
    /// The secret that events are signed with, once the owner has entered it.
    pub webhook_secret: Option<SealedGatewaySecret>,
    /// When it was connected, UTC.
    pub connected_at: OffsetDateTime,
    /// When it was disconnected, UTC. No checkout is opened from then on; what was begun is brought to its
    /// end.
    pub disconnected_at: Option<OffsetDateTime>,
    /// Up to when the gateway's charges were listed, UTC.
    pub listed_until: Option<OffsetDateTime>,
}

impl SealedGatewaySecret {
    /// Seals a secret for the row of a connection.
    ///
    /// # Errors
    /// [`RandomnessUnavailable`] when the operating system gives no random bytes.
    pub fn seal(
        secret: &GatewaySecret,
        keys: &SealingKeys,
        random: &dyn SecureRandom,
        (account, id): (AccountId, GatewayAccountId),
    ) -> Result<Self, RandomnessUnavailable> {
        keys.seal(random, &place(account, id), secret.reveal().as_bytes()).map(Self)
    }

    /// The secret in the clear.
    ///
    /// # Errors
    /// [`Unsealable`] when the keys do not fit, or the row was changed.
    pub fn open(
        &self,
        keys: &SealingKeys,
        (account, id): (AccountId, GatewayAccountId),
    ) -> Result<GatewaySecret, Unsealable> {
        let bytes = Zeroizing::new(keys.open(&place(account, id), &self.0)?);
        let text = std::str::from_utf8(&bytes).map_err(|_not_text| Unsealable)?;
        GatewaySecret::parse(text).map_err(|_not_a_secret| Unsealable)
    }
}

/// What binds a sealed secret to its row.
fn place(account: AccountId, id: GatewayAccountId) -> Vec<u8> {
    let mut place = b"gateway_accounts".to_vec();
    place.extend(account.uuid().as_bytes());
    place.extend(id.uuid().as_bytes());
    place
}

impl std::fmt::Debug for SealedGatewaySecret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SealedGatewaySecret(redacted)")
    }
}

impl GatewayAccount {
    /// The connection through which the sandbox is tried in an account: it has the id of the account.
    #[must_use]
    pub const fn sandbox_id(account: AccountId) -> GatewayAccountId {
        GatewayAccountId::from_uuid(account.uuid())
    }

    /// Whether checkouts are opened there.
    #[must_use]
    pub const fn is_connected(&self) -> bool {
        self.disconnected_at.is_none()
    }

    /// Opens the secrets. What was begun with a key that was replaced meanwhile goes on with that key.
    ///
    /// # Errors
    /// [`Unsealable`] when the keys do not fit, or the row was changed.
    pub fn access(&self, keys: &SealingKeys, begun_at: OffsetDateTime) -> Result<GatewayAccess, Unsealable> {
        let row = (self.account, self.id);
        let next = self.next_key.as_ref().filter(|next| next.in_force_at <= begun_at);
        let key = next.map_or(&self.key, |next| &next.key).open(keys, row)?;
        let secret = self.webhook_secret.as_ref().map(|secret| secret.open(keys, row)).transpose()?;
        Ok(GatewayAccess {
            account: self.account,
            gateway_account: self.id,
            key,
            webhook_secrets: secret.into_iter().collect(),
        })
    }
}
