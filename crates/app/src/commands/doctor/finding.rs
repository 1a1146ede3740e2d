//! What a check found, in one line.

use std::time::Duration;

use serde::ser::SerializeStruct as _;
use serde::{Serialize, Serializer};

/// How it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// All is well.
    Fine,
    /// Something is to be done, and the message says what.
    Wrong,
    /// It was not looked at, since something that it hangs on is wrong.
    Skipped,
}

/// What a check found.
#[derive(Debug)]
pub(super) struct Finding {
    check: &'static str,
    pub(super) verdict: Verdict,
    message: String,
}

impl Finding {
    pub(super) fn fine(check: &'static str, message: impl Into<String>) -> Self {
        Self::new(check, Verdict::Fine, message.into())
    }

    pub(super) fn wrong(check: &'static str, message: impl Into<String>) -> Self {
        Self::new(check, Verdict::Wrong, message.into())
    }

    pub(super) fn skipped(check: &'static str, message: impl Into<String>) -> Self {
        Self::new(check, Verdict::Skipped, message.into())
    }

    /// Fine with a message, or wrong with one.
    pub(super) fn of(check: &'static str, found: Result<String, String>) -> Self {
        match found {
            Ok(message) => Self::fine(check, message),
            Err(message) => Self::wrong(check, message),
        }
    }

    fn new(check: &'static str, verdict: Verdict, message: String) -> Self {
        // A message of somebody else's may span lines; a finding is one.
        let message = message.split_whitespace().collect::<Vec<_>>().join(" ");
        Self { check, verdict, message }
    }

    /// For people.
    pub(super) fn line(&self) -> String {
        let verdict = match self.verdict {
            Verdict::Fine => "ok",
            Verdict::Wrong => "FAIL",
            Verdict::Skipped => "skip",
        };
        format!("{verdict:<4}  {:<14}  {}", self.check, self.message)
    }
}

impl Serialize for Finding {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut shown = serializer.serialize_struct("Finding", 3)?;
        shown.serialize_field("check", self.check)?;
        shown.serialize_field("ok", &(self.verdict == Verdict::Fine))?;
        shown.serialize_field("message", &self.message)?;
        shown.end()
    }
}

/// Gives a check its time.
pub(super) async fn within(
    patience: Duration,
    check: &'static str,
    look: impl Future<Output = Finding>,
) -> Finding {
    let seconds = patience.as_secs();
    let slow = |_elapsed| Finding::wrong(check, format!("nothing was found out in {seconds} s"));
    tokio::time::timeout(patience, look).await.unwrap_or_else(slow)
}

/// Does what may block on a thread of its own.
pub(super) async fn aside(
    check: &'static str,
    look: impl FnOnce() -> Result<String, String> + Send + 'static,
) -> Finding {
    match tokio::task::spawn_blocking(look).await {
        Ok(found) => Finding::of(check, found),
        Err(error) => Finding::wrong(check, error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_is_one_line_and_three_fields() {
        let wrong = Finding::wrong("mail", "no\n  answer");
        assert_eq!(wrong.line(), "FAIL  mail            no answer");
        let shown = serde_json::to_value(&wrong).unwrap();
        let said = serde_json::json!({"check": "mail", "ok": false, "message": "no answer"});
        assert_eq!(shown, said);
        let skipped = serde_json::to_value(Finding::skipped("mail", "")).unwrap();
        assert_eq!(skipped["ok"], false);
    }

    #[tokio::test]
    async fn what_never_ends_is_given_up() {
        let endless = within(Duration::from_millis(1), "mail", std::future::pending()).await;
        assert_eq!(endless.verdict, Verdict::Wrong);
    }
}
