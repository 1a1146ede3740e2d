//! Scenario `disk`: the database is on a small file system, which is full, slow, or hangs, under load.
//!
//! SQLite rolls back what it cannot write, and continues. PostgreSQL does the same while tables have no
//! space, but ends every connection when its write-ahead log has none (PANIC): it recovers by itself or ends,
//! and is started again here once there is space, as its supervisor would do.

mod reads;
mod refusals;

use std::time::{Duration, Instant};

use anyhow::Context;

use super::api_checks::check_all_replays;
use super::environment::{Environment, Shared};
use super::inspect::inspect;
use super::load::{Load, up_to};
use super::outage::{outage, recovery};
use super::report::{Check, Row};
use super::stored_records::rows;
use crate::fixtures::client::Connection;
use crate::fixtures::database::DatabaseKind;
use crate::fixtures::load::LoadResult;
use crate::fixtures::service_process::{Service, free_address};
use crate::fixtures::small_disk::SmallDisk;
use reads::Reads;
use refusals::Refusals;

const CLIENTS: u64 = 10;
/// How often the disk is full while the service keeps running, and while it is killed.
const TIMES_FULL: u32 = 3;
const TIMES_KILLED: u32 = 3;
/// The shortest time for which the disk is full, and the milliseconds by which it can be longer.
const FULL: Duration = Duration::from_secs(2);
const FULL_LONGER: u64 = 4_000;
/// The most space that is left when the disk is almost full: requests use it up, and which of them finds none
/// varies.
const LEFT_KIB: u64 = 600;
/// The least space when the disk is not full, for what the scenario itself may still write.
const LEAST_ROOM_KIB: u64 = 16_384;
/// The time limit for a start of the service on a full disk.
const STARTS_WITHIN: Duration = Duration::from_secs(8);
/// The time limit for the recovery of a database that ended on the full disk, from the time when there is
/// space.
const REVIVED_WITHIN: Duration = Duration::from_secs(60);
/// The writes of a slow disk in a second, and for how long the disk is slow, and hangs.
const SLOW_WRITES: u32 = 60;
const SLOW: Duration = Duration::from_secs(15);
const HANGS: Duration = Duration::from_secs(4);

/// The size of the file system, in MiB.
pub(super) const fn size(kind: DatabaseKind) -> u32 {
    match kind {
        DatabaseKind::Sqlite => 256,
        DatabaseKind::Postgres | DatabaseKind::Citus => 512,
    }
}

pub(super) async fn run_scenario(environment: &Shared) -> anyhow::Result<Vec<Row>> {
    let address = free_address()?;
    let mut service = environment.serve_at(address).await?;
    let load = Load::begin(environment, &[address], CLIENTS);
    let refusals = Refusals::begin(environment, &load.response_log, address, CLIENTS);
    tokio::time::sleep(environment.span.min(Duration::from_secs(3))).await;
    let generator = environment.generator(u64::MAX);
    let mut rows = Vec::new();
    for n in 0..TIMES_FULL {
        let left_kib = if n == 0 { 0 } else { generator.below(LEFT_KIB) };
        let long = FULL.saturating_add(up_to(&generator, FULL_LONGER));
        rows.push(full(environment, &load, left_kib, long).await?);
    }
    let runs = service.runs()?;
    for _ in 0..TIMES_KILLED {
        let left_kib = generator.below(LEFT_KIB / 10);
        let row = killed(environment, &load, service, left_kib).await?;
        rows.push(row.0);
        service = row.1;
    }
    rows.push(slow(environment, &load).await?);
    rows.push(hanging(environment, &load).await?);
    let still_runs = service.runs()?;
    let refused = refusals.end().await;
    let response_log = load.end().await;
    let mut row = inspect(environment, &response_log, &service).await?;
    let mut connection = Connection::open(service.address).await?;
    row.checks.push(check_all_replays(&mut connection, &response_log).await?);
    row.checks.extend(refusals::check(environment, &refused, &mut connection).await?);
    row.checks.extend(check_integrity(environment)?);
    let restarted = "it has ended by itself".to_owned();
    row.checks.push(Check::that("the service ended only when it was killed", runs && still_runs, restarted));
    row.figure.push_str(&format!(", {} refusals", refused.len()));
    rows.push(row);
    service.stop()?;
    Ok(rows)
}

/// Runs an operation on the database's disk. Waiting for it does not delay the clients.
fn on_disk<R>(
    environment: &Environment,
    work: impl FnOnce(&SmallDisk) -> anyhow::Result<R>,
) -> anyhow::Result<R> {
    let disk = environment.database.disk.as_ref().context("the database is on a small disk")?;
    tokio::task::block_in_place(|| work(disk))
}

