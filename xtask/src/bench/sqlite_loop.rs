//! The floor of the embedded database: a bare loop over the same statements, in a thread for each connection
//! that reads and a single one for all that write, as many as SQLite lets write at once.

use std::hint::black_box;
use std::time::{Duration, Instant};

use anyhow::Context;
use diesel::connection::{LoadConnection as _, SimpleConnection as _};
use diesel::row::{Field as _, Row as _};
use diesel::{Connection as _, SqliteConnection};
use uuid::Uuid;

use super::environment::Environment;
use super::floor::Script;
use super::sql_steps::{Step, Value, steps};
use super::tenants::{Tenant, Tenants};

/// As many readers as the service opens at the most.
const MOST_READERS: u32 = 8;

/// Runs statements that return nothing.
pub(super) fn run(url: &str, statements: &str) -> anyhow::Result<()> {
    Ok(connect(url)?.batch_execute(statements)?)
}

/// How often a second the script is done.
pub(super) fn measure(
    environment: &Environment,
    script: &Script,
    connections: u32,
    span: Duration,
) -> anyhow::Result<f64> {
    let steps = steps(script.sqlite);
    let writes = script.sqlite.contains("BEGIN IMMEDIATE");
    let threads = if writes { 1 } else { connections.min(MOST_READERS) };
    let begun = Instant::now();
    let counts: Vec<anyhow::Result<u32>> = std::thread::scope(|scope| {
        let running: Vec<_> =
            (0..threads).map(|_| scope.spawn(|| one_loop(environment, script, &steps, span))).collect();
        let ended = running.into_iter().map(std::thread::ScopedJoinHandle::join);
        ended.map(|count| count.unwrap_or_else(|_panic| Err(anyhow::anyhow!("a loop broke off")))).collect()
    });
    let took = begun.elapsed().as_secs_f64();
    let count: u32 = counts.into_iter().sum::<anyhow::Result<u32>>()?;
    Ok(f64::from(count) / took)
}

fn one_loop(
    environment: &Environment,
    script: &Script,
    steps: &[Step],
    span: Duration,
) -> anyhow::Result<u32> {
    let mut connection = connect(&environment.url())?;
    let (begun, mut count) = (Instant::now(), 0_u32);
    while begun.elapsed() < span {
        let values = values(environment, script, count)?;
        for step in steps {
            let rows = connection.load(step.with(&values))?;
            for row in rows {
                let row = row?;
                for place in 0..row.field_count() {
                    black_box(row.get(place).is_some_and(|field| field.is_null()));
                }
            }
        }
        count = count.saturating_add(1);
    }
    Ok(count)
}

/// The pragmas of the service's own connections.
fn connect(url: &str) -> anyhow::Result<SqliteConnection> {
    let mut connection = SqliteConnection::establish(url.trim_start_matches("sqlite://"))?;
    connection.batch_execute(
        "PRAGMA busy_timeout = 30000; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; \
         PRAGMA temp_store = MEMORY; PRAGMA cache_size = -2048;",
    )?;
    Ok(connection)
}

fn values(
    environment: &Environment,
    script: &Script,
    count: u32,
) -> anyhow::Result<Vec<(&'static str, Value)>> {
    let tenants = &environment.tenants;
    let now = environment.deps.clock.now();
    let id = environment.deps.ids.uuid_at(now);
    let bytes = |id: Uuid| Value::Bytes(id.as_bytes().to_vec());
    let (tenant, account, invoice) = whose(tenants, script, count)?;
    let hash =
        if script.name == super::floor::LOOK_UP_ACCOUNT.name { &tenants.partner_hash } else { &tenant.hash };
    let options = if script.name == super::floor::CREATE_INVOICE_NEW_CONTACT.name {
        format!("{id}@example.com")
    } else {
        tenant.contact.clone()
    };
    let micros = i64::try_from(now.unix_timestamp_nanos() / 1_000)?;
    Ok(vec![
        ("hash", Value::Bytes(hash.clone())),
        ("account", bytes(account)),
        ("invoice", bytes(invoice)),
        ("id", bytes(id)),
        ("text", Value::Text(id.to_string())),
        ("wanted", Value::Text(options)),
        ("external_id", Value::Text(tenant.external_id.clone())),
        ("now", Value::Int(micros)),
        ("answer", Value::Text("x".repeat(script.answer_bytes))),
    ])
}

/// Whose turn it is: an account with one of its invoices, or for payments any invoice with its account.
fn whose<'a>(tenants: &'a Tenants, script: &Script, count: u32) -> anyhow::Result<(&'a Tenant, Uuid, Uuid)> {
    let place = |of: u32| count.wrapping_mul(7_919).checked_rem(of).unwrap_or(0);
    if script.name == super::floor::RECORD_PAYMENT.name {
        let turn = place(script.last);
        let (account, invoice) = tenants.open.get(usize::try_from(turn)?).context("no such invoice")?;
        let tenant = tenants.spread.first().context("no accounts")?;
        return Ok((tenant, account.uuid(), invoice.uuid()));
    }
    let range = script.last.saturating_sub(script.first).saturating_add(1);
    let n = script.first.saturating_add(place(range));
    let tenant = tenants.all().nth(usize::try_from(n)?.saturating_sub(1)).context("no such account")?;
    Ok((tenant, tenant.id, tenant.invoice))
}
