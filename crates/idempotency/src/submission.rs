//! Forms of pages: a form that is sent twice is carried out once.
//!
//! A form has a token in a hidden field, `once`, generated with the page for its account. The token is
//! claimed before the form's work begins, in a separate transaction, so that any kind of work is done at most
//! once. After a crash in between the token stays claimed and unfinished: the user is asked to check what was
//! done.

use std::fmt;

use async_trait::async_trait;
use kernel::{AccountId, Ids, StoreResult};
use ring::digest::{Context, SHA256};
use ring::hmac;
use time::{Duration, OffsetDateTime};
use uuid::{Builder, Uuid};

use crate::fingerprint::Fingerprint;

/// The token of a form: a UUIDv7 (RFC 9562, section 5.7), which contains the instant at which the page
/// was generated. Its last 32 bits are a checksum of its other bits and the page's account, so that the form
/// of a page that is still open is not carried out for another account, to which the browser has signed in
/// meanwhile. They are no secret and protect against mistakes only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FormToken(Uuid);

/// The key of the HMAC over the content of a form. A form can contain a password; with a digest that needs no
/// key, the password could be guessed from a copy of the database.
pub struct FormKey(hmac::Key);

/// Why a form token is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum FormTokenError {
    /// The form token is missing, or the page is too old.
    #[error("this page is too old: open it again, and send the form from there")]
    Stale,
    /// The page was generated for another account.
    #[error("this form is of a page of another account")]
    OtherAccount,
}

/// A submitted form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Submission {
    /// The account whose data the form changes.
    pub account: AccountId,
    pub token: FormToken,
    /// Covers the form's address and content: [`FormKey::fingerprint`].
    pub fingerprint: Fingerprint,
}

/// The result of claiming a submission.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SubmissionClaim {
    /// The form was not sent before: its work must be done now.
    Fresh,
    /// The work was done, with this recorded result.
    Finished(String),
    /// The work was begun and is in progress, or was interrupted.
    Unfinished,
    /// The token was sent before with other content, or by another form.
    OtherContent,
}

/// The submissions of all accounts.
#[async_trait]
pub trait Submissions: Send + Sync {
    /// Claims a submission. Of two concurrent calls one gets [`SubmissionClaim::Fresh`].
    async fn begin(&self, submission: &Submission, now: OffsetDateTime) -> StoreResult<SubmissionClaim>;

    /// Records the result of a claimed submission.
    async fn finish(&self, submission: &Submission, result: &str) -> StoreResult<()>;

    /// Releases a claimed submission whose work was refused: the form may be sent again.
    async fn release(&self, submission: &Submission) -> StoreResult<()>;

    /// Deletes at most `limit` submissions that were begun before an instant. Returns the number deleted.
    async fn prune(&self, instant: OffsetDateTime, limit: u32) -> StoreResult<u64>;
}

impl FormKey {
    /// The key from its secret bytes, at least 32.
    #[must_use]
    pub fn new(secret: &[u8]) -> Self {
        Self(hmac::Key::new(hmac::HMAC_SHA256, secret))
    }

    /// The HMAC-SHA-256 (RFC 2104) of a form's address and content.
    #[must_use]
    pub fn fingerprint(&self, content: &[u8]) -> Fingerprint {
        // An HMAC-SHA-256 has 32 bytes.
        let tag = hmac::sign(&self.0, content);
        Fingerprint::from_bytes(tag.as_ref().first_chunk().copied().unwrap_or_default())
    }
}

impl fmt::Debug for FormKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FormKey(redacted)")
    }
}

impl FormToken {
    /// How long a form is valid after its page was generated.
    pub const VALID: Duration = Duration::hours(24);

    /// A new token for a form of an account's page.
    #[must_use]
    pub fn new(ids: &dyn Ids, now: OffsetDateTime, account: AccountId) -> Self {
        // Ids do not go back in time when the clock does; the form would be one of the future.
        let milliseconds = u64::try_from(now.unix_timestamp_nanos().div_euclid(1_000_000));
        let [_, _, _, _, _, _, rest @ ..] = ids.uuid_at(now).into_bytes();
        let uuid = Builder::from_unix_timestamp_millis(milliseconds.unwrap_or_default(), &rest).into_uuid();
        Self::with_checksum(uuid, account)
    }

