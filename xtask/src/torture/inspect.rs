//! The end of a scenario: waits for webhooks, then runs every check.

use std::time::{Duration, Instant};

use super::api_listing::check_api_listing;
use super::database_totals::check_totals;
use super::environment::Environment;
use super::expectations::{check_expectations, happened};
use super::idempotent_replays::check_replays;
use super::ledger::Ledger;
use super::options::Scenario;
use super::report::{Check, Row};
use super::stored_records::StoredRecords;
use crate::fixtures::client::Connection;
use crate::fixtures::service_process::Service;

/// How long deliveries may take that are to be waited for: an attempt that is lost with its process comes up
/// again half a minute later.
const DELIVERED_WITHIN: Duration = Duration::from_secs(60);
const LOOK: Duration = Duration::from_millis(500);

/// Looks at everything, with a service that runs and nobody who asks it.
pub(super) async fn inspect(
    environment: &Environment,
    scenario: Scenario,
    ledger: &Ledger,
    service: &Service,
) -> anyhow::Result<Row> {
    let waiting = deliver(environment).await?;
    let reader = environment.reader();
    // Before the database is read: what comes in between is in neither, or in the database alone.
    let came = environment.receiver.received().events.keys().copied().collect();
    let stored_records = StoredRecords::read(&reader)?;
    let mut checks = {
        let responses = ledger.open();
        let received = environment.receiver.received();
        check_expectations(&responses, &stored_records, &received)
    };
    checks.push(happened(&came, &stored_records));
    checks.extend(check_totals(&reader)?);
    let mut connection = Connection::open(service.address).await?;
    checks.push(check_api_listing(&mut connection, &environment.accounts, &stored_records).await?);
    checks.push(check_replays(&mut connection, ledger).await?);
    checks.push(Check::new("no thread of the service panicked", 1, environment.panics()?));
    let responses = ledger.open();
    Ok(Row {
        database: environment.kind,
        scenario,
        what: "what is there when all is over".to_owned(),
        requests: Some((responses.counts.answered, responses.counts.again())),
        figure: format!(
            "{} invoices, {} contacts, {} payments, {} escalations, {} events, {waiting} still due",
            responses.invoices.len(),
            responses.contacts.len(),
            stored_records.payments.len(),
            stored_records.escalations.len(),
            stored_records.deliveries.len(),
        ),
        checks,
    })
}

/// Waits until nothing is due any more, and says how much is after all.
async fn deliver(environment: &Environment) -> anyhow::Result<usize> {
    let begun = Instant::now();
    loop {
        let waiting = environment.reader().count("webhook_deliveries WHERE state = 'pending'")?;
        if waiting == 0 || begun.elapsed() > DELIVERED_WITHIN {
            return Ok(waiting);
        }
        tokio::time::sleep(LOOK).await;
    }
}

/// A check that nothing went wrong with the watched requests in the meantime.
pub(super) fn nothing_failed(ledger: &Ledger, failures: u64) -> Check {
    let trouble = ledger.open().trouble.clone();
    let last = trouble.map(|(_, why)| why).unwrap_or_default();
    Check::that("no request failed", failures == 0, format!("{failures} failed, the last one: {last}"))
}
