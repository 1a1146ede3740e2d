//! What came of an attempt.

use kernel::text::one_line;
use time::OffsetDateTime;

use crate::schedule::Schedule;

/// What came of an attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// There is nothing left to do: the other side did it, or it is no longer wanted.
    Done {
        /// When that was clear.
        at: OffsetDateTime,
    },
    /// It was not done now and will be tried again.
    Retry {
        /// When the attempt ended.
        at: OffsetDateTime,
        /// When the next one is due.
        next_attempt_at: OffsetDateTime,
        /// Why it was not done.
        reason: String,
    },
    /// It will not be tried again.
    GivenUp {
        /// When it was given up.
        at: OffsetDateTime,
        /// Why.
        reason: String,
    },
}

impl Outcome {
    /// The most characters of a reason that are kept.
    pub const LONGEST_REASON: usize = 500;

    /// What a failure that may pass comes to: another attempt, or the end when the work is too old. `attempt` counts from 1 and
    /// ended `at`.
    #[must_use]
    pub fn after_temporary(
        schedule: &Schedule,
        queued_at: OffsetDateTime,
        attempt: u32,
        at: OffsetDateTime,
        reason: &str,
    ) -> Self {
        match schedule.next_attempt(queued_at, attempt, at) {
            Some(next_attempt_at) => Self::Retry {
                at,
                next_attempt_at,
                reason: one_line(reason, Self::LONGEST_REASON),
            },
            None => {
                let too_late = schedule.too_late;
                Self::after_permanent(at, &format!("{too_late}; the last attempt: {reason}"))
            }
        }
    }

    /// What a refusal for good comes to.
    #[must_use]
    pub fn after_permanent(at: OffsetDateTime, reason: &str) -> Self {
        Self::GivenUp {
            at,
            reason: one_line(reason, Self::LONGEST_REASON),
        }
    }

    /// Whether this is the end of the work.
    #[must_use]
    pub const fn is_final(&self) -> bool {
        matches!(self, Self::Done { .. } | Self::GivenUp { .. })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use time::macros::datetime;

    #[test]
    fn a_reason_is_one_line_of_bearable_length() {
        let at = datetime!(2026-11-20 09:00 UTC);
        let reason = |text: &str| match Outcome::after_permanent(at, text) {
            Outcome::GivenUp { reason, .. } => reason,
            other => panic!("{other:?}"),
        };
        assert_eq!(reason("550 no\r\n such user "), "550 no such user");
        assert_eq!(
            reason(&"ä".repeat(9_000)),
            "ä".repeat(Outcome::LONGEST_REASON)
        );
    }
}
