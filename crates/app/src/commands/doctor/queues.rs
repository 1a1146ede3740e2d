//! The queues: whether a worker takes what is due.

use invoices::LedgerWorker;
use kernel::{Clock as _, SystemClock};
use time::Duration;

use super::database::{Opened, chain};
use super::finding::Finding;
use crate::settings::Settings;

pub(super) const QUEUES: &str = "queues";

/// A job that has been due for longer is taken by no worker: a worker takes it within seconds, and a lease
/// ends after five minutes.
const OVERDUE_AFTER: Duration = Duration::minutes(10);

/// Whether something has been due for long in the database.
pub(super) async fn queues(settings: &Settings, opened: &Opened) -> Finding {
    if !opened.has_schema {
        return Finding::skipped(QUEUES, "not looked at, since the schema is not up to date");
    }
    let before = SystemClock.now() - OVERDUE_AFTER;
    let overdue = match opened.store.queues.overdue(before).await {
        Ok(overdue) => overdue,
        Err(error) => return Finding::wrong(QUEUES, chain(error)),
    };
    let has_worker = |queue: &String| queue != LedgerWorker::KIND || settings.xero_client_id.is_some();
    let overdue: Vec<_> = overdue.into_iter().filter(has_worker).collect();
    if overdue.is_empty() {
        return Finding::fine(QUEUES, "nothing has been due for more than 10 minutes");
    }
    let message = format!(
        "due for more than 10 minutes and not taken: {}; see whether the service runs, and the log of its workers",
        overdue.join(", ")
    );
    Finding::wrong(QUEUES, message)
}
