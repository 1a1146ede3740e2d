//! Changes many rows in batches: each batch is one statement on a bounded number of rows.
//!
//! On the embedded database a batch blocks every other writer, and on any database it uses CPU and disk. So a
//! fast batch is followed by a larger one, a slow batch by a smaller one, and after each comes a pause for
//! requests, in proportion to the time that the batch took. The figures are measured: docs/benchmarks.md,
//! Retention.

use std::time::{Duration, Instant};

use kernel::StoreResult;
use store_diesel::DatabaseKind;
use tokio::sync::watch;

/// The maximum number of rows of a batch.
const MAX_ROWS: u32 = 1_000;

/// The sizes, durations and pauses that batches keep to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BatchPace {
    /// The minimum number of rows of a batch, and the size of the first one.
    min_rows: u32,
    /// A batch that takes longer is followed by a smaller one, and one that takes less than half by a larger
    /// one.
    slow_after: Duration,
    /// The pause before the next batch, as a multiple of the time that the last one took.
    pause_factor: u32,
}

impl BatchPace {
    /// The embedded database has one writer, and requests wait for it during a batch. A server has many
    /// writers: its batches are larger, since the fixed cost of a statement would be most of the time of a
    /// small batch.
    pub(crate) const fn on(database: DatabaseKind) -> Self {
        match database {
            DatabaseKind::Sqlite => {
                Self { min_rows: 25, slow_after: Duration::from_millis(10), pause_factor: 1 }
            }
            DatabaseKind::Postgres => {
                Self { min_rows: 250, slow_after: Duration::from_millis(50), pause_factor: 3 }
            }
        }
    }

    fn pause_after(self, took: Duration) -> Duration {
        took.saturating_mul(self.pause_factor).min(MAX_PAUSE)
    }

    /// The size of the next batch, after one of `size` rows that took `took`.
    fn next_size(self, size: u32, took: Duration) -> u32 {
        if took > self.slow_after {
            (size / 2).max(self.min_rows)
        } else if took < self.slow_after / 2 {
            size.saturating_mul(2).min(MAX_ROWS)
        } else {
            size
        }
    }
}

/// The longest time between two batches.
const MAX_PAUSE: Duration = Duration::from_secs(1);

/// The total of a run of batches.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Batches {
    pub(crate) rows: u64,
    /// The time from the start of the first batch to the end of the last.
    took: Duration,
    /// The duration of the longest batch.
    longest: Duration,
}

impl Batches {
    /// Runs batches until one changes no rows or `stop` is set. `batch` gets its maximum number of rows and
    /// returns how many it changed.
    pub(crate) async fn run<F>(
        pace: BatchPace,
        stop: &watch::Receiver<bool>,
        batch: impl Fn(u32) -> F,
    ) -> StoreResult<Self>
    where
        F: Future<Output = StoreResult<u64>>,
    {
        let (begun, mut size, mut stop) = (Instant::now(), pace.min_rows, stop.clone());
        let mut all = Self::default();
        while !*stop.borrow() {
            let this = Instant::now();
            let done = batch(size).await?;
            let took = this.elapsed();
            all.rows = all.rows.saturating_add(done);
            all.took = begun.elapsed();
            all.longest = all.longest.max(took);
            if done == 0 {
                break;
            }
            size = pace.next_size(size, took);
            // If the sender is dropped the pause ends early; the loop's condition still reads its last value.
            let _ = tokio::time::timeout(pace.pause_after(took), stop.wait_for(|stop| *stop)).await;
        }
        Ok(all)
    }

    /// Logs the total, if any row was changed.
    pub(crate) fn log(&self, what: &str) {
        let Self { rows, took, longest } = self;
        if *rows > 0 {
            let (took_ms, longest_ms) = (took.as_millis(), longest.as_millis());
            tracing::info!(count = rows, took_ms, longest_batch_ms = longest_ms, "{what}");
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::{Cell, RefCell};

    use super::*;

    #[tokio::test]
    async fn batches_go_on_until_one_finds_nothing_or_it_is_to_stop() {
        let (stop, stopped) = watch::channel(false);
        let (left, sizes) = (Cell::new(2_500_u64), RefCell::new(Vec::new()));
        let batch = |size: u32| {
            let done = left.get().min(size.into());
            left.set(left.get() - done);
            sizes.borrow_mut().push(size);
            async move { Ok(done) }
        };
        let done = Batches::run(BatchPace::on(DatabaseKind::Postgres), &stopped, batch).await.unwrap();
        assert_eq!((done.rows, left.get()), (2_500, 0));
        assert!(done.longest <= done.took);
        assert_eq!(sizes.borrow().first(), Some(&250));
        left.set(1);
        stop.send_replace(true);
        assert_eq!(
            Batches::run(BatchPace::on(DatabaseKind::Postgres), &stopped, batch).await.unwrap(),
            Batches::default()
        );
    }

    #[test]
    fn batch_size_follows_duration() {
        let after = |size: u32, millis: u64| {
            BatchPace::on(DatabaseKind::Postgres).next_size(size, Duration::from_millis(millis))
        };
        assert_eq!([after(250, 1), after(800, 1), after(1_000, 1)], [500, 1_000, 1_000]);
        assert_eq!([after(500, 25), after(500, 50)], [500, 500]);
        assert_eq!([after(800, 51), after(400, 500), after(250, 500)], [400, 250, 250]);
        assert_eq!(BatchPace::on(DatabaseKind::Sqlite).next_size(100, Duration::from_millis(11)), 50);
    }

    #[test]
    fn pause_is_in_proportion_to_the_batch_and_never_long() {
        let after = |database: DatabaseKind, millis| {
            BatchPace::on(database).pause_after(Duration::from_millis(millis))
        };
        assert_eq!(after(DatabaseKind::Postgres, 50), Duration::from_millis(150));
        assert_eq!(after(DatabaseKind::Postgres, 400), MAX_PAUSE);
        assert_eq!(after(DatabaseKind::Sqlite, 10), Duration::from_millis(10));
    }
}
