//! When a mail that did not go is tried again, and when no more: a pure function of time.

use time::{Duration, OffsetDateTime};

/// How long after it was queued a mail is given up.
pub const GIVE_UP_AFTER: Duration = Duration::hours(24);

/// The waits after attempts 1 to 5. A server that greylists or restarts takes the mail within minutes; one that is down for longer
/// is asked every hour.
const WAITS: [Duration; 5] = [
    Duration::seconds(10),
    Duration::minutes(1),
    Duration::minutes(5),
    Duration::minutes(15),
    Duration::minutes(30),
];
const LATER_WAIT: Duration = Duration::hours(1);

/// When the attempt after `attempt` (from 1) is due, which failed `now`; `None` when there is none.
///
/// The last attempt is made when the day is over, whatever the wait before it. A mail that is older and was tried only now,
/// because the service itself was down, has had its attempt and is given up.
///
/// ```
/// use mail::schedule::next_attempt;
/// use time::{Duration, macros::datetime};
///
/// let queued_at = datetime!(2026-11-20 09:00 UTC);
/// assert_eq!(next_attempt(queued_at, 1, queued_at), Some(queued_at + Duration::seconds(10)));
/// assert_eq!(next_attempt(queued_at, 30, queued_at + Duration::hours(24)), None);
/// ```
#[must_use]
pub fn next_attempt(
    queued_at: OffsetDateTime,
    attempt: u32,
    now: OffsetDateTime,
) -> Option<OffsetDateTime> {
    let end = queued_at.checked_add(GIVE_UP_AFTER)?;
    if now >= end {
        return None;
    }
    let next = now.checked_add(wait_after(attempt))?;
    Some(next.min(end))
}

fn wait_after(attempt: u32) -> Duration {
    let place = usize::try_from(attempt.saturating_sub(1)).unwrap_or(usize::MAX);
    WAITS.get(place).copied().unwrap_or(LATER_WAIT)
}

#[cfg(test)]
mod tests {
    use super::*;
    use time::macros::datetime;

    const QUEUED_AT: OffsetDateTime = datetime!(2026-11-20 09:00 UTC);

    fn attempts() -> Vec<Duration> {
        let mut made = vec![Duration::ZERO];
        while let Some(next) = next_attempt(
            QUEUED_AT,
            made.len().try_into().unwrap(),
            QUEUED_AT + made[made.len() - 1],
        ) {
            made.push(next - QUEUED_AT);
        }
        made
    }

    #[test]
    fn waits_grow_to_an_hour_and_end_with_the_day() {
        let made = attempts();
        let waits: Vec<_> = made.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert_eq!(waits[..5], WAITS);
        assert!(
            waits[5..waits.len() - 1]
                .iter()
                .all(|wait| *wait == LATER_WAIT)
        );
        assert!(waits[waits.len() - 1] <= LATER_WAIT);
        assert_eq!(made.last(), Some(&GIVE_UP_AFTER));
        assert_eq!(made.len(), 30);
    }

    #[test]
    fn a_mail_that_is_too_old_has_no_next_attempt() {
        for late in [
            GIVE_UP_AFTER,
            GIVE_UP_AFTER + Duration::microseconds(1),
            Duration::days(30),
        ] {
            assert_eq!(next_attempt(QUEUED_AT, 1, QUEUED_AT + late), None);
        }
    }

    #[test]
    fn a_clock_that_went_back_and_an_attempt_without_number_harm_nothing() {
        let before = QUEUED_AT - Duration::hours(1);
        assert_eq!(next_attempt(QUEUED_AT, 0, before), Some(before + WAITS[0]));
        assert_eq!(
            next_attempt(QUEUED_AT, u32::MAX, QUEUED_AT),
            Some(QUEUED_AT + LATER_WAIT)
        );
    }
}
