//! Scenario `database`: the database dies, refuses, hangs and comes back, under load. The service is not
//! restarted.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use diesel::connection::SimpleConnection as _;
use diesel::{Connection as _, SqliteConnection};
use indicatif::ProgressBar;

use super::environment::{Environment, Shared};
use super::inspect::inspect;
use super::load::Load;
use super::options::Scenario;
use super::outage::outage;
use super::report::{Check, Row};
use crate::fixtures::database_kind::Kind;
use crate::fixtures::service_process::free_address;

/// More than a pool has connections.
const CLIENTS: u64 = 40;
const PLAY: Scenario = Scenario::Database;
/// How long an outage takes.
const AWAY: Duration = Duration::from_secs(2);

/// Everybody but whoever asks.
const CUT: &str = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = 'postgres';";
/// Longer than a statement waits for a lock, and for a connection when all of them wait.
const LOCKED: &str =
    "BEGIN; LOCK TABLE invoices, account_keys IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(7); COMMIT;";
/// Every sequence of numbers, for longer than a statement waits for a row.
const CONTENDED: &str = "BEGIN; SELECT count(*) FROM (SELECT next FROM invoice_sequences FOR UPDATE) AS held; SELECT pg_sleep(5); COMMIT;";

/// Plays it.
pub(super) async fn run_scenario(environment: &Shared, progress: &ProgressBar) -> anyhow::Result<Vec<Row>> {
    let address = free_address()?;
    let mut service = environment.serve_at(address).await?;
    let load = Load::begin(environment, &[address], CLIENTS);
    tokio::time::sleep(environment.span.min(Duration::from_secs(3))).await;
    let mut rows = match environment.kind {
        Kind::Postgres => postgres(environment, &load, progress).await?,
        Kind::Sqlite => sqlite(environment, &load, progress).await?,
    };
    let ledger = load.end().await;
    progress.set_message(format!("{}: database, looking at everything", environment.kind.name()));
    let runs = service.runs()?;
    let mut row = inspect(environment, PLAY, &ledger, &service).await?;
    row.checks.push(Check::that("the service was never restarted", runs, "it has ended".to_owned()));
    rows.push(row);
    service.stop()?;
    Ok(rows)
}

async fn postgres(environment: &Shared, load: &Load, progress: &ProgressBar) -> anyhow::Result<Vec<Row>> {
    let say = |what: &str| progress.set_message(format!("postgres: database, {what}"));
    let mut rows = Vec::new();
    let what = "killed (pg_ctl -m immediate), started 2 s later";
    say(what);
    rows.push(outage(environment, PLAY, load, what, killed(environment)).await?);
    let what = "every connection cut (pg_terminate_backend), 5 times";
    say(what);
    rows.push(outage(environment, PLAY, load, what, cut(environment)).await?);
    let what = "every connection cut and new ones refused, 2 s";
    say(what);
    rows.push(outage(environment, PLAY, load, what, refused(environment)).await?);
    let what = "tables locked for 7 s, the pool exhausted";
    say(what);
    rows.push(outage(environment, PLAY, load, what, asked(environment, LOCKED)).await?);
    let what = "rows locked for 5 s (the sequences of numbers)";
    say(what);
    rows.push(outage(environment, PLAY, load, what, asked(environment, CONTENDED)).await?);
    Ok(rows)
}

async fn killed(environment: &Shared) -> anyhow::Result<()> {
    with_cluster(environment, |environment| cluster(environment)?.down()).await?;
    tokio::time::sleep(AWAY).await;
    with_cluster(environment, |environment| cluster(environment)?.up()).await
}

async fn cut(environment: &Shared) -> anyhow::Result<()> {
    for _ in 0..5 {
        asked(environment, CUT).await?;
        tokio::time::sleep(AWAY / 5).await;
    }
    Ok(())
}

async fn refused(environment: &Shared) -> anyhow::Result<()> {
    let allow = |allow: bool| format!("ALTER DATABASE postgres ALLOW_CONNECTIONS {allow};");
    let refuse = format!("{} {CUT}", allow(false));
    with_cluster(environment, move |environment| cluster(environment)?.sql_aside(&refuse).map(drop)).await?;
    tokio::time::sleep(AWAY).await;
    let again = allow(true);
    with_cluster(environment, move |environment| cluster(environment)?.sql_aside(&again).map(drop)).await
}

async fn asked(environment: &Shared, statements: &'static str) -> anyhow::Result<()> {
    with_cluster(environment, move |environment| cluster(environment)?.sql(statements).map(drop)).await
}

fn cluster(environment: &Environment) -> anyhow::Result<&crate::fixtures::cluster::Cluster> {
    environment.cluster.as_ref().context("this is PostgreSQL")
}

/// Waits for a program elsewhere than where clients do.
async fn with_cluster(
    environment: &Shared,
    work: impl FnOnce(&Environment) -> anyhow::Result<()> + Send + 'static,
) -> anyhow::Result<()> {
    let environment = Arc::clone(environment);
    tokio::task::spawn_blocking(move || work(&environment)).await?
}

async fn sqlite(environment: &Shared, load: &Load, progress: &ProgressBar) -> anyhow::Result<Vec<Row>> {
    let say = |what: &str| progress.set_message(format!("sqlite: database, {what}"));
    let mut rows = Vec::new();
    for (what, times, long) in [
        ("another process writes for 8 s", 1, Duration::from_secs(8)),
        ("another process writes for 100 ms, 40 times", 40, Duration::from_millis(100)),
    ] {
        say(what);
        rows.push(outage(environment, PLAY, load, what, check_expectations(environment, times, long)).await?);
    }
    Ok(rows)
}

/// Holds the one lock for writing, so often and so long each time.
async fn check_expectations(environment: &Shared, times: u32, long: Duration) -> anyhow::Result<()> {
    let mut connection = SqliteConnection::establish(environment.file())?;
    connection.batch_execute("PRAGMA busy_timeout = 30000;")?;
    for _ in 0..times {
        connection = run(connection, "BEGIN IMMEDIATE;").await?;
        tokio::time::sleep(long).await;
        connection = run(connection, "COMMIT;").await?;
        tokio::time::sleep(long.min(Duration::from_millis(50))).await;
    }
    Ok(())
}

async fn run(mut connection: SqliteConnection, statement: &'static str) -> anyhow::Result<SqliteConnection> {
    let done = tokio::task::spawn_blocking(move || {
        connection.batch_execute(statement)?;
        anyhow::Ok(connection)
    });
    done.await?
}
