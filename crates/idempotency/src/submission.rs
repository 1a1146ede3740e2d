//! Forms of pages: a form that is sent twice is carried out once.
//!
//! A form has a token in a hidden field, `once`, generated with the page. The token is claimed before
//! the form's work begins, in a separate transaction, so that any kind of work is done at most once. After a
//! crash in between the token stays claimed and unfinished: the user is asked to check what was done.

use async_trait::async_trait;
use kernel::{AccountId, StoreError};
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use crate::fingerprint::Fingerprint;

/// The token of a form: a UUIDv7 (RFC 9562, section 5.7), which contains the instant at which the page
/// was generated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FormToken(Uuid);

/// The form token is missing, or the page is too old.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("this page is too old: open it again, and send the form from there")]
pub struct StaleForm;

/// A submitted form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Submission {
    /// The account whose data the form changes.
    pub account: AccountId,
    pub token: FormToken,
    /// Covers the form's address and content.
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
    async fn begin(
        &self,
        submission: &Submission,
        now: OffsetDateTime,
    ) -> Result<SubmissionClaim, StoreError>;

    /// Records the result of a claimed submission.
    async fn finish(&self, submission: &Submission, result: &str) -> Result<(), StoreError>;

    /// Releases a claimed submission whose work was refused: the form may be sent again.
    async fn release(&self, submission: &Submission) -> Result<(), StoreError>;

    /// Deletes at most `limit` submissions that were begun before an instant. Returns the number deleted.
    async fn prune(&self, instant: OffsetDateTime, limit: u32) -> Result<u64, StoreError>;
}

impl FormToken {
    /// How long a form is valid after its page was generated.
    pub const VALID: Duration = Duration::hours(24);

    /// Takes a value that [`kernel::Ids`] has generated.
    #[must_use]
    pub const fn from_uuid(uuid: Uuid) -> Self {
        Self(uuid)
    }

    /// Parses a submitted value.
    ///
    /// # Errors
    /// [`StaleForm`] when it is not such a value, or is older than [`FormToken::VALID`].
    pub fn parse(text: &str, now: OffsetDateTime) -> Result<Self, StaleForm> {
        let uuid = Uuid::try_parse(text).map_err(|_malformed| StaleForm)?;
        let (seconds, _) = uuid.get_timestamp().ok_or(StaleForm)?.to_unix();
        let made =
            i64::try_from(seconds).ok().and_then(|seconds| OffsetDateTime::from_unix_timestamp(seconds).ok());
        let age = now - made.ok_or(StaleForm)?;
        // Clocks of processes differ: a minute in the future is accepted.
        let is_valid = uuid.get_version_num() == 7 && (-Duration::MINUTE..=Self::VALID).contains(&age);
        is_valid.then_some(Self(uuid)).ok_or(StaleForm)
    }

    #[must_use]
    pub const fn uuid(self) -> Uuid {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use kernel::{Ids as _, SystemIds};
    use time::macros::datetime;

    use super::*;

    #[test]
    fn form_is_valid_for_24_hours_after_its_page_was_made() {
        let now = datetime!(2026-11-20 02:09 UTC);
        let text = SystemIds::default().uuid_at(now).to_string();
        let parse = |after: Duration| FormToken::parse(&text, now + after);
        assert_eq!(parse(Duration::ZERO).unwrap().uuid().to_string(), text);
        assert!(parse(FormToken::VALID).is_ok() && parse(-Duration::MINUTE).is_ok());
        assert_eq!(parse(FormToken::VALID + Duration::SECOND), Err(StaleForm));
        assert_eq!(parse(-Duration::minutes(2)), Err(StaleForm), "no page is made in the future");
    }

    #[test]
    fn other_values_than_those_of_pages_are_refused() {
        let now = datetime!(2026-11-20 02:09 UTC);
        for text in ["", "1", "0199", "6ba7b810-9dad-11d1-80b4-00c04fd430c8", "é"] {
            assert_eq!(FormToken::parse(text, now), Err(StaleForm), "{text}");
        }
    }
}
