//! The scorecard.

use serde::Serialize;

use super::cases::{Case, Expected};
use super::sender::Reply;
use crate::output::columns;

/// How a receiver did in one case.
#[derive(Debug, Serialize)]
pub(super) struct CaseResult {
    played: &'static str,
    expected: &'static str,
    came: String,
    pub(super) passed: bool,
}

impl CaseResult {
    /// `afterwards` is what came back for the genuine delivery after the case, where there was one.
    pub(super) fn new(case: &Case, came: &[Reply], afterwards: Option<&Reply>) -> Self {
        let is_there = afterwards.is_none_or(Reply::is_2xx);
        let passed = match case.expected {
            Expected::Accepted => came.iter().all(Reply::is_2xx),
            Expected::Refused | Expected::RefusedThenSuccess => came.iter().all(Reply::is_refusal),
            Expected::AnyThenSuccess => came.iter().all(Reply::was_sent),
        };
        Self {
            played: case.title,
            expected: case.expected.as_str(),
            came: words(came, afterwards),
            passed: passed && is_there,
        }
    }
}

impl Reply {
    fn is_2xx(&self) -> bool {
        matches!(self, Self::Status(200..=299))
    }

    fn was_sent(&self) -> bool {
        !matches!(self, Self::NoConnection(_) | Self::NotSent)
    }

    /// A receiver that cannot be reached has refused nothing.
    fn is_refusal(&self) -> bool {
        self.was_sent() && !self.is_2xx()
    }

    fn words(&self) -> String {
        match self {
            Self::Status(status) => status.to_string(),
            Self::Closed => "the connection was closed".to_owned(),
            Self::Nothing => "nothing in time".to_owned(),
            Self::NotHttp => "something that is not HTTP".to_owned(),
            Self::NoConnection(fault) => fault.to_string(),
            Self::NotSent => "not sent: the time was up".to_owned(),
        }
    }
}

/// What came back, where all of several are alike only once.
fn words(came: &[Reply], afterwards: Option<&Reply>) -> String {
    let mut words: Vec<String> = came.iter().map(Reply::words).collect();
    words.dedup();
    let came = words.join(", ");
    match afterwards {
        Some(afterwards) => format!("{came}; then {}", afterwards.words()),
        None => came,
    }
}

/// The report as text.
pub(super) fn text(report: &[CaseResult]) -> String {
    let row = |result: &CaseResult| {
        let passed = if result.passed { "pass" } else { "FAIL" };
        let cells = [passed, result.played, result.expected, &result.came];
        cells.map(str::to_owned).to_vec()
    };
    let rows: Vec<_> = report.iter().map(row).collect();
    let passed = report.iter().filter(|result| result.passed).count();
    let table = columns(&["", "played", "expected", "came"], &rows);
    format!("{table}\n{passed} of {} passed", report.len())
}
