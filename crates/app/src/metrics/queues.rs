//! The lengths of the queues, counted at an interval.
//!
//! They are not counted when `/metrics` is fetched, so frequent fetches do not load the database.

use std::sync::Arc;

use kernel::{Clock, StoreResult};
use metrics::gauge;
use store_diesel::{QueueFigures, Queues};
use time::{Duration, OffsetDateTime};

use super::catalogue::{QUEUE_AGE, QUEUE_WAITING};
use super::{count, length};

/// Counts the jobs of each queue and shows the numbers; the queues `names` are shown also when they are
/// empty.
pub async fn show_all(queues: Arc<dyn Queues>, clock: Arc<dyn Clock>, names: &[&str]) -> StoreResult<()> {
    let mut figures = queues.figures().await?;
    for name in names {
        if !figures.iter().any(|queue| queue.queue == *name) {
            figures.push(QueueFigures { queue: (*name).to_owned(), waiting: 0, first_due_at: None });
        }
    }
    figures.iter().for_each(|one| show(one, clock.now()));
    Ok(())
}

fn show(queue: &QueueFigures, now: OffsetDateTime) {
    let name = queue.queue.clone();
    gauge!(QUEUE_WAITING, "queue" => name.clone()).set(count(queue.waiting));
    gauge!(QUEUE_AGE, "queue" => name).set(length(overdue(queue, now)));
}

/// How long the oldest due item has been due.
pub fn overdue(queue: &QueueFigures, now: OffsetDateTime) -> Duration {
    let first = queue.first_due_at.map(|due| now - due);
    first.map_or(Duration::ZERO, |overdue| overdue.max(Duration::ZERO))
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    #[test]
    fn queue_age_counts_from_the_due_time() {
        let now = datetime!(2026-11-20 12:00 UTC);
        let queue = |first_due_at| QueueFigures { queue: "mail".to_owned(), waiting: 1, first_due_at };
        let waited = |due| overdue(&queue(due), now);
        assert_eq!(waited(None), Duration::ZERO);
        assert_eq!(waited(Some(now + Duration::HOUR)), Duration::ZERO);
        assert_eq!(waited(Some(now - Duration::HOUR)), Duration::HOUR);
    }
}
