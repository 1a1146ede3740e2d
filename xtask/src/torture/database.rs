//! Scenario `database`: the database dies, refuses, hangs and comes back, under load. The service is not
//! restarted.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context;
use diesel::connection::SimpleConnection as _;
use diesel::{Connection as _, SqliteConnection};

use super::environment::{Environment, Shared};
use super::inspect::inspect;
use super::ledger::Counts;
use super::load::Load;
use super::report::{Check, Row};
use crate::fixtures::cluster::Cluster;
use crate::fixtures::database::Kind;
use crate::fixtures::service_process::free_address;

/// More than a pool has connections.
const CLIENTS: u64 = 40;
/// How long an outage takes.
const AWAY: Duration = Duration::from_secs(2);

/// Every connection but the one that runs this.
const CUT: &str = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = 'postgres';";
/// Longer than a statement waits for a lock, and for a connection when all of them wait.
const LOCKED: &str =
    "BEGIN; LOCK TABLE invoices, account_keys IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(7); COMMIT;";
/// Every sequence of numbers, for longer than a statement waits for a row.
const CONTENDED: &str = "BEGIN; SELECT count(*) FROM (SELECT next FROM invoice_sequences FOR UPDATE) AS held; SELECT pg_sleep(5); COMMIT;";

pub(super) async fn run_scenario(environment: &Shared) -> anyhow::Result<Vec<Row>> {
    let address = free_address()?;
    let mut service = environment.serve_at(address).await?;
    let load = Load::begin(environment, &[address], CLIENTS);
    tokio::time::sleep(environment.span.min(Duration::from_secs(3))).await;
    let mut rows = match environment.database.kind {
        Kind::Postgres => postgres(environment, &load).await?,
        Kind::Sqlite => sqlite(environment, &load).await?,
    };
    let ledger = load.end().await;
    let runs = service.runs()?;
    let mut row = inspect(environment, &ledger, &service).await?;
    row.checks.push(Check::that("the service was never restarted", runs, "it has ended".to_owned()));
    rows.push(row);
    service.stop()?;
    Ok(rows)
}

async fn postgres(environment: &Shared, load: &Load) -> anyhow::Result<Vec<Row>> {
    let killed = "killed (pg_ctl -m immediate), started 2 s later";
    let cut = "every connection cut (pg_terminate_backend), 5 times";
    let refused = "every connection cut and new ones refused, 2 s";
    let locked = "tables locked for 7 s, the pool exhausted";
    let contended = "rows locked for 5 s (the sequences of numbers)";
    Ok(vec![
        outage(environment, load, killed, kill(environment)).await?,
        outage(environment, load, cut, cut_connections(environment)).await?,
        outage(environment, load, refused, refuse_connections(environment)).await?,
        outage(environment, load, locked, run(environment, LOCKED)).await?,
        outage(environment, load, contended, run(environment, CONTENDED)).await?,
    ])
}

async fn kill(environment: &Shared) -> anyhow::Result<()> {
    with_cluster(environment, |cluster| cluster.tell("down")).await?;
    tokio::time::sleep(AWAY).await;
    with_cluster(environment, |cluster| cluster.tell("up")).await
}

async fn cut_connections(environment: &Shared) -> anyhow::Result<()> {
    for _ in 0..5 {
        run(environment, CUT).await?;
        tokio::time::sleep(AWAY / 5).await;
    }
    Ok(())
}

async fn refuse_connections(environment: &Shared) -> anyhow::Result<()> {
    let allow = async |allow: bool, more: &str| {
        let statements = format!("ALTER DATABASE postgres ALLOW_CONNECTIONS {allow}; {more}");
        with_cluster(environment, move |cluster| cluster.sql_in("template1", &statements).map(drop)).await
    };
    allow(false, CUT).await?;
    tokio::time::sleep(AWAY).await;
    allow(true, "").await
}

async fn run(environment: &Shared, statements: &'static str) -> anyhow::Result<()> {
    with_cluster(environment, move |cluster| cluster.sql(statements).map(drop)).await
}

/// Waits for a program on a thread for blocking calls, since clients go on meanwhile.
async fn with_cluster(
    environment: &Shared,
    work: impl FnOnce(&Cluster) -> anyhow::Result<()> + Send + 'static,
) -> anyhow::Result<()> {
    let environment = Arc::clone(environment);
    tokio::task::spawn_blocking(move || {
        work(environment.database.cluster.as_ref().context("this is PostgreSQL")?)
    })
    .await?
}

