//! The scorecard.

use serde::Serialize;

use super::plays::{Expected, Play};
use super::wire::Came;
use crate::output::columns;

/// How a receiver did in one play.
#[derive(Debug, Serialize)]
pub(super) struct Score {
    played: &'static str,
    expected: &'static str,
    came: String,
    pub(super) passed: bool,
}

impl Score {
    /// `afterwards` is what came back for the genuine delivery after the play, where there was one.
    pub(super) fn new(play: &Play, came: &[Came], afterwards: Option<&Came>) -> Self {
        let is_there = afterwards.is_none_or(Came::is_2xx);
        let passed = match play.expected {
            Expected::Taken => came.iter().all(Came::is_2xx),
            Expected::Refused | Expected::RefusedAndSane => came.iter().all(Came::is_refusal),
            Expected::Sane => came.iter().all(Came::was_played),
        };
        Self {
            played: play.played,
            expected: play.expected.as_str(),
            came: words(came, afterwards),
            passed: passed && is_there,
        }
    }
}

impl Came {
    fn is_2xx(&self) -> bool {
        matches!(self, Self::Status(200..=299))
    }

    fn was_played(&self) -> bool {
        !matches!(self, Self::NoConnection(_) | Self::NotPlayed)
    }

    /// Nobody is told of a forgery that it was taken. A receiver that cannot be reached has refused nothing.
    fn is_refusal(&self) -> bool {
        self.was_played() && !self.is_2xx()
    }

    fn words(&self) -> String {
        match self {
            Self::Status(status) => status.to_string(),
            Self::Closed => "the connection was closed".to_owned(),
            Self::Nothing => "nothing in time".to_owned(),
            Self::NotHttp => "something that is not HTTP".to_owned(),
            Self::NoConnection(fault) => fault.to_string(),
            Self::NotPlayed => "not played: the time was up".to_owned(),
        }
    }
}

/// What came back, where all of several are alike only once.
fn words(came: &[Came], afterwards: Option<&Came>) -> String {
    let mut words: Vec<String> = came.iter().map(Came::words).collect();
    words.dedup();
    let came = words.join(", ");
    match afterwards {
        Some(afterwards) => format!("{came}; then {}", afterwards.words()),
        None => came,
    }
}

/// The card for people.
pub(super) fn text(card: &[Score]) -> String {
    let row = |score: &Score| {
        let passed = if score.passed { "pass" } else { "FAIL" };
        let cells = [passed, score.played, score.expected, &score.came];
        cells.map(str::to_owned).to_vec()
    };
    let rows: Vec<_> = card.iter().map(row).collect();
    let passed = card.iter().filter(|score| score.passed).count();
    let table = columns(&["", "played", "expected", "came"], &rows);
    format!("{table}\n{passed} of {} passed", card.len())
}
