//! Ids that are the same in each run of a test.

use std::sync::atomic::{AtomicU64, Ordering};

use kernel::Ids;
use time::OffsetDateTime;
use uuid::{Builder, Uuid};

/// Makes version 7 UUIDs from the instant and a counter that starts at one.
///
/// Ids made for non-decreasing instants sort in the order of their creation.
#[derive(Debug, Default)]
pub struct CountingIds(AtomicU64);

impl Ids for CountingIds {
    fn uuid_at(&self, now: OffsetDateTime) -> Uuid {
        let count = self.0.fetch_add(1, Ordering::SeqCst).wrapping_add(1);
        let millis = now.unix_timestamp_nanos() / 1_000_000;
        let millis = u64::try_from(millis).expect("tests live after 1970");
        // The upper bits of the counter's first byte are overwritten by the UUID's variant; no test makes
        // 2^62 ids.
        let mut tail = [0; 10];
        for (place, byte) in tail.iter_mut().skip(2).zip(count.to_be_bytes()) {
            *place = byte;
        }
        Builder::from_unix_timestamp_millis(millis, &tail).into_uuid()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FixedClock;

    #[test]
    fn ids_are_version_seven_in_order_and_the_same_every_time() {
        let make = || {
            let ids = CountingIds::default();
            (0..1_000).map(|_| ids.uuid_at(FixedClock::START)).collect::<Vec<_>>()
        };
        let made = make();
        assert_eq!(made, make());
        assert!(made.is_sorted_by(|one, next| one < next));
        assert!(made.iter().all(|id| id.get_version_num() == 7));
        assert_eq!(made[0].to_string(), "01a1f6b6-ee63-7000-8000-000000000001");
    }

    #[test]
    fn a_later_instant_sorts_later() {
        let ids = CountingIds::default();
        let first = ids.uuid_at(FixedClock::START);
        let second = ids.uuid_at(FixedClock::START + time::Duration::milliseconds(1));
        assert!(first < second);
    }
}
