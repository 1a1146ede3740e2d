//! Limits how often a language model is asked: few questions at once, and none for a while after repeated
//! failures.

use std::sync::{Mutex, MutexGuard, PoisonError};

use time::{Duration, OffsetDateTime};

/// How many questions are asked at once: one less than messages are handled at once, so that a slow model
/// never delays messages that it is not asked about.
const MAX_AT_ONCE: u32 = 3;

/// After this many failures in a row the model is not asked for a while.
const MAX_FAILURES: u32 = 3;

/// The length of this pause. The first failure after it starts another.
const PAUSE: Duration = Duration::MINUTE;

/// Counts the questions of this process.
#[derive(Debug, Default)]
pub(super) struct QuestionLimit(Mutex<Counts>);

#[derive(Debug, Default)]
struct Counts {
    under_way: u32,
    failures: u32,
    failed_at: Option<OffsetDateTime>,
}

/// A question in progress, until this value is dropped.
#[derive(Debug)]
pub(super) struct Question<'a>(&'a QuestionLimit);

impl QuestionLimit {
    /// Begins a question, unless too many are in progress or the model is paused.
    pub(super) fn begin(&self, now: OffsetDateTime) -> Option<Question<'_>> {
        let mut counts = self.counts();
        // A clock that was set back must not prolong the pause.
        let is_recent = |at: OffsetDateTime| (Duration::ZERO..PAUSE).contains(&(now - at));
        let is_left_alone = counts.failures >= MAX_FAILURES && counts.failed_at.is_some_and(is_recent);
        if is_left_alone || counts.under_way >= MAX_AT_ONCE {
            return None;
        }
        counts.under_way = counts.under_way.saturating_add(1);
        Some(Question(self))
    }

    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Question<'_> {
    /// Records that the model answered.
    pub(super) fn succeeded(self) {
        self.0.counts().failures = 0;
    }

    /// Records that the model did not answer.
    pub(super) fn failed(self, now: OffsetDateTime) {
        let mut counts = self.0.counts();
        counts.failures = counts.failures.saturating_add(1);
        counts.failed_at = Some(now);
    }
}

impl Drop for Question<'_> {
    fn drop(&mut self) {
        let mut counts = self.0.counts();
        counts.under_way = counts.under_way.saturating_sub(1);
    }
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    const NOW: OffsetDateTime = datetime!(2026-12-01 09:00 UTC);

    #[test]
    fn few_questions_are_under_way_at_once() {
        let limit = QuestionLimit::default();
        let mut under_way: Vec<_> = (0..MAX_AT_ONCE).map(|_| limit.begin(NOW).unwrap()).collect();
        assert!(limit.begin(NOW).is_none());
        under_way.pop();
        assert!(limit.begin(NOW).is_some());
    }

    #[test]
    fn model_that_fails_is_left_alone_for_a_while_and_one_success_forgets_failures() {
        let limit = QuestionLimit::default();
        let fail = |now| limit.begin(now).unwrap().failed(now);
        fail(NOW);
        fail(NOW);
        limit.begin(NOW).unwrap().succeeded();
        (0..MAX_FAILURES).for_each(|_| fail(NOW));
        assert!(limit.begin(NOW + PAUSE - Duration::SECOND).is_none());
        assert!(limit.begin(NOW - Duration::DAY).is_some(), "the clock was set back");
        fail(NOW + PAUSE);
        assert!(limit.begin(NOW + PAUSE).is_none(), "the first failure after the pause begins another");
        limit.begin(NOW + PAUSE + PAUSE).unwrap().succeeded();
        fail(NOW + PAUSE + PAUSE);
        assert!(limit.begin(NOW + PAUSE + PAUSE).is_some());
    }
}