async fn sqlite(environment: &Shared, load: &Load) -> anyhow::Result<Vec<Row>> {
    let once = hold_lock(environment, 1, Duration::from_secs(8));
    let often = hold_lock(environment, 40, Duration::from_millis(100));
    Ok(vec![
        outage(environment, load, "another process writes for 8 s", once).await?,
        outage(environment, load, "another process writes for 100 ms, 40 times", often).await?,
    ])
}

/// Holds the one lock for writing, so often and so long each time.
async fn hold_lock(environment: &Shared, times: u32, long: Duration) -> anyhow::Result<()> {
    let mut connection = SqliteConnection::establish(environment.database.file())?;
    connection.batch_execute("PRAGMA busy_timeout = 30000;")?;
    for _ in 0..times {
        tokio::task::block_in_place(|| connection.batch_execute("BEGIN IMMEDIATE;"))?;
        tokio::time::sleep(long).await;
        tokio::task::block_in_place(|| connection.batch_execute("COMMIT;"))?;
        tokio::time::sleep(long.min(Duration::from_millis(50))).await;
    }
    Ok(())
}

/// How soon after the end of an outage every client is answered, and no request fails any more.
const RECOVERED_WITHIN: Duration = Duration::from_secs(5);

/// Waits for a fault, which ends when `fault` does, and watches the clients before and after. The service
/// goes on through it: a kept connection that it closes under a request is without an answer as well.
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

/// The same for a fault in which the service may end; also returns the counts since it began.
pub(super) async fn recovery(
    environment: &Environment,
    load: &Load,
    what: &str,
    fault: impl Future<Output = anyhow::Result<()>>,
) -> anyhow::Result<(Row, Counts)> {
    environment.say(what);
    let (before, wrong_before) = (load.counts(), load.ledger.open().wrong.len());
    fault.await?;
    let over = Instant::now();
    let then = load.ledger.open().answered_by.clone();
    tokio::time::sleep(RECOVERED_WITHIN).await;
    let silent = silent(&then, &load.ledger.open().answered_by);
    // Longer than the recovery may take, so that a later failure is seen as well.
    let more = environment.span.saturating_sub(RECOVERED_WITHIN);
    tokio::time::sleep(more.saturating_add(Duration::from_secs(1))).await;
    let responses = load.ledger.open();
    let counts = responses.counts.since(&before);
    let last = responses.trouble.clone().filter(|(at, _)| *at > over);
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

/// A line for each client whose number of answers is the same at two points in time.
fn silent(then: &BTreeMap<u64, u64>, now: &BTreeMap<u64, u64>) -> Vec<String> {
    let silent = then.iter().filter(|(client, count)| now.get(client).is_none_or(|now| now <= count));
    let said = |(client, _)| format!("client {client} got no answer within {RECOVERED_WITHIN:?}");
    silent.map(said).collect()
}

/// What has to hold of the requests since the fault began, of which the last one failed so long after its
/// end, and why.
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
    let Counts { torn, cut_off, closed, refused, .. } = counts;
    Check::that(
        "no request went without an answer meanwhile",
        torn + cut_off + closed + refused == 0,
        format!(
            "{torn} broke off, {cut_off} were cut off, {closed} kept connections were closed, {refused} refused"
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_seconds_are_enough_and_silence_is_no_answer() {
        let counts = Counts { answered: 1, failed: 9, ..Counts::default() };
        let broken = |counts: &Counts, seconds: u64| {
            let last = Some((Duration::from_secs(seconds), "503".to_owned()));
            let mut checks = checks(last, Vec::new(), (1, Vec::new()));
            checks.push(all_answered(counts));
            checks.iter().filter(|check| !check.broken.is_empty()).count()
        };
        assert_eq!(broken(&counts, 5), 0);
        assert_eq!(broken(&counts, 6), 1);
        let torn = Counts { torn: 1, ..counts };
        let closed = Counts { closed: 1, ..counts };
        assert_eq!([torn, closed].map(|counts| broken(&counts, 0)), [1, 1]);
    }

    #[test]
    fn who_was_answered_before_and_not_since_is_silent() {
        let at = |counts: [u64; 3]| (0..).zip(counts).collect::<BTreeMap<u64, u64>>();
        assert!(silent(&at([5, 5, 0]), &at([6, 9, 1])).is_empty());
        assert_eq!(silent(&at([5, 5, 0]), &at([6, 5, 0])).len(), 2);
        let some = silent(&at([5, 5, 0]), &BTreeMap::new());
        assert_eq!(some.len(), 3, "and clients that are gone");
        let checks = checks(None, Vec::new(), (3, some));
        assert_eq!(checks.iter().map(|check| check.broken.len()).sum::<usize>(), 3);
    }
}
