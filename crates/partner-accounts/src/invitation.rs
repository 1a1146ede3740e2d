//! Invitations, with which the owner of a new account sets a password.

use kernel::{AccountId, AccountToken, Id, TokenHash};
use time::{Duration, OffsetDateTime};

/// Marks ids of invitations.
pub enum InvitationEntity {}

pub type InvitationId = Id<InvitationEntity>;

/// An invitation for the owner of an account to choose a password, once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invitation {
    pub id: InvitationId,
    /// The account whose owner is invited.
    pub account: AccountId,
    pub token_hash: TokenHash,
    pub created_at: OffsetDateTime,
    /// The instant from which it can no longer be accepted, UTC.
    pub expires_at: OffsetDateTime,
    /// When it was accepted or withdrawn, UTC.
    pub used_at: Option<OffsetDateTime>,
}

/// Why an invitation cannot be accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvitationRefused {
    #[error("this invitation was accepted already or withdrawn: sign in, or ask for a new password")]
    Used,
    #[error("this invitation has expired: ask for a new one")]
    Expired,
}

impl Invitation {
    /// How long an invitation can be accepted.
    pub const LASTS: Duration = Duration::days(7);

    /// Invites the owner of the account that the token names. Only the mail contains the token.
    #[must_use]
    pub fn new(id: InvitationId, token: &AccountToken, now: OffsetDateTime) -> Self {
        Self {
            id,
            account: token.account(),
            token_hash: token.hash(),
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

#[cfg(test)]
mod tests {
    use super::*;
    use kernel::{Ids as _, SystemRandom};
    use testkit::{CountingIds, FixedClock};

    #[test]
    fn an_invitation_lasts_a_week_and_is_accepted_once() {
        let (ids, now) = (CountingIds::default(), FixedClock::START);
        let account = Id::from_uuid(ids.uuid_at(now));
        let token = AccountToken::generate(account, &SystemRandom::default());
        let mut invitation = Invitation::new(Id::from_uuid(ids.uuid_at(now)), &token, now);
        assert_eq!((invitation.account, invitation.token_hash), (account, token.hash()));
        let end = now + Duration::days(7);
        assert_eq!(invitation.check(end - Duration::microseconds(1)), Ok(()));
        assert_eq!(invitation.check(end), Err(InvitationRefused::Expired));
        invitation.used_at = Some(now);
        assert_eq!(invitation.check(now), Err(InvitationRefused::Used));
    }
}
