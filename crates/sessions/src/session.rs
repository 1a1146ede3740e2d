//! Sessions of browsers that are signed in.

use access::SwitchedOffBy;
use kernel::{AccountId, AccountScope, AccountToken, EmailAddress, Id, TokenHash};
use time::{Duration, OffsetDateTime};

use crate::origin::Origin;

/// Marks ids of sessions.
pub enum SessionEntity {}

pub type SessionId = Id<SessionEntity>;

/// The session of a browser that is signed in. Only the hash of its token is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    pub id: SessionId,
    pub account: AccountId,
    pub token_hash: TokenHash,
    pub created_at: OffsetDateTime,
    /// When the session was last used, accurate to [`Session::SEEN_EVERY`].
    pub last_seen_at: OffsetDateTime,
    /// When the password or a code was last entered.
    pub authenticated_at: OffsetDateTime,
    /// Whether the password was right and the code of the second factor must still be entered; until then the
    /// session can be used for nothing else.
    pub awaits_code: bool,
    pub origin: Origin,
}

/// A session with the token that its browser keeps.
#[derive(Debug, Clone)]
pub struct NewSession {
    pub session: Session,
    pub token: AccountToken,
}

/// The result of looking up a session, with the data of its account and login that a request needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionRecord {
    pub session: Session,
    pub scope: AccountScope,
    /// Who switched the account off; `None` while it is on.
    pub switched_off_by: Option<SwitchedOffBy>,
    /// The e-mail address of the login.
    pub email: EmailAddress,
    pub company_name: String,
}

impl Session {
    /// A session ends when it has not been used for this long.
    pub const IDLE: Duration = Duration::hours(12);
    /// A session ends this long after the sign-in, used or not.
    pub const MAX_AGE: Duration = Duration::days(14);
    /// A session that waits for a code ends after this time.
    pub const CODE_WITHIN: Duration = Duration::minutes(10);
    /// How long a password or a code counts as recent authentication.
    pub const RECENT: Duration = Duration::minutes(10);
    /// A login has at most this many sessions, and at most this many that wait for a code. These are counted
    /// apart, so that a password alone does not sign out an owner with a second factor.
    pub const MAX_OF_LOGIN: usize = 50;
    /// The last use is stored at most this often.
    pub const SEEN_EVERY: Duration = Duration::minutes(1);

    /// Begins a session.
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
            token_hash: token.hash(),
            created_at: now,
            last_seen_at: now,
            authenticated_at: now,
            awaits_code,
            origin,
        }
    }

    /// Whether the session has not expired.
    #[must_use]
    pub fn is_live(&self, now: OffsetDateTime) -> bool {
        let longest = if self.awaits_code { Self::CODE_WITHIN } else { Self::MAX_AGE };
        now < self.created_at.saturating_add(longest) && now < self.last_seen_at.saturating_add(Self::IDLE)
    }

    /// Whether the password or a code was entered within [`Session::RECENT`].
    #[must_use]
    pub fn is_recently_authenticated(&self, now: OffsetDateTime) -> bool {
        now < self.authenticated_at.saturating_add(Self::RECENT)
    }

    /// Whether the last use must be stored again.
    #[must_use]
    pub fn needs_use_update(&self, now: OffsetDateTime) -> bool {
        now >= self.last_seen_at.saturating_add(Self::SEEN_EVERY)
    }
}

#[cfg(test)]
mod tests {
    use kernel::SystemRandom;
    use testkit::FixedClock;
    use uuid::Uuid;

    use super::*;

    const NOW: OffsetDateTime = FixedClock::START;

    fn session(awaits_code: bool) -> Session {
        let account = Id::from_uuid(Uuid::from_u128(1));
        let token = AccountToken::generate(account, &SystemRandom::default());
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
        assert!(!session.needs_use_update(NOW + Duration::seconds(59)));
        assert!(session.needs_use_update(NOW + Duration::minutes(1)));
    }
}
