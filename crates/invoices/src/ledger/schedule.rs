//! When a call that failed is made again, and when no more: a pure function of time.

use time::{Duration, OffsetDateTime};

/// How long after it was queued a task is given up: long enough for a weekend's outage, or for an operator to mend the settings.
pub const GIVE_UP_AFTER: Duration = Duration::days(3);

/// The waits after attempts 1 to 6. A ledger counts calls by the minute, so even the first wait leaves that count behind.
const WAITS: [Duration; 6] = [
    Duration::minutes(1),
    Duration::minutes(5),
    Duration::minutes(15),
    Duration::minutes(30),
    Duration::hours(1),
    Duration::hours(3),
];
const LATER_WAIT: Duration = Duration::hours(6);

/// When the attempt after `attempt` (from 1) is due, which failed `now`; `None` when there is none.
///
/// The last attempt is made when the three days are over, whatever the wait before it.
///
/// ```
/// use invoices::ledger::schedule::next_attempt;
/// use time::{Duration, macros::datetime};
///
/// let queued_at = datetime!(2026-11-20 09:00 UTC);
/// assert_eq!(next_attempt(queued_at, 1, queued_at), Some(queued_at + Duration::minutes(1)));
/// assert_eq!(next_attempt(queued_at, 17, queued_at + Duration::days(3)), None);
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

    #[test]
    fn waits_grow_to_six_hours_and_end_after_three_days() {
        let mut made = vec![QUEUED_AT];
        while let Some(next) = next_attempt(
            QUEUED_AT,
            made.len().try_into().unwrap(),
            made[made.len() - 1],
        ) {
            made.push(next);
        }
        let waits: Vec<_> = made.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert_eq!(waits[..6], WAITS);
        let (last, later) = waits[6..].split_last().unwrap();
        assert!(later.iter().all(|wait| *wait == LATER_WAIT));
        assert!(*last <= LATER_WAIT);
        assert_eq!(made[made.len() - 1] - QUEUED_AT, GIVE_UP_AFTER);
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
