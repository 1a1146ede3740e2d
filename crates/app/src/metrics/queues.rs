//! How the queues stand, looked at again and again.
//!
//! Not when the figures are fetched: how often that happens, and by how many, is up to others, and the database should not feel it.

use std::sync::Arc;

use kernel::Clock;
use metrics::gauge;
use store_diesel::{QueueFigures, Queues};
use time::{Duration, OffsetDateTime};

use super::catalogue::{QUEUE_AGE, QUEUE_WAITING};
use super::{count, length};
use crate::workers::Ticks;

/// Looks at the queues at every tick.
pub async fn watch(queues: Arc<dyn Queues>, clock: Arc<dyn Clock>, mut ticks: Ticks) {
    while ticks.next().await {
        let looked = queues.figures().await;
        ticks.ended(looked.is_ok());
        match looked {
            Ok(looked) => looked.iter().for_each(|one| show(one, clock.now())),
            Err(error) => tracing::warn!(%error, "could not look how the queues stand"),
        }
    }
}

fn show(queue: &QueueFigures, now: OffsetDateTime) {
    let name = queue.queue.clone();
    gauge!(QUEUE_WAITING, "queue" => name.clone()).set(count(queue.waiting));
    gauge!(QUEUE_AGE, "queue" => name).set(length(overdue(queue, now)));
}

/// How long the first item has been due.
fn overdue(queue: &QueueFigures, now: OffsetDateTime) -> Duration {
    let first = queue.first_due_at.map(|due| now - due);
    first.map_or(Duration::ZERO, |overdue| overdue.max(Duration::ZERO))
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    #[test]
    fn only_what_is_due_has_an_age() {
        let now = datetime!(2026-11-20 12:00 UTC);
        let queue = |first_due_at| QueueFigures {
            queue: "mail".to_owned(),
            waiting: 1,
            first_due_at,
        };
        let waited = |due| overdue(&queue(due), now);
        assert_eq!(waited(None), Duration::ZERO);
        assert_eq!(waited(Some(now + Duration::HOUR)), Duration::ZERO);
        assert_eq!(waited(Some(now - Duration::HOUR)), Duration::HOUR);
    }
}
