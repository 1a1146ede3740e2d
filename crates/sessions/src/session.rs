//! Sessions: what a browser is signed in with.

use access::SwitchedOffBy;
use kernel::{AccountId, AccountScope, EmailAddress, Entity, Id};
use time::{Duration, OffsetDateTime};

use crate::origin::Origin;
use crate::token::{AccountToken, TokenHash};

/// Marks ids of sessions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SessionEntity {}
impl Entity for SessionEntity {
    const NAME: &'static str = "session";
}

/// The id of a session.
pub type SessionId = Id<SessionEntity>;

/// What a browser is signed in with. The store has the hash of its token alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    pub id: SessionId,
    pub account: AccountId,
    pub hash: TokenHash,
    pub created_at: OffsetDateTime,
    /// Exact to [`Session::SEEN_EVERY`].
    pub last_seen_at: OffsetDateTime,
    /// When the password or a code was entered last.
    pub authenticated_at: OffsetDateTime,
    /// The password was right and the code of the second factor is still to be entered: nothing is open to
    /// it but that.
    pub awaits_code: bool,
    pub origin: Origin,
}

/// A session with the token that its browser keeps.
#[derive(Debug, Clone)]
pub struct NewSession {
    pub session: Session,
    pub token: AccountToken,
}

/// The result of looking up a session: what a request needs of its account and its login.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionStanding {
    pub session: Session,
    pub scope: AccountScope,
    /// Who switched the account off; `None` while it is on.
    pub switched_off_by: Option<SwitchedOffBy>,
    /// The e-mail address of the login.
    pub email: EmailAddress,
    pub company_name: String,
}

impl Session {
    /// A session ends when it was not used for this long.
    pub const IDLE: Duration = Duration::hours(12);
    /// A session ends this long after the sign-in, used or not.
    pub const LONGEST: Duration = Duration::days(14);
    /// A session that waits for a code ends after this.
    pub const CODE_WITHIN: Duration = Duration::minutes(10);
    /// How long a password or a code counts as recent authentication.
    pub const RECENT: Duration = Duration::minutes(10);
    /// The last use is written at most this often.
    pub const SEEN_EVERY: Duration = Duration::minutes(1);

    /// Begins one.
    #[must_use]
    pub fn begin(
        id: SessionId,
        token: &AccountToken,
        origin: Origin,
        awaits_code: bool,
        now: OffsetDateTime,
    ) -> Self {
        Self {
            id,
            account: token.account(),
            hash: token.hash(),
            created_at: now,
            last_seen_at: now,
            authenticated_at: now,
            awaits_code,
            origin,
        }
    }

    /// Whether it has not ended by itself.
    #[must_use]
    pub fn is_live(&self, now: OffsetDateTime) -> bool {
        let longest = if self.awaits_code { Self::CODE_WITHIN } else { Self::LONGEST };
        now < self.created_at.saturating_add(longest) && now < self.last_seen_at.saturating_add(Self::IDLE)
    }

    /// Whether the password or a code was entered lately.
    #[must_use]
    pub fn is_recently_authenticated(&self, now: OffsetDateTime) -> bool {
        now < self.authenticated_at.saturating_add(Self::RECENT)
    }

    /// Whether its last use is to be written anew.
    #[must_use]
    pub fn is_to_be_noted(&self, now: OffsetDateTime) -> bool {
        now >= self.last_seen_at.saturating_add(Self::SEEN_EVERY)
    }
}

#[cfg(test)]
mod tests {
    use kernel::SystemRandom;
    use testkit::StillClock;
    use uuid::Uuid;

    use super::*;

    const NOW: OffsetDateTime = StillClock::START;

    fn session(awaits_code: bool) -> Session {
        let account = Id::from_uuid(Uuid::from_u128(1));
        let token = AccountToken::generate(account, &SystemRandom::default()).unwrap();
        Session::begin(Id::from_uuid(Uuid::from_u128(2)), &token, Origin::unknown(), awaits_code, NOW)
    }

    #[test]
    fn session_ends_after_twelve_idle_hours_and_after_fourteen_days() {
        let mut session = session(false);
        let moment = Duration::microseconds(1);
        assert!(session.is_live(NOW + Duration::hours(12) - moment));
        assert!(!session.is_live(NOW + Duration::hours(12)));
        session.last_seen_at = NOW + Duration::days(14) - Duration::hours(1);
        assert!(session.is_live(NOW + Duration::days(14) - moment));
        assert!(!session.is_live(NOW + Duration::days(14)));
    }

    #[test]
    fn session_that_waits_for_a_code_ends_after_ten_minutes() {
        let session = session(true);
        assert!(session.is_live(NOW + Duration::minutes(9)));
        assert!(!session.is_live(NOW + Duration::minutes(10)));
    }

    #[test]
    fn authentication_is_recent_for_ten_minutes_and_use_is_noted_each_minute() {
        let session = session(false);
        assert!(session.is_recently_authenticated(NOW + Duration::seconds(599)));
        assert!(!session.is_recently_authenticated(NOW + Duration::minutes(10)));
        assert!(!session.is_to_be_noted(NOW + Duration::seconds(59)));
        assert!(session.is_to_be_noted(NOW + Duration::minutes(1)));
    }
}
