//! What came of an attempt.

use time::OffsetDateTime;

use crate::schedule::{GIVE_UP_AFTER, next_attempt};

/// What came of an attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The mail server took the mail.
    Sent {
        /// When it did.
        at: OffsetDateTime,
    },
    /// It did not go now and will be tried again.
    Retry {
        /// When the attempt ended.
        at: OffsetDateTime,
        /// When the next one is due.
        next_attempt_at: OffsetDateTime,
        /// Why it did not go.
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

    /// What a failure that may pass comes to: another attempt, or the end when the mail is too old.
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
                let hours = GIVE_UP_AFTER.whole_hours();
                let reason =
                    format!("not delivered within {hours} hours; the last attempt: {reason}");
                Self::GivenUp {
                    at,
                    reason: tidied(&reason),
                }
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

/// One line of bearable length: a reason is a foreign server's text and ends up in the database and in logs.
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
        assert_eq!(
            tidied("550 5.1.1\r\n550  no\tsuch\u{1b}[31m user "),
            "550 5.1.1 550 no such [31m user"
        );
        assert_eq!(tidied(&"ä".repeat(9_000)), "ä".repeat(500));
    }
}
