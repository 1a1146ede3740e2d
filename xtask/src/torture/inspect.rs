//! When all is over: webhooks are waited for, then everything is looked at.

use std::time::{Duration, Instant};

use super::found::Found;
use super::ground::Ground;
use super::held::{happened, held};
use super::ledger::Ledger;
use super::listed::listed;
use super::replayed::replayed;
use super::report::{Check, Row};
use super::sums::sums;
use super::wanted::Play;
use crate::stand::client::Connection;
use crate::stand::service::Service;

/// How long deliveries may take that are to be waited for: an attempt that is lost with its process comes up again half a minute later.
const DELIVERED_WITHIN: Duration = Duration::from_secs(60);
const LOOK: Duration = Duration::from_millis(500);

/// Looks at everything, with a service that runs and nobody who asks it.
pub(super) async fn inspect(
    ground: &Ground,
    play: Play,
    ledger: &Ledger,
    service: &Service,
) -> anyhow::Result<Row> {
    let waiting = deliver(ground).await?;
    let books = ground.books();
    // Before the database is read: what comes in between is in neither, or in the database alone.
    let came = ground.receiver.received().events.keys().copied().collect();
    let found = Found::read(&books)?;
    let mut checks = {
        let told = ledger.open();
        let received = ground.receiver.received();
        held(&told, &found, &received)
    };
    checks.push(happened(&came, &found));
    checks.extend(sums(&books)?);
    let mut connection = Connection::open(service.address).await?;
    checks.push(listed(&mut connection, &ground.accounts, &found).await?);
    checks.push(replayed(&mut connection, ledger).await?);
    checks.push(Check::new(
        "no thread of the service panicked",
        1,
        ground.panics()?,
    ));
    let told = ledger.open();
    Ok(Row {
        database: ground.kind,
        play,
        what: "what is there when all is over".to_owned(),
        requests: Some((told.counts.answered, told.counts.again())),
        figure: format!(
            "{} invoices, {} contacts, {} payments, {} escalations, {} events, {waiting} still due",
            told.invoices.len(),
            told.contacts.len(),
            found.payments.len(),
            found.escalations.len(),
            found.deliveries.len(),
        ),
        checks,
    })
}

/// Waits until nothing is due any more, and says how much is after all.
async fn deliver(ground: &Ground) -> anyhow::Result<usize> {
    let begun = Instant::now();
    loop {
        let waiting = ground
            .books()
            .count("webhook_deliveries WHERE state = 'pending'")?;
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
    Check::that(
        "no request failed",
        failures == 0,
        format!("{failures} failed, the last one: {last}"),
    )
}
