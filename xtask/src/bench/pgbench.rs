//! The floor of PostgreSQL: its own load generator with the same statements, prepared.

use std::fmt::Write as _;
use std::time::Duration;

use anyhow::{Context, bail};

use super::floor::Script;
use super::tenants::Tenants;
use crate::fixtures::cluster::Cluster;

/// Makes what the scripts look their accounts up in, and lets the database see to itself after the seeding.
pub(super) fn set_up(cluster: &Cluster, tenants: &Tenants) -> anyhow::Result<()> {
    let mut sql = include_str!("floors/postgres/setup.sql").to_owned();
    for tenant in tenants.all() {
        let hash: String = tenant.hash.iter().map(|byte| format!("{byte:02x}")).collect();
        writeln!(
            sql,
            "INSERT INTO bench_accounts VALUES ({}, '{}', '\\x{hash}', '{}', '{}', '{}');",
            tenant.n, tenant.id, tenant.contact, tenant.external_id, tenant.invoice
        )?;
    }
    for ((account, invoice), n) in tenants.open.iter().zip(1..) {
        let n: u32 = n;
        writeln!(sql, "INSERT INTO bench_invoices VALUES ({n}, '{account}', '{invoice}');")?;
    }
    // One transaction for all of it, or each row would wait for the disk.
    cluster.sql(&format!("BEGIN;\n{sql}\nCOMMIT;"))?;
    cluster.sql("VACUUM ANALYZE;")?;
    cluster.sql("CHECKPOINT;")?;
    Ok(())
}

/// Transactions a second.
pub(super) fn run(
    cluster: &Cluster,
    folder: &std::path::Path,
    script: &Script,
    connections: u32,
    span: Duration,
) -> anyhow::Result<f64> {
    let file = folder.join(format!("{}.sql", script.name));
    std::fs::write(&file, script.postgres)?;
    // The server's own user has no need of the file: pgbench reads it.
    let words = [
        "--no-vacuum".to_owned(),
        "--protocol=prepared".to_owned(),
        format!("--client={connections}"),
        format!("--jobs={}", connections.min(2)),
        format!("--time={}", span.as_secs().max(1)),
        format!("--define=first={}", script.first),
        format!("--define=last={}", script.last),
        format!("--define=answer_bytes={}", script.answer_bytes),
        format!("--file={}", file.display()),
    ];
    let printed = cluster.pgbench(&words)?;
    if printed.contains("aborted") {
        bail!("{}: {printed}", script.name);
    }
    let line = printed.lines().find_map(|line| line.strip_prefix("tps = "));
    let number = line.and_then(|rest| rest.split_whitespace().next());
    Ok(number.context("pgbench says how many transactions it did")?.parse()?)
}
