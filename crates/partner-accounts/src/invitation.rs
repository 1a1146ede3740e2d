//! Invitations, with which the owner of a new account sets a password.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use kernel::random::RandomnessUnavailable;
use kernel::{AccountId, Entity, Id, SecureRandom};
use ring::digest;
use time::{Duration, OffsetDateTime};
use zeroize::Zeroizing;

/// Marks ids of invitations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum InvitationEntity {}
impl Entity for InvitationEntity {
    const NAME: &'static str = "invitation";
}

pub type InvitationId = Id<InvitationEntity>;

/// The secret of an invitation: 32 random bytes in URL-safe base64 (RFC 4648, section 5). Only the mail
/// contains it.
#[derive(Clone)]
pub struct InvitationToken(Zeroizing<String>);

/// The SHA-256 of a token, under which the token is stored and looked up.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct InvitationHash([u8; 32]);

/// An invitation for the owner of an account to choose a password, once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invitation {
    pub id: InvitationId,
    /// The account whose owner is invited.
    pub account: AccountId,
    pub hash: InvitationHash,
    pub created_at: OffsetDateTime,
    /// The instant from which it can no longer be accepted, UTC.
    pub expires_at: OffsetDateTime,
    /// When it was accepted, UTC.
    pub used_at: Option<OffsetDateTime>,
}

/// Why an invitation cannot be accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvitationRefused {
    #[error("this invitation was accepted already: sign in with the password that was chosen then")]
    Used,
    #[error("this invitation has expired: ask for a new one")]
    Expired,
}

impl InvitationToken {
    /// Makes a new token.
    ///
    /// # Errors
    /// [`RandomnessUnavailable`].
    pub fn generate(random: &dyn SecureRandom) -> Result<Self, RandomnessUnavailable> {
        let mut bytes = Zeroizing::new([0_u8; 32]);
        random.fill(&mut *bytes)?;
        Ok(Self(Zeroizing::new(URL_SAFE_NO_PAD.encode(*bytes))))
    }

    /// Takes a presented token. Any text is accepted; the look-up decides.
    #[must_use]
    pub fn presented(text: &str) -> Self {
        Self(Zeroizing::new(text.to_owned()))
    }

    /// The token in the clear, for the mail.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// The token's hash. The duration of a look-up by hash reveals nothing about the token.
    #[must_use]
    pub fn hash(&self) -> InvitationHash {
        let hash = digest::digest(&digest::SHA256, self.0.as_bytes());
        InvitationHash(hash.as_ref().first_chunk().copied().unwrap_or_default())
    }
}

impl InvitationHash {
    /// The hash from the store.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The 32 bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl Invitation {
    /// How long an invitation can be accepted.
    pub const LASTS: Duration = Duration::days(7);

    /// Invites the owner of an account.
    #[must_use]
    pub fn new(id: InvitationId, account: AccountId, token: &InvitationToken, now: OffsetDateTime) -> Self {
        Self {
            id,
            account,
            hash: token.hash(),
            created_at: now,
            expires_at: now.saturating_add(Self::LASTS),
            used_at: None,
        }
    }

    /// Whether the invitation can be accepted at an instant.
    ///
    /// # Errors
    /// The reason why not.
    pub fn check(&self, now: OffsetDateTime) -> Result<(), InvitationRefused> {
        if self.used_at.is_some() {
            Err(InvitationRefused::Used)
        } else if now >= self.expires_at {
            Err(InvitationRefused::Expired)
        } else {
            Ok(())
        }
    }
}

impl fmt::Debug for InvitationToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("InvitationToken(redacted)")
    }
}

impl fmt::Debug for InvitationHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("InvitationHash(redacted)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kernel::{Ids as _, SystemRandom};
    use testkit::{CountingIds, FixedClock};

    #[test]
    fn an_invitation_lasts_a_week_and_is_accepted_once() {
        let (ids, now) = (CountingIds::default(), FixedClock::START);
        let token = InvitationToken::generate(&SystemRandom::default()).unwrap();
        assert_eq!(token.reveal().len(), 43);
        assert_eq!(format!("{token:?}"), "InvitationToken(redacted)");
        let id = |n| Id::from_uuid(ids.uuid_at(n));
        let mut invitation = Invitation::new(id(now), Id::from_uuid(ids.uuid_at(now)), &token, now);
        let same = InvitationToken::presented(token.reveal());
        assert!(same.hash() == invitation.hash);
        let end = now + Duration::days(7);
        assert_eq!(invitation.check(end - Duration::microseconds(1)), Ok(()));
        assert_eq!(invitation.check(end), Err(InvitationRefused::Expired));
        invitation.used_at = Some(now);
        assert_eq!(invitation.check(now), Err(InvitationRefused::Used));
    }
}