/// Frees the space, and waits until the database runs again; returns the time that took, or nothing if it was
/// running.
async fn make_room(environment: &Environment) -> anyhow::Result<String> {
    let room = on_disk(environment, SmallDisk::make_room)?;
    anyhow::ensure!(
        room > LEAST_ROOM_KIB,
        "the records of the scenario itself take all the room: {room} KiB"
    );
    let Some(cluster) = &environment.database.cluster else {
        return Ok(String::new());
    };
    let (begun, mut revived) = (Instant::now(), false);
    while tokio::task::block_in_place(|| cluster.sql("SELECT 1")).is_err() {
        anyhow::ensure!(
            begun.elapsed() < REVIVED_WITHIN,
            "PostgreSQL is not there within {REVIVED_WITHIN:?}"
        );
        revived |= tokio::task::block_in_place(|| cluster.revive())?;
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    let how = if revived { "started again" } else { "recovered by itself" };
    let took = begun.elapsed();
    Ok(if took < Duration::from_secs(1) && !revived {
        String::new()
    } else {
        format!("; PostgreSQL had ended and was {how} in {took:.1?}")
    })
}

/// The disk is full for some time.
async fn full(environment: &Shared, load: &Load, left_kib: u64, long: Duration) -> anyhow::Result<Row> {
    let what = match left_kib {
        0 => format!("the disk is full for {long:.1?}"),
        left => format!("the disk has {left} KiB left, for {long:.1?}"),
    };
    let (mut ended, mut reads) = (String::new(), None);
    let fault = async {
        let reading = Reads::begin(environment, &load.response_log)?;
        on_disk(environment, |disk| disk.fill(left_kib))?;
        tokio::time::sleep(long).await;
        reads = Some(reading.end().await?);
        ended = make_room(environment).await?;
        Ok(())
    };
    let mut row = outage(environment, load, &what, fault).await?;
    let reads = reads.context("it was read meanwhile")?;
    row.figure.push_str(&format!("; {}{ended}", reads.figure()));
    if left_kib == 0 {
        let failed = row.figure.starts_with("0 x 5xx");
        let check = Check::that("writes fail while there is no room", !failed, row.figure.clone());
        row.checks.push(check);
    }
    // The reads of PostgreSQL fail with its connections when the log has no space.
    if environment.database.kind == DatabaseKind::Sqlite {
        row.checks.push(reads.check());
    }
    Ok(row)
}

/// The service is killed while the disk is full, and started again while it is full and after.
async fn killed(
    environment: &Shared,
    load: &Load,
    service: Service,
    left_kib: u64,
) -> anyhow::Result<(Row, Service)> {
    let (address, mut said, mut again) = (service.address, String::new(), None);
    let fault = async {
        on_disk(environment, |disk| disk.fill(left_kib))?;
        tokio::time::sleep(FULL).await;
        service.kill()?;
        let begun = Instant::now();
        let started = tokio::time::timeout(STARTS_WITHIN, environment.serve_at(address)).await;
        said = match &started {
            Ok(Ok(_)) => format!("started on the full disk in {:.0?}", begun.elapsed()),
            Ok(Err(_)) => "ended on the full disk".to_owned(),
            Err(_elapsed) => format!("not ready on the full disk within {STARTS_WITHIN:?}"),
        };
        if let Ok(Ok(service)) = started {
            tokio::time::sleep(FULL / 2).await;
            service.kill()?;
        }
        said.push_str(&make_room(environment).await?);
        let begun = Instant::now();
        again = Some(environment.serve_at(address).await?);
        said.push_str(&format!("; with room ready in {:.0?}", begun.elapsed()));
        Ok(())
    };
    let what = "kill -9 while the disk is full";
    let (mut row, _counts) = recovery(environment, load, what, fault).await?;
    row.figure.push_str(&format!("; {said}"));
    Ok((row, again.context("it was started again")?))
}

/// The disk carries out few writes a second.
async fn slow(environment: &Shared, load: &Load) -> anyhow::Result<Row> {
    let what = format!("{SLOW_WRITES} writes a second for {SLOW:.0?}");
    if !on_disk(environment, |disk| disk.slow_down(SLOW_WRITES))? {
        let left_out = "a slow disk: left out, the kernel has no blkio.throttle.write_iops_device";
        return Ok(environment.row(left_out, None, String::new(), Vec::new()));
    }
    waiting(environment, load, &what, SLOW, || Ok(()), SmallDisk::speed_up).await
}

/// The disk hangs.
async fn hanging(environment: &Shared, load: &Load) -> anyhow::Result<Row> {
    let what = format!("the disk hangs for {HANGS:.0?}");
    let begin = || on_disk(environment, SmallDisk::hang);
    waiting(environment, load, &what, HANGS, begin, SmallDisk::resume_writes).await
}

/// A fault in which writes wait until it ends.
async fn waiting(
    environment: &Shared,
    load: &Load,
    what: &str,
    long: Duration,
    begin: impl FnOnce() -> anyhow::Result<()>,
    end: fn(&SmallDisk) -> anyhow::Result<()>,
) -> anyhow::Result<Row> {
    let before = p99(load, long);
    let (mut meanwhile, mut reads) = (0.0, None);
    let fault = async {
        let reading = Reads::begin(environment, &load.response_log)?;
        begin()?;
        tokio::time::sleep(long).await;
        meanwhile = p99(load, long);
        on_disk(environment, end)?;
        reads = Some(reading.end().await?);
        Ok(())
    };
    let mut row = outage(environment, load, what, fault).await?;
    let reads = reads.context("it was read meanwhile")?;
    let figure = format!("; p99 of all requests {before:.0} ms before, {meanwhile:.0} ms meanwhile; ");
    row.figure.push_str(&figure);
    row.figure.push_str(&reads.figure());
    row.checks.push(reads.check());
    Ok(row)
}

/// The p99 of the responses in the last period `of`, in milliseconds.
fn p99(load: &Load, of: Duration) -> f64 {
    let responses = load.response_log.lock();
    let some = responses.latencies.iter().rev().take_while(|(at, _)| at.elapsed() < of);
    let micros = some.map(|(_, took)| u32::try_from(took.as_micros()).unwrap_or(u32::MAX));
    LoadResult::new(micros.collect(), of).percentile(99)
}

/// Checks the integrity of the SQLite file.
fn check_integrity(environment: &Environment) -> anyhow::Result<Option<Check>> {
    if environment.database.kind != DatabaseKind::Sqlite {
        return Ok(None);
    }
    let said = rows(&environment.database, ["integrity_check"], "pragma_integrity_check")?;
    let broken: Vec<String> = said.into_iter().flatten().filter(|said| said != "ok").collect();
    Ok(Some(Check::new("PRAGMA integrity_check finds nothing", 1, broken)))
}
