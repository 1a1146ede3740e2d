//! The ports of sessions and logins.

use async_trait::async_trait;
use kernel::{AccountId, AccountToken, Commit, EmailAddress, Operator, StoreResult, TokenHash};
use outbox::Jobs;
use partner_accounts::Invitation;
use time::OffsetDateTime;

use crate::audit::AuditEntry;
use crate::login::{Login, LoginRecord};
use crate::password_reset::PasswordReset;
use crate::reset_request::{ResetRequest, ResetRequestId};
use crate::second_factor::SealedTotpSecret;
use crate::session::{Session, SessionId, SessionRecord};

/// Reads logins and sessions, and begins transactions on one account.
#[cfg_attr(test, mockall::automock)]
#[async_trait]
pub trait SessionsStore: Send + Sync {
    /// Begins a transaction. Every query in it is limited to that account.
    async fn begin(&self, account: AccountId) -> StoreResult<Box<dyn SessionsTx>>;

    /// The session with this token, expired or not, and whether its account is switched off: one round trip,
    /// from committed data.
    async fn session_record(&self, token: &AccountToken) -> StoreResult<Option<SessionRecord>>;

    /// Records when a session was last used.
    async fn record_use(
        &self,
        account: AccountId,
        session: SessionId,
        now: OffsetDateTime,
    ) -> StoreResult<()>;

    /// Removes the session with this token, if there is one.
    async fn end(&self, token: &AccountToken) -> StoreResult<()>;

    /// The sessions of an account, most recently used first.
    async fn sessions(&self, account: AccountId) -> StoreResult<Vec<Session>>;

    /// The login with this e-mail address, compared case-insensitively.
    async fn login_with_email(&self, email: &EmailAddress) -> StoreResult<Option<LoginRecord>>;

    async fn login(&self, account: AccountId) -> StoreResult<Option<LoginRecord>>;

    /// The invitation with this token.
    async fn invitation(&self, token: &AccountToken) -> StoreResult<Option<Invitation>>;

    /// The password reset with this token.
    async fn password_reset(&self, token: &AccountToken) -> StoreResult<Option<PasswordReset>>;

    /// Stores a request for a password reset, for any e-mail address, in one statement.
    async fn insert_reset_request(&self, request: &ResetRequest) -> StoreResult<()>;

    /// The requests that were stored before an instant and not removed, at most `limit`, oldest first.
    async fn reset_requests(&self, before: OffsetDateTime, limit: u32) -> StoreResult<Vec<ResetRequest>>;

    /// Removes a request, if it exists.
    async fn remove_reset_request(&self, request: ResetRequestId) -> StoreResult<()>;

    /// How many recovery codes an account has left.
    async fn recovery_codes_left(&self, account: AccountId) -> StoreResult<u64>;

    /// Removes sessions that were last used before `unused_since` or begun before `begun_before`, and
    /// password resets that expired before `unused_since`, at most `limit` of each. Returns how many.
    async fn prune(
        &self,
        unused_since: OffsetDateTime,
        begun_before: OffsetDateTime,
        limit: u32,
    ) -> StoreResult<u64>;
}

/// A transaction on the login of one account.
pub trait SessionsTx: Commit {
    /// The login with its records.
    fn logins(&mut self) -> &mut dyn LoginRecords;

    /// The account's audit entries.
    fn audit(&mut self) -> &mut dyn AuditEntries;

    /// The account's background jobs.
    fn jobs(&mut self) -> &mut dyn Jobs;
}

/// Adds audit entries in a transaction.
#[async_trait]
pub trait AuditEntries: Send {
    async fn record(&mut self, entry: &AuditEntry) -> StoreResult<()>;
}

/// Whether the login of the transaction's account was used with a browser before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BrowserSeen {
    /// The login was used with it before.
    Before,
    /// The login was used only with other browsers.
    New,
    /// The login was never used before.
    First,
}

/// The login of the transaction's account, with its sessions, resets and codes.
#[async_trait]
pub trait LoginRecords: Send {
    /// The login, locked until the transaction ends: another transaction that locks it waits.
    async fn lock(&mut self) -> StoreResult<Option<LoginRecord>>;

    /// Stores a locked login: its password and second factor.
    async fn update(&mut self, login: &Login) -> StoreResult<()>;

    /// Whether the session exists: an ended session is removed.
    async fn has_session(&mut self, session: SessionId) -> StoreResult<bool>;

    /// Stores a new session. If there are more than [`Session::MAX_OF_LOGIN`] then, the one that was unused
    /// longest ends.
    async fn insert_session(&mut self, session: &Session) -> StoreResult<()>;

    /// Stores when the password or a code was last entered. `false` when the session does not exist.
    async fn set_authenticated(&mut self, session: SessionId, now: OffsetDateTime) -> StoreResult<bool>;

    /// Removes one session; `false` when it does not exist.
    async fn end_session(&mut self, session: SessionId) -> StoreResult<bool>;

    /// Removes every session except `but`. Returns how many.
    async fn end_sessions(&mut self, but: Option<SessionId>) -> StoreResult<u64>;

    /// Records that the login was used with a browser. The 50 browsers that were used last are remembered.
    async fn record_browser(&mut self, name: &str, now: OffsetDateTime) -> StoreResult<BrowserSeen>;

    async fn insert_invitation(&mut self, invitation: &Invitation) -> StoreResult<()>;

    /// When the last invitation was made.
    async fn last_invited_at(&mut self) -> StoreResult<Option<OffsetDateTime>>;

    /// Marks this invitation as used. Returns `false` and changes nothing when it is already used. Of two
    /// concurrent calls one returns `true`.
    async fn use_invitation(&mut self, used: &Invitation, now: OffsetDateTime) -> StoreResult<bool>;

    async fn insert_reset(&mut self, reset: &PasswordReset) -> StoreResult<()>;

    /// How many resets were requested since an instant.
    async fn resets_since(&mut self, instant: OffsetDateTime) -> StoreResult<u64>;

    /// Marks this reset as used, with the same result as [`LoginRecords::use_invitation`].
    async fn use_reset(&mut self, used: &PasswordReset, now: OffsetDateTime) -> StoreResult<bool>;

    /// Marks every invitation and reset of the account as used: a new password and a newer invitation end
    /// the links made before.
    async fn end_links(&mut self, now: OffsetDateTime) -> StoreResult<()>;

    /// Replaces all recovery codes with these.
    async fn replace_recovery_codes(&mut self, hashes: &[TokenHash]) -> StoreResult<()>;

    /// Removes a recovery code; `false` when there is none with this hash.
    async fn take_recovery_code(&mut self, hash: &TokenHash) -> StoreResult<bool>;
}

/// The sealed secrets of a login.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SealedLogin {
    pub account: AccountId,
    pub secret: Option<SealedTotpSecret>,
    pub proposed: Option<SealedTotpSecret>,
}

/// The sealed secrets of second factors, for resealing after a change of the master key.
#[async_trait]
pub trait SealedSecondFactors: Send + Sync {
    /// At most `limit` logins with a secret that does not begin with this prefix, in order of account, after
    /// `after`.
    async fn sealed_under_other_keys(
        &self,
        operator: Operator,
        key_prefix: &[u8],
        after: Option<AccountId>,
        limit: u32,
    ) -> StoreResult<Vec<SealedLogin>>;

    /// Replaces the secrets of a login if the old ones are still stored. Returns whether they were.
    async fn replace(&self, operator: Operator, old: &SealedLogin, new: &SealedLogin) -> StoreResult<bool>;
}
