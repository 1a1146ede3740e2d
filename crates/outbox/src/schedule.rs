//! When work that was not done is tried again, and when no more: a pure function of time.

use std::iter::successors;

use time::{Duration, OffsetDateTime};

/// The attempts that one kind of work gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Schedule {
    /// The waits after the first attempts, in their order.
    pub waits: &'static [Duration],
    /// The wait after each attempt that comes later.
    pub later_wait: Duration,
    /// How long after it was queued work is given up.
    pub give_up_after: Duration,
    /// What is said of work that is given up for its age, before the last attempt's reason: `not delivered within 24 hours`.
    pub too_late: &'static str,
}

impl Schedule {
    /// When the attempt after `attempt` (from 1) is due, which failed `now`; `None` when there is none.
    ///
    /// The last attempt is made when [`Schedule::give_up_after`] is over, whatever the wait before it. Work that is older and was
    /// tried only now, because the service itself was down, has had its attempt and is given up.
    ///
    /// ```
    /// use outbox::Schedule;
    /// use time::{Duration, macros::datetime};
    ///
    /// const SCHEDULE: Schedule = Schedule {
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

    /// How old work is at each of its attempts when all of them fail, and at once. Without end when a wait is nothing.
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
        let place = usize::try_from(attempt.saturating_sub(1)).unwrap_or(usize::MAX);
        self.waits.get(place).copied().unwrap_or(self.later_wait)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use time::macros::datetime;

    const QUEUED_AT: OffsetDateTime = datetime!(2026-11-20 09:00 UTC);
    const SCHEDULE: Schedule = Schedule {
        waits: &[Duration::seconds(10), Duration::minutes(5)],
        later_wait: Duration::hours(1),
        give_up_after: Duration::hours(3),
        too_late: "not done within 3 hours",
    };

    #[test]
    fn the_waits_come_in_their_order_and_end_with_the_age() {
        let ages: Vec<_> = SCHEDULE.ages().map(Duration::whole_seconds).collect();
        assert_eq!(ages, [0, 10, 310, 3_910, 7_510, 10_800]);
    }

    #[test]
    fn work_that_is_too_old_has_no_next_attempt() {
        for late in [
            SCHEDULE.give_up_after,
            SCHEDULE.give_up_after + Duration::microseconds(1),
            Duration::days(30),
        ] {
            assert_eq!(SCHEDULE.next_attempt(QUEUED_AT, 1, QUEUED_AT + late), None);
        }
    }

    #[test]
    fn a_clock_that_went_back_and_an_attempt_without_number_harm_nothing() {
        let before = QUEUED_AT - Duration::hours(1);
        assert_eq!(
            SCHEDULE.next_attempt(QUEUED_AT, 0, before),
            Some(before + Duration::seconds(10))
        );
        assert_eq!(
            SCHEDULE.next_attempt(QUEUED_AT, u32::MAX, QUEUED_AT),
            Some(QUEUED_AT + Duration::hours(1))
        );
    }

    #[test]
    fn the_end_of_the_calendar_is_the_end_of_the_attempts() {
        let last = datetime!(9999-12-31 23:59 UTC);
        assert_eq!(SCHEDULE.next_attempt(last, 1, last), None);
    }

    proptest! {
        #[test]
        fn the_next_attempt_is_later_and_never_after_the_end(attempt: u32, age in 0_i64..20_000) {
            let now = QUEUED_AT + Duration::seconds(age);
            let end = QUEUED_AT + SCHEDULE.give_up_after;
            let next = SCHEDULE.next_attempt(QUEUED_AT, attempt, now);
            prop_assert_eq!(next.is_none(), now >= end);
            prop_assert!(next.is_none_or(|next| now < next && next <= end));
        }
    }
}
