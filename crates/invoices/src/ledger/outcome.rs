//! What came of an attempt.

use time::OffsetDateTime;

use super::schedule::{GIVE_UP_AFTER, next_attempt};

/// What came of an attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// There is nothing left to do: the ledger did it, or the invoice no longer wants it.
    Done {
        /// When that was clear.
        at: OffsetDateTime,
    },
    /// The ledger did not do it now and will be asked again.
    Retry {
        /// When the attempt ended.
        at: OffsetDateTime,
        /// When the next one is due.
        next_attempt_at: OffsetDateTime,
        /// Why it was not done.
        reason: String,
    },
    /// The ledger will not be asked again.
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

    /// What a failure that may pass comes to: another attempt, or the end when the task is too old.
    #[must_use]
    pub fn after_temporary(
        queued_at: OffsetDateTime,
        attempt: u32,
        at: OffsetDateTime,
        reason: &str,
    ) -> Self {
        match next_attempt(queued_at, attempt, at) {
            Some(next_attempt_at) => Self::Retry {
                at,
                next_attempt_at,
                reason: tidied(reason),
            },
            None => {
                let days = GIVE_UP_AFTER.whole_days();
                let reason = format!("not done within {days} days; the last attempt: {reason}");
                Self::after_permanent(at, &reason)
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

    #[test]
    fn a_reason_is_one_line_of_bearable_length() {
        assert_eq!(tidied("no\r\n such\taccount\u{1b} "), "no such account");
        assert_eq!(tidied(&"ä".repeat(9_000)), "ä".repeat(500));
    }
}
