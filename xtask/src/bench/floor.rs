//! The floor of the database: the statements of a request and nothing else. On PostgreSQL, pgbench runs them
//! as prepared statements.

use anyhow::{Context, bail};

use super::environment::Environment;
use super::script::Script;
use super::sqlite_loop;
use crate::fixtures::cluster::Cluster;

/// How often a second a script runs over this number of connections.
pub(super) fn run(script: &Script, environment: &Environment, connections: u32) -> anyhow::Result<f64> {
    // Both calls block, and must not delay other tasks.
    tokio::task::block_in_place(|| match &environment.database.cluster {
        Some(cluster) => pgbench(script, environment, cluster, connections),
        None => sqlite_loop::measure(environment, script, connections),
    })
}

/// Transactions a second on PostgreSQL.
fn pgbench(
    script: &Script,
    environment: &Environment,
    cluster: &Cluster,
    connections: u32,
) -> anyhow::Result<f64> {
    let file = environment.database.folder.path().join(format!("{}.sql", script.name));
    std::fs::write(&file, script.postgres)?;
    // pgbench reads the file, so the server's own user needs no access to it.
    let arguments = [
        "--no-vacuum".to_owned(),
        "--protocol=prepared".to_owned(),
        format!("--client={connections}"),
        format!("--jobs={}", connections.min(2)),
        format!("--time={}", environment.options.span().as_secs()),
        format!("--define=first={}", script.first),
        format!("--define=last={}", script.last),
        format!("--define=answer_bytes={}", script.answer_bytes),
        format!("--file={}", file.display()),
    ];
    let printed = cluster.pgbench(&arguments)?;
    if printed.contains("aborted") {
        bail!("{}: {printed}", script.name);
    }
    let line = printed.lines().find_map(|line| line.strip_prefix("tps = "));
    let number = line.and_then(|rest| rest.split_whitespace().next());
    Ok(number.context("pgbench says how many transactions it did")?.parse()?)
}
