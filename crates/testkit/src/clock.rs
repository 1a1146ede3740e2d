//! A clock that stands still until a test moves it.

use std::sync::{Arc, Mutex};

use kernel::Clock;
use kernel::clock::to_microseconds;
use time::macros::datetime;
use time::{Duration, OffsetDateTime, UtcOffset};

/// A clock that a test sets. Clones share the time, so a test can pass one on and move it with the other.
#[derive(Debug, Clone)]
pub struct FixedClock(Arc<Mutex<OffsetDateTime>>);

impl FixedClock {
    /// The initial time of every clock: a Friday in spring in Australia, still Thursday evening in New York.
    pub const START: OffsetDateTime = datetime!(2026-11-20 02:09:06.147 UTC);

    /// A clock that shows this instant.
    #[must_use]
    pub fn at(instant: OffsetDateTime) -> Self {
        Self(Arc::new(Mutex::new(in_utc(instant))))
    }

    /// Sets the clock to another instant, which may be earlier.
    pub fn set(&self, instant: OffsetDateTime) {
        self.change(|now| *now = in_utc(instant));
    }

    /// Advances the clock; a negative duration turns it back.
    pub fn advance(&self, by: Duration) {
        self.change(|now| *now = in_utc(*now + by));
    }

    fn change(&self, change: impl FnOnce(&mut OffsetDateTime)) {
        change(&mut self.0.lock().expect("no test panics while it holds the clock"));
    }
}

impl Default for FixedClock {
    fn default() -> Self {
        Self::at(Self::START)
    }
}

impl Clock for FixedClock {
    fn now(&self) -> OffsetDateTime {
        *self.0.lock().expect("no test panics while it holds the clock")
    }
}

fn in_utc(instant: OffsetDateTime) -> OffsetDateTime {
    to_microseconds(instant.to_offset(UtcOffset::UTC))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_passes_only_when_told_and_for_every_clone() {
        let clock = FixedClock::default();
        let given_away = clock.clone();
        assert_eq!(given_away.now(), FixedClock::START);
        clock.advance(Duration::seconds(60));
        assert_eq!(given_away.now(), datetime!(2026-11-20 02:10:06.147 UTC));
        clock.set(datetime!(2026-01-01 11:00:00.123456789 +11));
        assert_eq!(given_away.now(), datetime!(2026-01-01 00:00:00.123456 UTC));
        assert_eq!(given_away.now().offset(), UtcOffset::UTC);
    }
}