    /// Parses a value that was submitted for an account.
    ///
    /// # Errors
    /// [`FormTokenError::Stale`] when it is not such a value, or is older than [`FormToken::VALID`];
    /// [`FormTokenError::OtherAccount`] when its page was another account's.
    pub fn parse(text: &str, now: OffsetDateTime, account: AccountId) -> Result<Self, FormTokenError> {
        let stale = || FormTokenError::Stale;
        let uuid = Uuid::try_parse(text).map_err(|_malformed| stale())?;
        let (seconds, _) = uuid.get_timestamp().ok_or_else(stale)?.to_unix();
        let made =
            i64::try_from(seconds).ok().and_then(|seconds| OffsetDateTime::from_unix_timestamp(seconds).ok());
        let age = now - made.ok_or_else(stale)?;
        // Clocks of processes differ: a minute in the future is accepted.
        let is_valid = uuid.get_version_num() == 7 && (-Duration::MINUTE..=Self::VALID).contains(&age);
        if !is_valid {
            return Err(stale());
        }
        let token = Self(uuid);
        if Self::with_checksum(uuid, account) == token {
            Ok(token)
        } else {
            Err(FormTokenError::OtherAccount)
        }
    }

    /// Replaces the last 32 bits, which are random in a new UUID.
    fn with_checksum(uuid: Uuid, account: AccountId) -> Self {
        let rest = uuid.as_u128() & !u128::from(u32::MAX);
        let mut context = Context::new(&SHA256);
        context.update(&rest.to_be_bytes());
        context.update(account.uuid().as_bytes());
        // A SHA-256 has 32 bytes.
        let checksum = context.finish().as_ref().first_chunk().copied().unwrap_or_default();
        Self(Uuid::from_u128(rest | u128::from(u32::from_be_bytes(checksum))))
    }

    #[must_use]
    pub const fn uuid(self) -> Uuid {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use kernel::SystemIds;
    use time::macros::datetime;

    use super::*;

    const ACCOUNT: AccountId = AccountId::from_uuid(Uuid::from_u128(1));
    const OTHER: AccountId = AccountId::from_uuid(Uuid::from_u128(2));

    #[test]
    fn form_is_valid_for_24_hours_after_its_page_was_made() {
        let now = datetime!(2026-11-20 02:09 UTC);
        let text = FormToken::new(&SystemIds::default(), now, ACCOUNT).uuid().to_string();
        let parse = |after: Duration| FormToken::parse(&text, now + after, ACCOUNT);
        assert_eq!(parse(Duration::ZERO).unwrap().uuid().to_string(), text);
        assert!(parse(FormToken::VALID).is_ok() && parse(-Duration::MINUTE).is_ok());
        assert_eq!(parse(FormToken::VALID + Duration::SECOND), Err(FormTokenError::Stale));
        assert_eq!(parse(-Duration::minutes(2)), Err(FormTokenError::Stale), "no page is made in the future");
    }

    #[test]
    fn form_is_valid_after_the_clock_was_set_back() {
        let (ids, now) = (SystemIds::default(), datetime!(2026-11-20 02:09 UTC));
        let instants = [now + Duration::DAY, now, now];
        let [_, one, other] = instants.map(|at| FormToken::new(&ids, at, ACCOUNT).uuid().to_string());
        assert!(FormToken::parse(&one, now, ACCOUNT).is_ok());
        assert_ne!(one, other);
    }

    #[test]
    fn other_values_than_those_of_pages_are_refused() {
        let now = datetime!(2026-11-20 02:09 UTC);
        for text in ["", "1", "0199", "6ba7b810-9dad-11d1-80b4-00c04fd430c8", "é"] {
            assert_eq!(FormToken::parse(text, now, ACCOUNT), Err(FormTokenError::Stale), "{text}");
        }
    }

    #[test]
    fn form_of_another_accounts_page_is_refused() {
        let (ids, now) = (SystemIds::default(), datetime!(2026-11-20 02:09 UTC));
        let text = FormToken::new(&ids, now, ACCOUNT).uuid().to_string();
        assert_eq!(FormToken::parse(&text, now, OTHER), Err(FormTokenError::OtherAccount));
        let other = FormToken::new(&ids, now, ACCOUNT).uuid().to_string();
        assert_ne!(text, other, "two pages of an account");
    }

    #[test]
    fn content_of_a_form_can_be_recognized_only_with_the_key() {
        let (content, key) = (b"/security?password=hunter2", FormKey::new(&[1; 32]));
        assert_eq!(key.fingerprint(content), FormKey::new(&[1; 32]).fingerprint(content));
        assert_ne!(key.fingerprint(content), FormKey::new(&[2; 32]).fingerprint(content));
        assert_ne!(key.fingerprint(content), key.fingerprint(b"/security?password=hunter3"));
        assert_ne!(key.fingerprint(content), Fingerprint::of(content));
        assert_eq!(format!("{key:?}"), "FormKey(redacted)");
    }
}
