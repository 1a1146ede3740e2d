//! When a failed job is tried again and when it is given up: a pure function of time.

use std::iter::successors;

use time::{Duration, OffsetDateTime};

/// When the jobs of one kind are attempted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetrySchedule {
    /// The waits after the first attempts, in their order.
    pub waits: &'static [Duration],
    /// The wait after each attempt that comes later.
    pub later_wait: Duration,
    /// How long after it was queued a job is given up.
    pub give_up_after: Duration,
    /// The reason of a job given up for its age, before the last attempt's own reason: `not delivered within
    /// 24 hours`.
    pub too_late: &'static str,
}

impl RetrySchedule {
    /// When the next attempt is due, after attempt number `attempt` (from 1) failed at `now`; `None` if there
    /// is none.
    ///
    /// The last attempt is made when [`RetrySchedule::give_up_after`] is over, whatever the wait before it.
    /// An older job that was tried only now, because the service was down, has had its attempt and is given
    /// up.
    ///
    /// ```
    /// use outbox::RetrySchedule;
    /// use time::{Duration, macros::datetime};
    ///
    /// const SCHEDULE: RetrySchedule = RetrySchedule {
    ///     waits: &[Duration::seconds(10)],
    ///     later_wait: Duration::hours(1),
    ///     give_up_after: Duration::hours(24),
    ///     too_late: "not done within a day",
    /// };
    /// let queued_at = datetime!(2026-11-20 09:00 UTC);
    /// assert_eq!(SCHEDULE.next_attempt(queued_at, 1, queued_at), Some(queued_at + Duration::seconds(10)));
    /// assert_eq!(SCHEDULE.next_attempt(queued_at, 25, queued_at + Duration::hours(24)), None);
    /// ```
    #[must_use]
    pub fn next_attempt(
        &self,
        queued_at: OffsetDateTime,
        attempt: u32,
        now: OffsetDateTime,
    ) -> Option<OffsetDateTime> {
        let end = queued_at.checked_add(self.give_up_after)?;
        if now >= end {
            return None;
        }
        let next = now.checked_add(self.wait_after(attempt))?;
        Some(next.min(end))
    }

    /// The job's age at each attempt when every attempt fails at once. Endless when a wait is zero.
    pub fn ages(&self) -> impl Iterator<Item = Duration> {
        let queued_at = OffsetDateTime::UNIX_EPOCH;
        let first = (1_u32, queued_at);
        let attempts = successors(Some(first), move |(attempt, now)| {
            let next = self.next_attempt(queued_at, *attempt, *now)?;
            Some((attempt.saturating_add(1), next))
        });
        attempts.map(move |(_, now)| now - queued_at)
    }

    fn wait_after(&self, attempt: u32) -> Duration {
        let index = usize::try_from(attempt.saturating_sub(1)).unwrap_or(usize::MAX);
        self.waits.get(index).copied().unwrap_or(self.later_wait)
    }
}

/// How long a job waits after our own store failed during an attempt, which counts from 1: a failure that
/// ends soon delays the job by seconds, and one that goes on is met ever more rarely.
#[must_use]
pub fn wait_after_store_failure(attempt: u32) -> Duration {
    let doublings = attempt.saturating_sub(1).min(6);
    Duration::minutes(5).min(Duration::seconds(5) * 2_u32.pow(doublings))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use time::macros::datetime;

    const QUEUED_AT: OffsetDateTime = datetime!(2026-11-20 09:00 UTC);
    const SCHEDULE: RetrySchedule = RetrySchedule {
        waits: &[Duration::seconds(10), Duration::minutes(5)],
        later_wait: Duration::hours(1),
        give_up_after: Duration::hours(3),
        too_late: "not done within 3 hours",
    };

    #[test]
    fn ages_follow_the_waits_and_end_at_give_up_after() {
        let ages: Vec<_> = SCHEDULE.ages().map(Duration::whole_seconds).collect();
        assert_eq!(ages, [0, 10, 310, 3_910, 7_510, 10_800]);
    }

    #[test]
    fn next_attempt_of_old_job_is_none() {
        for late in
            [SCHEDULE.give_up_after, SCHEDULE.give_up_after + Duration::microseconds(1), Duration::days(30)]
        {
            assert_eq!(SCHEDULE.next_attempt(QUEUED_AT, 1, QUEUED_AT + late), None);
        }
    }

    #[test]
    fn next_attempt_tolerates_clock_going_back_and_attempt_zero() {
        let before = QUEUED_AT - Duration::hours(1);
        assert_eq!(SCHEDULE.next_attempt(QUEUED_AT, 0, before), Some(before + Duration::seconds(10)));
        assert_eq!(
            SCHEDULE.next_attempt(QUEUED_AT, u32::MAX, QUEUED_AT),
            Some(QUEUED_AT + Duration::hours(1))
        );
    }

    #[test]
    fn next_attempt_at_end_of_calendar_is_none() {
        let last = datetime!(9999-12-31 23:59 UTC);
        assert_eq!(SCHEDULE.next_attempt(last, 1, last), None);
    }

    proptest! {
        #[test]
        fn next_attempt_is_later_than_now_and_not_after_the_end(attempt: u32, age in 0_i64..20_000) {
            let now = QUEUED_AT + Duration::seconds(age);
            let end = QUEUED_AT + SCHEDULE.give_up_after;
            let next = SCHEDULE.next_attempt(QUEUED_AT, attempt, now);
            prop_assert_eq!(next.is_none(), now >= end);
            prop_assert!(next.is_none_or(|next| now < next && next <= end));
        }
    }
}
