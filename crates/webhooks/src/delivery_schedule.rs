//! When a delivery is attempted, and when it is abandoned: a pure function of time.

use time::{Duration, OffsetDateTime};

/// The waits between attempts, and how long one attempt may take (contract, "Success, retries and ordering").
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeliverySchedule {
    waits: Vec<Duration>,
    attempt_limit: Duration,
}

/// There are more than four waits, which would make more than five attempts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be at most four waits, since a delivery is attempted at most five times")]
pub struct TooManyWaits;

impl DeliverySchedule {
    /// The most attempts at one delivery, regardless of the settings (contract, "Limits").
    pub const MAX_ATTEMPTS: u32 = 5;

    /// How long a leased delivery may wait before its attempt begins. A delivery that waited longer is
    /// returned without an attempt.
    pub const MAX_WAIT: Duration = Duration::seconds(10);

    /// The time between the end of the longest attempt and the end of its lease, for recording the result.
    const MARGIN: Duration = Duration::seconds(5);

    /// A schedule with these waits after attempts 1, 2, ...; the attempt after the last wait is the last.
    /// `attempt_limit` is the total time of one attempt: connecting, processing, response.
    pub fn new(waits: Vec<Duration>, attempt_limit: Duration) -> Result<Self, TooManyWaits> {
        if waits.len() >= usize::try_from(Self::MAX_ATTEMPTS).unwrap_or(usize::MAX) {
            return Err(TooManyWaits);
        }
        Ok(Self { waits, attempt_limit })
    }

    /// The limit of the total time of one attempt.
    #[must_use]
    pub const fn attempt_limit(&self) -> Duration {
        self.attempt_limit
    }

    /// The most attempts at a delivery.
    #[must_use]
    pub fn max_attempts(&self) -> u32 {
        u32::try_from(self.waits.len()).unwrap_or(u32::MAX).saturating_add(1)
    }

    /// When the next attempt is due after attempt number `attempt` (from 1) failed at `ended_at`; `None`
    /// after the last.
    ///
    /// ```
    /// use time::{Duration, macros::datetime};
    /// use webhooks::DeliverySchedule;
    ///
    /// let schedule = DeliverySchedule::default();
    /// let ended_at = datetime!(2026-11-20 09:00 UTC);
    /// assert_eq!(schedule.next_attempt(1, ended_at), Some(ended_at + Duration::minutes(5)));
    /// assert_eq!(schedule.next_attempt(5, ended_at), None);
    /// ```
    #[must_use]
    pub fn next_attempt(&self, attempt: u32, ended_at: OffsetDateTime) -> Option<OffsetDateTime> {
        let place = usize::try_from(attempt.checked_sub(1)?).ok()?;
        ended_at.checked_add(*self.waits.get(place)?)
    }

    /// When a delivery that is leased now is due again if no result of its attempt is recorded, because the
    /// process was killed: as if the attempt had failed as late as possible. A lost attempt is therefore
    /// never followed sooner than a recorded failure.
    #[must_use]
    pub fn lease_until(&self, attempt: u32, now: OffsetDateTime) -> OffsetDateTime {
        let latest_end = now
            .saturating_add(Self::MAX_WAIT)
            .saturating_add(self.attempt_limit)
            .saturating_add(Self::MARGIN);
        self.next_attempt(attempt, latest_end).unwrap_or(latest_end)
    }
}

impl Default for DeliverySchedule {
    /// Waits of 5 minutes, 30 minutes, 2 hours and 12 hours; 15 seconds for each attempt.
    fn default() -> Self {
        Self {
            waits: vec![Duration::minutes(5), Duration::minutes(30), Duration::hours(2), Duration::hours(12)],
            attempt_limit: Duration::seconds(15),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use time::macros::datetime;

    const START: OffsetDateTime = datetime!(2026-11-20 09:00 UTC);

    #[test]
    fn five_attempts_take_14_hours_and_35_minutes() {
        let schedule = DeliverySchedule::default();
        let mut at = START;
        for attempt in 1..5 {
            at = schedule.next_attempt(attempt, at).unwrap();
        }
        assert_eq!(at - START, Duration::hours(14) + Duration::minutes(35));
        assert_eq!(schedule.next_attempt(5, at), None);
        assert_eq!(schedule.max_attempts(), 5);
    }

    #[test]
    fn no_setting_makes_a_sixth_attempt() {
        let waits = |n| vec![Duration::seconds(1); n];
        let limit = Duration::seconds(15);
        assert_eq!(DeliverySchedule::new(waits(5), limit), Err(TooManyWaits));
        assert_eq!(DeliverySchedule::new(waits(4), limit).unwrap().max_attempts(), 5);
        assert_eq!(DeliverySchedule::new(waits(0), limit).unwrap().max_attempts(), 1);
    }

    proptest! {
        #[test]
        fn a_lost_attempt_is_never_followed_earlier_than_a_failed_one(
            attempt in 0..7_u32, began_after in 0..=10_i64, took in 0..=15_i64,
        ) {
            let schedule = DeliverySchedule::default();
            let ended_at = START + Duration::seconds(began_after + took);
            let lost = schedule.lease_until(attempt, START);
            prop_assert!(lost > ended_at, "the lease holds while the attempt is made");
            if let Some(failed) = schedule.next_attempt(attempt, ended_at) {
                prop_assert!(lost >= failed);
            }
        }
    }
}
