//! A gateway account: an account's connection to a gateway, with its sealed secrets.

use kernel::{AccountId, SealingKeys, SecureRandom, TokenHash, Unsealable};
use time::{Duration, OffsetDateTime};
use zeroize::Zeroizing;

use crate::gateway::{GatewayAccess, GatewayAccountId, GatewayKind, GatewaySecret};

/// A gateway's secret as stored: sealed for its row.
#[derive(Clone, PartialEq, Eq)]
pub struct SealedGatewaySecret(pub Vec<u8>);

/// A key that replaces another after a delay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NextKey {
    /// The key.
    pub key: SealedGatewaySecret,
    /// From when on checkouts are opened with it, UTC.
    pub in_force_at: OffsetDateTime,
}

/// The entry of a key, which the owner can undo with the link in a mail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyEntry {
    /// The hash of the token that undoes it.
    pub undo_token_hash: TokenHash,
    /// When the key was entered, UTC.
    pub entered_at: OffsetDateTime,
}

/// An account's connection to a gateway.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GatewayAccount {
    /// The gateway account's id.
    pub id: GatewayAccountId,
    /// The account that is paid.
    pub account: AccountId,
    /// The gateway.
    pub kind: GatewayKind,
    /// The key for calls.
    pub key: SealedGatewaySecret,
    /// The key that replaces `key`. Both are stored until the checkouts opened with `key` have ended, and
    /// what is to go back of their payments has gone.
    pub next_key: Option<NextKey>,
    /// The latest entry of a key.
    pub last_entry: Option<KeyEntry>,
    /// The entry of the key in force, while `last_entry` is that of a later one.
    pub earlier_entry: Option<KeyEntry>,
    /// When the owner undid the entry of a key, UTC.
    pub undone_at: Option<OffsetDateTime>,
    /// The secret that events are signed with, once the owner has entered it.
    pub webhook_secret: Option<SealedGatewaySecret>,
    /// When it was connected, UTC.
    pub connected_at: OffsetDateTime,
    /// When it was disconnected, UTC. From then on no checkout is opened; payments in progress are completed.
    pub disconnected_at: Option<OffsetDateTime>,
    /// The instant up to which the gateway's charges were listed, UTC.
    pub listed_until: Option<OffsetDateTime>,
}

impl KeyEntry {
    /// How long the link in the owner's mail can undo an entry once its delay is over.
    pub const CAN_BE_UNDONE_FOR: Duration = Duration::days(7);
}

impl SealedGatewaySecret {
    /// Seals a secret for the row of a gateway account.
    #[must_use]
    pub fn seal(
        secret: &GatewaySecret,
        keys: &SealingKeys,
        random: &dyn SecureRandom,
        (account, id): (AccountId, GatewayAccountId),
    ) -> Self {
        Self(keys.seal(random, &sealing_context(account, id), secret.reveal().as_bytes()))
    }

    /// The secret in the clear.
    ///
    /// # Errors
    /// [`Unsealable`] when the keys do not match, or the row was changed.
    pub fn open(
        &self,
        keys: &SealingKeys,
        (account, id): (AccountId, GatewayAccountId),
    ) -> Result<GatewaySecret, Unsealable> {
        let bytes = Zeroizing::new(keys.open(&sealing_context(account, id), &self.0)?);
        let text = std::str::from_utf8(&bytes).map_err(|_not_text| Unsealable)?;
        GatewaySecret::parse(text).map_err(|_not_a_secret| Unsealable)
    }
}

/// The associated data that binds a sealed secret to its row.
fn sealing_context(account: AccountId, id: GatewayAccountId) -> Vec<u8> {
    let mut context = b"gateway_accounts".to_vec();
    context.extend(account.uuid().as_bytes());
    context.extend(id.uuid().as_bytes());
    context
}

impl std::fmt::Debug for SealedGatewaySecret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SealedGatewaySecret(redacted)")
    }
}

impl GatewayAccount {
    /// How far back the first listing of a key that replaced another reaches. Stripe lists the events of 30
    /// days.
    const LISTED_BEFORE: Duration = Duration::days(30);

    /// The id of an account's gateway account at the sandbox: the account's id.
    #[must_use]
    pub const fn sandbox_id(account: AccountId) -> GatewayAccountId {
        GatewayAccountId::from_uuid(account.uuid())
    }

    /// A gateway account made at an instant, with a key that is in force at once.
    #[must_use]
    pub const fn new(
        id: GatewayAccountId,
        account: AccountId,
        kind: GatewayKind,
        key: SealedGatewaySecret,
        now: OffsetDateTime,
    ) -> Self {
        Self {
            id,
            account,
            kind,
            key,
            next_key: None,
            last_entry: None,
            earlier_entry: None,
            undone_at: None,
            webhook_secret: None,
            connected_at: now,
            disconnected_at: None,
            listed_until: None,
        }
    }

    /// Whether checkouts are opened through this gateway account. A disconnected one that gets another key is
    /// connected again when that key comes into force.
    #[must_use]
    pub fn is_connected(&self, now: OffsetDateTime) -> bool {
        let is_back = |at: OffsetDateTime| self.next_in_force(now).is_some_and(|next| next.in_force_at > at);
        self.disconnected_at.is_none_or(is_back)
    }

    /// The key that has replaced `key`.
    #[must_use]
    pub fn next_in_force(&self, now: OffsetDateTime) -> Option<&NextKey> {
        self.next_key.as_ref().filter(|next| next.in_force_at <= now)
    }

    /// The key that will come into force.
    #[must_use]
    pub fn pending_key(&self, now: OffsetDateTime) -> Option<&NextKey> {
        self.next_key.as_ref().filter(|next| next.in_force_at > now)
    }

