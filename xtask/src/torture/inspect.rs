//! The end of a scenario: waits for webhooks, then runs every check.

use std::time::{Duration, Instant};

use time::OffsetDateTime;

use super::api_checks::{check_api_listing, check_replays};
use super::environment::Environment;
use super::expectations::{check_expectations, check_known_events};
use super::report::{Check, Row};
use super::response_log::ResponseLog;
use super::stored_records::{StoredRecords, check_totals, count};
use crate::fixtures::client::Connection;
use crate::fixtures::service_process::Service;

/// How long to wait for deliveries: an attempt that was lost with its process is repeated half a minute
/// later.
const DELIVERED_WITHIN: Duration = Duration::from_secs(60);
const POLL: Duration = Duration::from_millis(500);

/// Makes all checks, with a running service that gets no other requests.
pub(super) async fn inspect(
    environment: &Environment,
    response_log: &ResponseLog,
    service: &Service,
) -> anyhow::Result<Row> {
    environment.say("looking at everything");
    let database = &environment.database;
    let waiting =
        none_left(environment, "webhook_deliveries WHERE state = 'pending'", DELIVERED_WITHIN).await?;
    // Read before the database: an event that comes in between is in the database only, or in neither.
    let came = environment.receiver.received().events.keys().copied().collect();
    let stored = StoredRecords::read(database)?;
    let mut checks = check_expectations(&response_log.lock(), &stored, &environment.receiver.received());
    checks.push(check_known_events(&came, &stored));
    checks.extend(check_totals(database, OffsetDateTime::UNIX_EPOCH)?);
    let mut connection = Connection::open(service.address).await?;
    checks.push(check_api_listing(&mut connection, &environment.accounts, &stored).await?);
    checks.push(check_replays(&mut connection, response_log).await?);
    checks.push(Check::new("no thread of the service panicked", 1, environment.panics()?));
    let responses = response_log.lock();
    let figure = format!(
        "{} invoices, {} contacts, {} payments, {} escalations, {} events, {waiting} still due",
        responses.invoices.len(),
        responses.contacts.len(),
        stored.payments.len(),
        stored.escalations.len(),
        stored.deliveries.len(),
    );
    Ok(environment.row("what is there when all is over", Some(&responses.counts), figure, checks))
}

/// Waits until a query finds no rows, and returns how many are left at the end.
pub(super) async fn none_left(
    environment: &Environment,
    from: &str,
    within: Duration,
) -> anyhow::Result<usize> {
    let begun = Instant::now();
    loop {
        let left = count(&environment.database, from)?;
        if left == 0 || begun.elapsed() > within {
            return Ok(left);
        }
        tokio::time::sleep(POLL).await;
    }
}

/// A check that none of these requests failed.
pub(super) fn nothing_failed(response_log: &ResponseLog, failures: u64) -> Check {
    let failure = response_log.lock().last_failure.clone();
    let last = failure.map(|(_, why)| why).unwrap_or_default();
    Check::that("no request failed", failures == 0, format!("{failures} failed, the last one: {last}"))
}
