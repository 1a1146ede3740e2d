//! Outages of the database, and the requests of clients meanwhile.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context;

use super::environment::{Environment, Shared};
use super::load::Load;
use super::report::{Check, Row};
use super::response_log::Counts;
use crate::fixtures::cluster::Cluster;

/// The duration of an outage.
pub(super) const AWAY: Duration = Duration::from_secs(2);

/// Ends every connection except the one that runs this statement.
pub(super) const CUT: &str = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname <> 'template1';";

/// Ends a server like a crash, and starts it again.
pub(super) async fn kill(environment: &Shared, server: usize) -> anyhow::Result<()> {
    with_cluster(environment, move |cluster| cluster.tell(&format!("down {server}"))).await?;
    tokio::time::sleep(AWAY).await;
    with_cluster(environment, move |cluster| cluster.tell(&format!("up {server}"))).await
}

/// Repeatedly cuts every connection to a server.
pub(super) async fn cut_connections(environment: &Shared, server: usize) -> anyhow::Result<()> {
    for _ in 0..5 {
        with_cluster(environment, move |cluster| cluster.sql_at(server, CUT).map(drop)).await?;
        tokio::time::sleep(AWAY / 5).await;
    }
    Ok(())
}

/// Waits for a program on a thread for blocking calls, so that clients continue meanwhile.
pub(super) async fn with_cluster(
    environment: &Shared,
    work: impl FnOnce(&Cluster) -> anyhow::Result<()> + Send + 'static,
) -> anyhow::Result<()> {
    let environment = Arc::clone(environment);
    tokio::task::spawn_blocking(move || {
        work(environment.database.cluster.as_ref().context("this is PostgreSQL")?)
    })
    .await?
}

/// The time after an outage within which every client gets responses and requests stop failing.
const RECOVERED_WITHIN: Duration = Duration::from_secs(5);

/// Waits for a fault, which ends when `fault` does, and observes the clients before and after. The service
/// keeps running: closing a kept connection during a request also counts as no response.
pub(super) async fn outage(
    environment: &Environment,
    load: &Load,
    what: &str,
    fault: impl Future<Output = anyhow::Result<()>>,
) -> anyhow::Result<Row> {
    let (mut row, counts) = recovery(environment, load, what, fault).await?;
    row.checks.push(all_answered(&counts));
    Ok(row)
}

/// Like [`outage`], for a fault in which the service may end; also returns the counts since its beginning.
pub(super) async fn recovery(
    environment: &Environment,
    load: &Load,
    what: &str,
    fault: impl Future<Output = anyhow::Result<()>>,
) -> anyhow::Result<(Row, Counts)> {
    environment.say(what);
    let (before, wrong_before) = (load.counts(), load.response_log.lock().wrong.len());
    fault.await?;
    let over = Instant::now();
    let then = load.response_log.lock().responses_by_client.clone();
    tokio::time::sleep(RECOVERED_WITHIN).await;
    let silent = silent(&then, &load.response_log.lock().responses_by_client);
    // Longer than the recovery may take, so that a later failure is noticed too.
    let more = environment.span.saturating_sub(RECOVERED_WITHIN);
    tokio::time::sleep(more.saturating_add(Duration::from_secs(1))).await;
    let responses = load.response_log.lock();
    let counts = responses.counts.since(&before);
    let last = responses.last_failure.clone().filter(|(at, _)| *at > over);
    let last = last.map(|(at, why)| (at.duration_since(over), why));
    let wrong = responses.wrong.get(wrong_before..).unwrap_or_default().to_vec();
    let end = match &last {
        Some((took, _)) => format!("the last one {took:.1?} after its end"),
        None => "none after its end".to_owned(),
    };
    let figure = format!("{} x 5xx, {end}", counts.failed);
    let checks = checks(last, wrong, (then.len(), silent));
    Ok((environment.row(what, Some(&counts), figure, checks), counts))
}

/// A line for each client whose number of responses is the same at both times.
fn silent(then: &BTreeMap<u64, u64>, now: &BTreeMap<u64, u64>) -> Vec<String> {
    let silent = then.iter().filter(|(client, count)| now.get(client).is_none_or(|now| now <= count));
    let said = |(client, _)| format!("client {client} got no answer within {RECOVERED_WITHIN:?}");
    silent.map(said).collect()
}

/// The checks of the requests since the beginning of the fault. `last` is the time from its end to the last
/// failure, with the reason.
fn checks(
    last: Option<(Duration, String)>,
    wrong: Vec<String>,
    (clients, silent): (usize, Vec<String>),
) -> Vec<Check> {
    let (took, why) = last.unwrap_or_default();
    vec![
        Check::that(
            "all is well within 5 seconds, with no more help",
            took <= RECOVERED_WITHIN,
            format!("after {took:?}: {why}"),
        ),
        Check::new("every 5xx has the standard body, and nothing else is wrong", 1, wrong),
        Check::new("every client is answered again within 5 seconds", clients, silent),
    ]
}

fn all_answered(counts: &Counts) -> Check {
    let Counts { broken_off, cut_off, closed, refused, .. } = counts;
    Check::that(
        "no request went without an answer meanwhile",
        broken_off + cut_off + closed + refused == 0,
        format!(
            "{broken_off} broke off, {cut_off} were cut off, {closed} kept connections were closed, {refused} refused"
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recovery_within_five_seconds_holds_and_a_missing_response_is_broken() {
        let counts = Counts { answered: 1, failed: 9, ..Counts::default() };
        let broken = |counts: &Counts, seconds: u64| {
            let last = Some((Duration::from_secs(seconds), "503".to_owned()));
            let mut checks = checks(last, Vec::new(), (1, Vec::new()));
            checks.push(all_answered(counts));
            checks.iter().filter(|check| !check.broken.is_empty()).count()
        };
        assert_eq!(broken(&counts, 5), 0);
        assert_eq!(broken(&counts, 6), 1);
        let broken_off = Counts { broken_off: 1, ..counts };
        let closed = Counts { closed: 1, ..counts };
        assert_eq!([broken_off, closed].map(|counts| broken(&counts, 0)), [1, 1]);
    }

    #[test]
    fn client_without_a_response_since_the_outage_is_silent() {
        let at = |counts: [u64; 3]| (0..).zip(counts).collect::<BTreeMap<u64, u64>>();
        assert!(silent(&at([5, 5, 0]), &at([6, 9, 1])).is_empty());
        assert_eq!(silent(&at([5, 5, 0]), &at([6, 5, 0])).len(), 2);
        let some = silent(&at([5, 5, 0]), &BTreeMap::new());
        assert_eq!(some.len(), 3, "and clients that are gone");
        let checks = checks(None, Vec::new(), (3, some));
        assert_eq!(checks.iter().map(|check| check.broken.len()).sum::<usize>(), 3);
    }
}
