//! Scenario `database`: the database dies, refuses connections, hangs and recovers, under load. The service
//! is not restarted.

use std::time::Duration;

use diesel::connection::SimpleConnection as _;
use diesel::{Connection as _, SqliteConnection};

use super::environment::Shared;
use super::inspect::inspect;
use super::load::Load;
use super::outage::{AWAY, CUT, cut_connections, kill, outage, with_cluster};
use super::report::{Check, Row};
use super::workers;
use crate::fixtures::database::DatabaseKind;
use crate::fixtures::service_process::free_address;

/// More clients than a pool has connections.
const CLIENTS: u64 = 40;
/// Locks tables for longer than a statement waits for a lock, and for longer than a request waits for a
/// connection when all of them are in use.
const LOCKED: &str =
    "BEGIN; LOCK TABLE invoices, account_keys IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(7); COMMIT;";
/// Locks every sequence of numbers for longer than a statement waits for a row.
const CONTENDED: &str = "BEGIN; SELECT count(*) FROM (SELECT next FROM invoice_sequences FOR UPDATE) AS held; SELECT pg_sleep(5); COMMIT;";

pub(super) async fn run_scenario(environment: &Shared) -> anyhow::Result<Vec<Row>> {
    let address = free_address()?;
    let mut service = environment.serve_at(address).await?;
    let load = Load::begin(environment, &[address], CLIENTS);
    tokio::time::sleep(environment.span.min(Duration::from_secs(3))).await;
    let mut rows = match environment.database.kind {
        DatabaseKind::Postgres => postgres(environment, &load).await?,
        DatabaseKind::Sqlite => sqlite(environment, &load).await?,
        DatabaseKind::Citus => workers::run_outages(environment, &load).await?,
    };
    let response_log = load.end().await;
    let runs = service.runs()?;
    let mut row = inspect(environment, &response_log, &service).await?;
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
        outage(environment, load, killed, kill(environment, 0)).await?,
        outage(environment, load, cut, cut_connections(environment, 0)).await?,
        outage(environment, load, refused, refuse_connections(environment)).await?,
        outage(environment, load, locked, run(environment, LOCKED)).await?,
        outage(environment, load, contended, run(environment, CONTENDED)).await?,
    ])
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

async fn sqlite(environment: &Shared, load: &Load) -> anyhow::Result<Vec<Row>> {
    let once = hold_lock(environment, 1, Duration::from_secs(8));
    let often = hold_lock(environment, 40, Duration::from_millis(100));
    Ok(vec![
        outage(environment, load, "another process writes for 8 s", once).await?,
        outage(environment, load, "another process writes for 100 ms, 40 times", often).await?,
    ])
}

/// Holds SQLite's write lock `times` times, each time for `long`.
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
