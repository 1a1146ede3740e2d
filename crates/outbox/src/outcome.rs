//! What came of an attempt.

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
                reason: tidied(reason),
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
            reason: tidied(reason),
        }
    }

    /// Whether this is the end of the work.
    #[must_use]
    pub const fn is_final(&self) -> bool {
        matches!(self, Self::Done { .. } | Self::GivenUp { .. })
    }
}

/// One line of bearable length: a reason is a foreign system's text and ends up in the database and in logs.
fn tidied(reason: &str) -> String {
    let printable = |c: char| if c.is_control() { ' ' } else { c };
    let words: String = reason.chars().map(printable).collect();
    let line = words.split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().take(Outcome::LONGEST_REASON).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_reason_is_one_line_of_bearable_length() {
        assert_eq!(
            tidied("550 5.1.1\r\n550  no\tsuch\u{1b}[31m user "),
            "550 5.1.1 550 no such [31m user"
        );
        assert_eq!(tidied("no\r\n such\taccount\u{1b} "), "no such account");
        assert_eq!(tidied(&"ä".repeat(9_000)), "ä".repeat(500));
    }

    proptest! {
        #[test]
        fn no_reason_brings_a_control_character_or_more_than_its_share(reason in "(?s).{0,900}") {
            let tidied = tidied(&reason);
            prop_assert!(!tidied.chars().any(char::is_control));
            prop_assert!(tidied.chars().count() <= Outcome::LONGEST_REASON);
        }
    }
}
