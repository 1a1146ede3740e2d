//! When a failed mail is tried again, and when it is given up.

use outbox::RetrySchedule;
use time::Duration;

/// The retry schedule of mail. A server that greylists or restarts accepts mail within minutes; one that is
/// down for longer is tried every hour, for a day.
///
/// ```
/// use mail::schedule::SCHEDULE;
/// use time::{Duration, macros::datetime};
///
/// let queued_at = datetime!(2026-11-20 09:00 UTC);
/// assert_eq!(SCHEDULE.next_attempt(queued_at, 1, queued_at), Some(queued_at + Duration::seconds(10)));
/// assert_eq!(SCHEDULE.next_attempt(queued_at, 30, queued_at + Duration::hours(24)), None);
/// ```
pub const SCHEDULE: RetrySchedule = RetrySchedule {
    waits: &[
        Duration::seconds(10),
        Duration::minutes(1),
        Duration::minutes(5),
        Duration::minutes(15),
        Duration::minutes(30),
    ],
    later_wait: Duration::hours(1),
    give_up_after: Duration::hours(24),
    too_late: "not delivered within 24 hours",
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_to_an_hour_and_end_with_the_day() {
        let ages: Vec<_> = SCHEDULE.ages().map(Duration::whole_seconds).collect();
        let growing = [0, 10, 70, 370, 1_270, 3_070];
        assert_eq!(ages[..6], growing);
        let (last, later) = ages[5..].split_last().unwrap();
        assert!(later.windows(2).all(|pair| pair[1] - pair[0] == 3_600));
        assert_eq!((*last, ages.len()), (24 * 3_600, 30));
    }
}
