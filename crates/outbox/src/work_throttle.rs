//! Limits how much of a process its background work takes.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::time::{Instant, sleep};

/// The length of the rest after a turn, as a multiple of the turn. Work after a turn takes part of it.
const REST_FACTOR: u32 = 2;

/// The longest rest. A turn that would need more waited for something else, such as a database that is down.
const MAX_REST: Duration = Duration::from_millis(100);

/// Turns for the work of jobs in this process and its store, as far as it competes with requests. Each turn
/// is followed by a rest twice as long, at most 100 ms. Clones share the turns. Waiting for another system
/// needs no turn.
#[derive(Debug, Clone)]
pub struct WorkThrottle(Arc<Semaphore>);

impl WorkThrottle {
    /// At most this many turns at a time.
    #[must_use]
    pub fn at_most(turns: NonZeroUsize) -> Self {
        Self(Arc::new(Semaphore::new(turns.get().min(Semaphore::MAX_PERMITS))))
    }

    /// Does the work in a turn. Turns are given in the order in which they were requested.
    pub async fn in_turn<T>(&self, work: impl Future<Output = T>) -> T {
        // Nothing closes the semaphore; without it, the work would be done all the same.
        let turn = self.0.clone().acquire_owned().await;
        let begun = Instant::now();
        let done = work.await;
        let rest = begun.elapsed().saturating_mul(REST_FACTOR).min(MAX_REST);
        tokio::spawn(async move {
            sleep(rest).await;
            drop(turn);
        });
        done
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn next_turn_begins_after_a_rest_twice_as_long_as_the_last_one() {
        let throttle = WorkThrottle::at_most(NonZeroUsize::MIN);
        let start = Instant::now();
        let work = async |millis| {
            let begun = start.elapsed();
            sleep(Duration::from_millis(millis)).await;
            begun.as_millis()
        };
        let mut begun = Vec::new();
        for millis in [10, 500, 1] {
            begun.push(throttle.in_turn(work(millis)).await);
        }
        assert_eq!(begun, [0, 30, 630]);
    }
}
