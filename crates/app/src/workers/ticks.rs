//! When a worker looks: at every interval, until it is time to stop.

use std::sync::Arc;
use std::time::Duration;

use kernel::Clock;
use tokio::sync::watch;
use tokio::time::{Instant, MissedTickBehavior};

use crate::metrics::rounds::Rounds;

/// Says when to stop.
pub type Stop = watch::Receiver<bool>;

/// Ticks at every interval until it is time to stop.
pub struct Ticks {
    rounds: Rounds,
    interval: tokio::time::Interval,
    stop: Stop,
}

impl Ticks {
    /// The ticks of the worker of this name, by which its figures are found.
    #[must_use]
    pub fn every(
        interval: Duration,
        worker: &'static str,
        clock: &Arc<dyn Clock>,
        stop: Stop,
    ) -> Self {
        let mut interval = tokio::time::interval(interval);
        interval.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Self {
            rounds: Rounds::of(worker, clock.clone()),
            interval,
            stop,
        }
    }

    /// `false` when it is time to stop.
    pub async fn next(&mut self) -> bool {
        tokio::select! {
            _ = self.stop.wait_for(|stopped| *stopped) => false,
            planned = self.interval.tick() => {
                self.rounds.began(Instant::now().saturating_duration_since(planned));
                true
            }
        }
    }

    /// A round has ended, well or not.
    pub fn ended(&self, well: bool) {
        self.rounds.ended(well);
    }

    /// Whether it is time to stop, for those in the middle of a long round.
    #[must_use]
    pub fn is_time_to_stop(&self) -> bool {
        *self.stop.borrow()
    }
}
