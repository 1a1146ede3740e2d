//! Work on many rows in statements that each take a bounded number of them.
//!
//! With the embedded database a batch holds up all that is written, and everywhere it takes a share of the
//! machine. So batches are as large as they are short, and between two of them is time for requests, in
//! proportion to what the last one took. The figures are measured: docs/benchmarks.md, Retention.

use std::time::{Duration, Instant};

use kernel::StoreError;
use store_diesel::Kind;
use tokio::sync::watch;

/// How many rows a batch takes at the most.
const MOST: u32 = 1_000;

/// What batches keep to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pace {
    /// How many rows a batch takes at the least, and the first one.
    least: u32,
    /// A batch that takes longer is followed by a smaller one, and one that takes less than half by a larger
    /// one.
    long: Duration,
    /// How many times as long as a batch took is waited before the next one.
    pause: u32,
}

impl Pace {
    /// The embedded database has one writer, which a batch keeps from the requests. A server has many: there
    /// batches are larger, since what each costs would be most of the time of a small one.
    pub(crate) const fn on(database: Kind) -> Self {
        match database {
            Kind::Sqlite => Self { least: 25, long: Duration::from_millis(10), pause: 1 },
            Kind::Postgres => Self { least: 250, long: Duration::from_millis(50), pause: 3 },
        }
    }

    fn pause_after(self, took: Duration) -> Duration {
        took.saturating_mul(self.pause).min(LONGEST_PAUSE)
    }

    /// How many rows the batch takes after one of so many that took so long.
    fn next_size(self, size: u32, took: Duration) -> u32 {
        if took > self.long {
            (size / 2).max(self.least)
        } else if took < self.long / 2 {
            size.saturating_mul(2).min(MOST)
        } else {
            size
        }
    }
}

/// The longest time between two batches.
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// What batches did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Batches {
    pub(crate) rows: u64,
    /// From the first to the last.
    took: Duration,
    /// How long the longest of them took.
    longest: Duration,
}

impl Batches {
    /// Does batches of the rows that it says, at the most, until one finds nothing.
    pub(crate) async fn run<F>(
        pace: Pace,
        stop: &watch::Receiver<bool>,
        batch: impl Fn(u32) -> F,
    ) -> Result<Self, StoreError>
    where
        F: Future<Output = Result<u64, StoreError>>,
    {
        let (begun, mut size, mut stop) = (Instant::now(), pace.least, stop.clone());
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
            // A sender that is gone is a stop, too: it is seen above or changes nothing.
            let _ = tokio::time::timeout(pace.pause_after(took), stop.wait_for(|stop| *stop)).await;
        }
        Ok(all)
    }

    /// Logs them, if they found anything.
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
        let done = Batches::run(Pace::on(Kind::Postgres), &stopped, batch).await.unwrap();
        assert_eq!((done.rows, left.get()), (2_500, 0));
        assert!(done.longest <= done.took);
        assert_eq!(sizes.borrow().first(), Some(&250));
        left.set(1);
        stop.send_replace(true);
        assert_eq!(
            Batches::run(Pace::on(Kind::Postgres), &stopped, batch).await.unwrap(),
            Batches::default()
        );
    }

    #[test]
    fn batches_are_as_large_as_they_are_short() {
        let after =
            |size: u32, millis: u64| Pace::on(Kind::Postgres).next_size(size, Duration::from_millis(millis));
        assert_eq!([after(250, 1), after(800, 1), after(1_000, 1)], [500, 1_000, 1_000]);
        assert_eq!([after(500, 25), after(500, 50)], [500, 500]);
        assert_eq!([after(800, 51), after(400, 500), after(250, 500)], [400, 250, 250]);
        assert_eq!(Pace::on(Kind::Sqlite).next_size(100, Duration::from_millis(11)), 50);
    }

    #[test]
    fn pause_is_in_proportion_to_the_batch_and_never_long() {
        let after = |database: Kind, millis| Pace::on(database).pause_after(Duration::from_millis(millis));
        assert_eq!(after(Kind::Postgres, 50), Duration::from_millis(150));
        assert_eq!(after(Kind::Postgres, 400), LONGEST_PAUSE);
        assert_eq!(after(Kind::Sqlite, 10), Duration::from_millis(10));
    }
}