    /// The key that checkouts are opened with.
    #[must_use]
    pub fn key_at(&self, now: OffsetDateTime) -> &SealedGatewaySecret {
        self.next_in_force(now).map_or(&self.key, |next| &next.key)
    }

    /// Whether the owner undid the entry of the key in force. Such a key does not count as known to the
    /// owner. Undoing a key that waits disconnects nothing.
    #[must_use]
    pub fn is_undone(&self, now: OffsetDateTime) -> bool {
        let came_later = |at| self.next_in_force(now).is_some_and(|next| next.in_force_at > at);
        self.undone_at.is_some_and(|at| self.disconnected_at == Some(at) && !came_later(at))
    }

    /// Adds the entry of another key. Its link and that of the key in force can be used.
    pub(crate) fn enter(&mut self, entry: KeyEntry, replaces_waiting: bool) {
        let was_withdrawn = self.has_withdrawn_entry();
        let replaced = self.last_entry.replace(entry);
        if !replaces_waiting && !was_withdrawn {
            self.earlier_entry = replaced;
        }
    }

    /// Removes the key that waits, with its entry.
    pub(crate) fn withdraw_waiting(&mut self, now: OffsetDateTime) {
        self.next_key = None;
        self.last_entry = self.earlier_entry.take();
        if !self.is_undone(now) {
            // It was another key that waited.
            self.undone_at = None;
        }
    }

    /// The entry of the key in force, if `last_entry` is that of a key which waits or was withdrawn while it
    /// waited.
    pub(crate) fn entry_in_force(&self, now: OffsetDateTime) -> Option<&KeyEntry> {
        let is_last_in_force = self.pending_key(now).is_none() && !self.has_withdrawn_entry();
        self.earlier_entry.as_ref().filter(|_| !is_last_in_force || self.is_undone(now))
    }

    /// Whether `last_entry` was undone while its key waited: undoing a key in force disconnects.
    fn has_withdrawn_entry(&self) -> bool {
        let undone_after = |entry: &KeyEntry| self.undone_at.is_some_and(|at| at >= entry.entered_at);
        self.last_entry.as_ref().is_some_and(undone_after) && self.disconnected_at != self.undone_at
    }

    /// Removes the replaced key. No call can use it any more.
    pub(crate) fn remove_replaced_key(&mut self) {
        if let Some(next) = self.next_key.take() {
            self.listed_until = self.listed_by(&next);
            self.key = next.key;
            self.disconnected_at.take_if(|at| *at < next.in_force_at);
            self.undone_at.take_if(|at| *at < next.in_force_at);
        }
    }

    /// The instant up to which the key in force has listed the gateway's charges. A key that has not listed
    /// yet may be of a company whose changes the key before it did not see.
    pub(crate) fn listed_until(&self, now: OffsetDateTime) -> Option<OffsetDateTime> {
        self.next_in_force(now).map_or(self.listed_until, |next| self.listed_by(next))
    }

    fn listed_by(&self, key: &NextKey) -> Option<OffsetDateTime> {
        let has_listed = |until: &OffsetDateTime| *until >= key.in_force_at;
        self.listed_until.filter(has_listed).or(Some(key.in_force_at - Self::LISTED_BEFORE))
    }

    /// Whether a payment was begun with a key that was replaced since.
    #[must_use]
    pub fn has_newer_key(&self, begun_at: OffsetDateTime, now: OffsetDateTime) -> bool {
        self.key_at(begun_at) != self.key_at(now)
    }

    /// Whether a payment was begun with a key that was undone and replaced since.
    #[must_use]
    pub fn was_key_undone(&self, begun_at: OffsetDateTime, now: OffsetDateTime) -> bool {
        self.undone_at.is_some_and(|at| at >= begun_at) && self.has_newer_key(begun_at, now)
    }

    /// Opens the secrets. Calls for a payment that was begun with a key since replaced use that key.
    ///
    /// # Errors
    /// [`Unsealable`] when the keys do not match, or the row was changed.
    pub fn access(&self, keys: &SealingKeys, begun_at: OffsetDateTime) -> Result<GatewayAccess, Unsealable> {
        self.access_with(self.key_at(begun_at), keys)
    }

    /// When the key was replaced that is still stored beside the one in force, unless its entry was undone:
    /// then it may be an intruder's.
    #[must_use]
    pub fn replaced_at(&self, now: OffsetDateTime) -> Option<OffsetDateTime> {
        let replaced_at = self.next_in_force(now)?.in_force_at;
        let is_undone = |at: OffsetDateTime| self.disconnected_at == Some(at) && at < replaced_at;
        (!self.undone_at.is_some_and(is_undone)).then_some(replaced_at)
    }

    /// Opens the secrets with the key that was replaced, and says when: see [`GatewayAccount::replaced_at`].
    /// It may be of another company at the gateway than the key in force.
    ///
    /// # Errors
    /// [`Unsealable`] when the keys do not match, or the row was changed.
    pub fn replaced_access(
        &self,
        keys: &SealingKeys,
        now: OffsetDateTime,
    ) -> Result<Option<(GatewayAccess, OffsetDateTime)>, Unsealable> {
        let replaced = self.replaced_at(now).map(|at| Ok((self.access_with(&self.key, keys)?, at)));
        replaced.transpose()
    }

    fn access_with(
        &self,
        key: &SealedGatewaySecret,
        keys: &SealingKeys,
    ) -> Result<GatewayAccess, Unsealable> {
        let row = (self.account, self.id);
        let key = key.open(keys, row)?;
        let secret = self.webhook_secret.as_ref().map(|secret| secret.open(keys, row)).transpose()?;
        Ok(GatewayAccess {
            account: self.account,
            gateway_account: self.id,
            key,
            webhook_secrets: secret.into_iter().collect(),
        })
    }
}
