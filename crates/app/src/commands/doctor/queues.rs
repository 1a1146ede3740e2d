//! The queues: whether workers take the jobs that are due.

use invoices::LedgerTask;
use outbox::Task as _;
use time::Duration;

use super::database::Opened;
use super::finding::CheckOutcome;
use crate::settings::Settings;

/// A job that has been due for longer than this has no worker: a worker takes a job within seconds, and a
/// lease ends after five minutes.
const OVERDUE_AFTER: Duration = Duration::minutes(10);

/// Whether any job has been due for too long.
pub(super) async fn queues(settings: &Settings, opened: &Opened) -> CheckOutcome {
    opened.require_schema()?;
    let before = opened.clock.now() - OVERDUE_AFTER;
    let overdue = opened.store.queues.overdue(before).await?;
    let has_worker = |queue: &String| queue != LedgerTask::KIND || settings.has_ledger();
    let overdue: Vec<_> = overdue.into_iter().filter(has_worker).collect();
    if overdue.is_empty() {
        return Ok("nothing has been due for more than 10 minutes".to_owned());
    }
    let overdue = overdue.join(", ");
    Err(format!(
        "due for more than 10 minutes and not taken: {overdue}; see whether the service runs, and the log of its workers"
    )
    .into())
}
