//! The result of a check, in one line.

use std::time::Duration;

use serde::Serialize;

/// A message that all is well, or the problem.
pub(super) type CheckOutcome = Result<String, CheckProblem>;

/// Why a check did not succeed.
#[derive(Debug)]
pub(super) enum CheckProblem {
    /// The check failed; the message says what to do.
    Wrong(String),
    /// The check was skipped, since something that it depends on is wrong.
    Skipped(&'static str),
}

impl From<String> for CheckProblem {
    fn from(message: String) -> Self {
        Self::Wrong(message)
    }
}

/// A store's error is shown with all its causes.
impl From<kernel::StoreError> for CheckProblem {
    fn from(error: kernel::StoreError) -> Self {
        Self::Wrong(format!("{:#}", anyhow::Error::new(error)))
    }
}

/// The result of a check. The JSON form does not distinguish a failed check from a skipped one.
#[derive(Debug, Serialize)]
pub(super) struct Finding {
    check: &'static str,
    ok: bool,
    message: String,
    #[serde(skip)]
    pub(super) is_wrong: bool,
}

impl Finding {
    pub(super) fn new(check: &'static str, outcome: CheckOutcome) -> Self {
        let (ok, is_wrong) = (outcome.is_ok(), matches!(outcome, Err(CheckProblem::Wrong(_))));
        let message = match outcome {
            Ok(message) | Err(CheckProblem::Wrong(message)) => message,
            Err(CheckProblem::Skipped(message)) => message.to_owned(),
        };
        // A message of another program may span lines; a finding has one line.
        let message = message.split_whitespace().collect::<Vec<_>>().join(" ");
        Self { check, ok, message, is_wrong }
    }

    /// The finding as text for people.
    pub(super) fn line(&self) -> String {
        let label = match (self.ok, self.is_wrong) {
            (true, _) => "ok",
            (false, true) => "FAIL",
            (false, false) => "skip",
        };
        format!("{label:<4}  {:<14}  {}", self.check, self.message)
    }
}

/// Runs a check for at most `limit`.
pub(super) async fn within(
    limit: Duration,
    check: &'static str,
    outcome: impl Future<Output = CheckOutcome>,
) -> Finding {
    let seconds = limit.as_secs();
    let slow = |_elapsed| Err(format!("nothing was found out in {seconds} s").into());
    Finding::new(check, tokio::time::timeout(limit, outcome).await.unwrap_or_else(slow))
}

/// Runs a blocking check on a thread of its own.
pub(super) async fn run_blocking(
    check: impl FnOnce() -> Result<String, String> + Send + 'static,
) -> CheckOutcome {
    let found = tokio::task::spawn_blocking(check).await;
    found.map_err(|error| error.to_string())?.map_err(CheckProblem::Wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_is_one_line_and_three_fields() {
        let wrong = Finding::new("mail", Err("no\n  answer".to_owned().into()));
        assert_eq!(wrong.line(), "FAIL  mail            no answer");
        let shown = serde_json::to_value(&wrong).unwrap();
        let said = serde_json::json!({"check": "mail", "ok": false, "message": "no answer"});
        assert_eq!(shown, said);
        let skipped = serde_json::to_value(Finding::new("mail", Err(CheckProblem::Skipped("")))).unwrap();
        assert_eq!(skipped["ok"], false);
    }

    #[tokio::test]
    async fn check_that_never_ends_times_out() {
        let endless = within(Duration::from_millis(1), "mail", std::future::pending()).await;
        assert!(endless.is_wrong);
    }
}
