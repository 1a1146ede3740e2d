//! How an attempt ended, and what becomes of the job.

use kernel::text::one_line;
use kernel::{StoreError, StoreResult};
use time::{Duration, OffsetDateTime};

use crate::retry_schedule::{RetrySchedule, wait_after_store_failure};

/// Why the other side did not do a job. The text is for the operator and holds no secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// It may do the job later: it cannot be reached, is busy, or refuses our credentials.
    #[error("{0}")]
    Temporary(String),
    /// It may have done the job: the answer is missing. It is asked again, and must recognise the job.
    #[error("{0}")]
    Unknown(String),
    /// It limits how often it is called, and did not look at this job. The attempt does not count: the job is
    /// due again after this wait, however old it is.
    #[error("{reason}")]
    Later { reason: String, wait: Duration },
    /// It refused this job for good.
    #[error("{0}")]
    Permanent(String),
}

/// Why a job is not done.
#[derive(Debug, thiserror::Error)]
pub enum NotDone {
    /// The other side did not do it.
    #[error(transparent)]
    Failed(#[from] Failure),
    /// It must not be done any more, for this reason. Nothing failed.
    #[error("{0}")]
    Unwanted(&'static str),
    /// The job was held during the attempt, and nothing was sent. It is due again as soon as it is no longer
    /// held.
    #[error("{}", Self::HELD)]
    Held,
    /// The lease ended, or was about to, before anything was sent: the process had been paused. Another one
    /// may have done the job meanwhile; if none has, the job is due at once.
    #[error("the lease was about to end before anything was sent")]
    LeaseEnded,
    /// Our own store failed during the attempt, which is made again soon, however old the job is.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// It may have been done, and our own store did not take what came of it. The next attempt repeats it, so
    /// that it is not made soon.
    #[error(transparent)]
    Unrecorded(StoreError),
}

impl NotDone {
    /// Why a job was not done that was held to the end of its schedule. Jobs that are given up keep this
    /// text.
    pub const HELD: &'static str = "the account was switched off, or its communications were";

    /// Whether somebody decided that the job is not done: giving it up is no fault.
    pub(crate) const fn is_intended(&self) -> bool {
        matches!(self, Self::Unwanted(_) | Self::Held)
    }
}

/// What becomes of a job after an attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The other side did the job, or the job is no longer wanted.
    Done {
        /// When the attempt ended.
        at: OffsetDateTime,
    },
    /// It will be tried again.
    Retry {
        /// When the attempt ended.
        at: OffsetDateTime,
        /// When the next one is due.
        next_attempt_at: OffsetDateTime,
        /// Why it was not done.
        reason: String,
    },
    /// It will be tried again, and this attempt does not count.
    Postponed {
        /// When the next attempt is due.
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

/// How long a job waits whose attempt could not be recorded.
const UNRECORDED_WAIT: Duration = Duration::minutes(5);

impl Outcome {
    /// The outcome of an attempt that ended after its lease. Another one may have begun, which may end well:
    /// the job is not given up, but attempted again if no other attempt has ended it.
    pub(crate) fn after_lease(self, at: OffsetDateTime) -> Self {
        match self {
            Self::GivenUp { reason, .. } => {
                Self::Retry { at, next_attempt_at: at.saturating_add(UNRECORDED_WAIT), reason }
            }
            other => other,
        }
    }

    /// The most characters of a reason that are kept.
    pub const MAX_REASON_LENGTH: usize = 500;

    /// The outcome of an attempt that ended `at`; `attempt` counts from 1.
    ///
    /// # Errors
    /// The [`StoreError`] if our own store failed during the attempt, unless a stored row is inconsistent.
    /// Its outcome is [`Outcome::after_store_failure`].
    pub fn of_attempt(
        done: Result<(), NotDone>,
        schedule: &RetrySchedule,
        queued_at: OffsetDateTime,
        attempt: u32,
        at: OffsetDateTime,
    ) -> StoreResult<Self> {
        match done {
            Ok(()) => Ok(Self::Done { at }),
            Err(NotDone::Failed(Failure::Temporary(reason) | Failure::Unknown(reason))) => {
                Ok(Self::after_temporary(schedule, queued_at, attempt, at, &reason))
            }
            Err(NotDone::Failed(Failure::Later { reason, wait })) => Ok(Self::Postponed {
                next_attempt_at: at.saturating_add(wait),
                reason: one_line(&reason, Self::MAX_REASON_LENGTH),
            }),
            Err(NotDone::Failed(Failure::Permanent(reason))) => Ok(Self::after_permanent(at, &reason)),
            Err(NotDone::Unwanted(reason)) => Ok(Self::after_permanent(at, reason)),
            Err(held @ NotDone::Held) => {
                let reason = held.to_string();
                Ok(match schedule.next_attempt(queued_at, attempt, at) {
                    Some(_) => Self::Retry { at, next_attempt_at: at, reason },
                    None => Self::after_permanent(at, &reason),
                })
            }
            Err(ended @ NotDone::LeaseEnded) => {
                Ok(Self::Postponed { next_attempt_at: at, reason: ended.to_string() })
            }
            // The same row gives the same error: without an end to the attempts they would never cease.
            Err(
                NotDone::Store(error @ StoreError::Inconsistent { .. })
                | NotDone::Unrecorded(error @ StoreError::Inconsistent { .. }),
            ) => Ok(Self::after_temporary(schedule, queued_at, attempt, at, &error.to_string())),
            Err(NotDone::Unrecorded(error)) => {
                let reason = format!("what the attempt did could not be recorded: {error}");
                let reason = one_line(&reason, Self::MAX_REASON_LENGTH);
                Ok(Self::Retry { at, next_attempt_at: at.saturating_add(UNRECORDED_WAIT), reason })
            }
            Err(NotDone::Store(error)) => Err(error),
        }
    }

    /// After a temporary failure: another attempt, or the end when the job is too old. `attempt` counts from
    /// 1 and ended `at`.
    #[must_use]
    pub fn after_temporary(
        schedule: &RetrySchedule,
        queued_at: OffsetDateTime,
        attempt: u32,
        at: OffsetDateTime,
        reason: &str,
    ) -> Self {
        match schedule.next_attempt(queued_at, attempt, at) {
            Some(next_attempt_at) => {
                Self::Retry { at, next_attempt_at, reason: one_line(reason, Self::MAX_REASON_LENGTH) }
            }
            None => {
                let too_late = schedule.too_late;
                Self::after_permanent(at, &format!("{too_late}; the last attempt: {reason}"))
            }
        }
    }

    /// After a failure of our own store.
    #[must_use]
    pub fn after_store_failure(attempt: u32, at: OffsetDateTime) -> Self {
        let next_attempt_at = at.saturating_add(wait_after_store_failure(attempt));
        Self::Retry { at, next_attempt_at, reason: "the database failed during the attempt".to_owned() }
    }

    /// After a permanent failure.
    #[must_use]
    pub fn after_permanent(at: OffsetDateTime, reason: &str) -> Self {
        Self::GivenUp { at, reason: one_line(reason, Self::MAX_REASON_LENGTH) }
    }

    /// Whether no attempt follows.
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
    fn inconsistent_row_is_tried_again_until_the_schedule_ends_and_other_failures_of_the_store_without_end() {
        let (queued_at, at) = (datetime!(2026-11-20 09:00 UTC), datetime!(2026-11-20 09:01 UTC));
        let schedule = RetrySchedule {
            waits: &[Duration::MINUTE],
            later_wait: Duration::HOUR,
            give_up_after: Duration::DAY,
            too_late: "not done within 24 hours",
        };
        let outcome = |error| Outcome::of_attempt(Err(NotDone::Store(error)), &schedule, queued_at, 1, at);
        let inconsistent = StoreError::Inconsistent {
            table: "invoices",
            id: "1".to_owned(),
            what: "no currency".to_owned(),
        };
        assert!(matches!(outcome(inconsistent), Ok(Outcome::Retry { .. })));
        assert!(outcome(StoreError::Unavailable("down".into())).is_err());
        let unrecorded = NotDone::Unrecorded(StoreError::Failed("no".into()));
        let unrecorded = Outcome::of_attempt(Err(unrecorded), &schedule, queued_at, 1, at).unwrap();
        let later = at + UNRECORDED_WAIT;
        assert!(matches!(unrecorded, Outcome::Retry { next_attempt_at, .. } if next_attempt_at == later));
        let held = Outcome::of_attempt(Err(NotDone::Held), &schedule, queued_at, 1, at).unwrap();
        assert!(matches!(held, Outcome::Retry { next_attempt_at, .. } if next_attempt_at == at));
        let long_after = at + Duration::WEEK;
        let ended =
            Outcome::of_attempt(Err(NotDone::LeaseEnded), &schedule, queued_at, 9, long_after).unwrap();
        assert!(matches!(ended, Outcome::Postponed { .. }), "nothing was tried");
    }

    #[test]
    fn limited_job_waits_as_long_as_the_other_side_says_however_old_it_is() {
        let (queued_at, at) = (datetime!(2026-11-20 09:00 UTC), datetime!(2027-11-20 09:00 UTC));
        let schedule = RetrySchedule {
            waits: &[],
            later_wait: Duration::HOUR,
            give_up_after: Duration::DAY,
            too_late: "not done within 24 hours",
        };
        for (wait, next_attempt_at) in [
            (Duration::seconds(37), at + Duration::seconds(37)),
            (Duration::MAX, OffsetDateTime::new_utc(time::Date::MAX, time::Time::MAX)),
        ] {
            let later = Failure::Later { reason: "429\nlater".to_owned(), wait };
            let outcome = Outcome::of_attempt(Err(later.into()), &schedule, queued_at, 1, at);
            let reason = "429 later".to_owned();
            assert_eq!(outcome.unwrap(), Outcome::Postponed { next_attempt_at, reason });
        }
    }

    #[test]
    fn reason_is_one_line_of_limited_length() {
        let at = datetime!(2026-11-20 09:00 UTC);
        let reason = |text: &str| match Outcome::after_permanent(at, text) {
            Outcome::GivenUp { reason, .. } => reason,
            other => panic!("{other:?}"),
        };
        assert_eq!(reason("550 no\r\n such user "), "550 no such user");
        assert_eq!(reason(&"ä".repeat(9_000)), "ä".repeat(Outcome::MAX_REASON_LENGTH));
    }
}
