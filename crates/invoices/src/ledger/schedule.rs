//! When a failed call is retried, and when it is given up.

use outbox::RetrySchedule;
use time::Duration;

/// The attempts at a task. Attempts that the ledger postpones because it is called too often do not count.
/// Three days outlast an outage over a weekend, and leave the operator time to correct the settings.
///
/// ```
/// use invoices::ledger::schedule::SCHEDULE;
/// use time::{Duration, macros::datetime};
///
/// let queued_at = datetime!(2026-11-20 09:00 UTC);
/// assert_eq!(SCHEDULE.next_attempt(queued_at, 1, queued_at), Some(queued_at + Duration::minutes(1)));
/// assert_eq!(SCHEDULE.next_attempt(queued_at, 17, queued_at + Duration::days(3)), None);
/// ```
pub const SCHEDULE: RetrySchedule = RetrySchedule {
    waits: &[
        Duration::minutes(1),
        Duration::minutes(5),
        Duration::minutes(15),
        Duration::minutes(30),
        Duration::hours(1),
        Duration::hours(3),
    ],
    later_wait: Duration::hours(6),
    give_up_after: Duration::days(3),
    too_late: "not done within 3 days",
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_to_six_hours_and_end_after_three_days() {
        let ages: Vec<_> = SCHEDULE.ages().map(Duration::whole_minutes).collect();
        let growing = [0, 1, 6, 21, 51, 111, 291];
        assert_eq!(ages[..7], growing);
        let (last, later) = ages[6..].split_last().unwrap();
        assert!(later.windows(2).all(|pair| pair[1] - pair[0] == 6 * 60));
        assert_eq!((*last, ages.len()), (3 * 24 * 60, 19));
    }
}
