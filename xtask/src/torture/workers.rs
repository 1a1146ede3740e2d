//! Outages of single servers of a cluster: one worker is down, the other one is not.

use std::collections::BTreeSet;
use std::fmt;

use anyhow::{Context, bail};

use super::environment::Shared;
use super::load::Load;
use super::outage::{AWAY, cut_connections, kill, outage, with_cluster};
use super::report::{Check, Row};
use crate::fixtures::cluster::Cluster;

/// The numbers of the workers; the coordinator is 0.
const WORKERS: [usize; 2] = [1, 2];

pub(super) async fn run_outages(environment: &Shared, load: &Load) -> anyhow::Result<Vec<Row>> {
    let mut rows = Vec::new();
    for worker in WORKERS {
        let elsewhere = accounts_elsewhere(environment, worker)?;
        let mut seen = Meanwhile::default();
        let what = format!("worker {worker} of 2 killed (pg_ctl -m immediate), started 2 s later");
        let fault = kill_worker(environment, load, worker, &elsewhere, &mut seen);
        let mut row = outage(environment, load, &what, fault).await?;
        row.figure = format!("{}; {seen}", row.figure);
        row.checks.push(seen.check());
        rows.push(row);
    }
    let killed = "the coordinator killed (pg_ctl -m immediate), started 2 s later";
    rows.push(outage(environment, load, killed, kill(environment, 0)).await?);
    let cut = "every connection to the coordinator cut, 5 times";
    rows.push(outage(environment, load, cut, cut_connections(environment, 0)).await?);
    let cut = "every connection to worker 1 cut, 5 times";
    rows.push(outage(environment, load, cut, cut_connections(environment, 1)).await?);
    Ok(rows)
}

/// Requests while a worker is down.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Meanwhile {
    /// For accounts on the other worker: requests that got a response, and tries that got 5xx.
    elsewhere: (u64, u64),
    /// The same for accounts on this worker.
    there: (u64, u64),
}

impl Meanwhile {
    fn check(self) -> Check {
        let (answered, failed) = self.elsewhere;
        let otherwise = format!("{answered} were answered, {failed} x 5xx");
        Check::that("requests of accounts on the other worker go on", answered > 0 && failed == 0, otherwise)
    }
}

impl fmt::Display for Meanwhile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ((answered, failed), (there, failed_there)) = (self.elsewhere, self.there);
        write!(
            f,
            "meanwhile accounts on the other worker: {answered} answered, {failed} x 5xx; on this one: {there} \
             answered, {failed_there} x 5xx"
        )
    }
}

/// Kills a worker, starts it again, and counts the requests since it was down.
async fn kill_worker(
    environment: &Shared,
    load: &Load,
    worker: usize,
    elsewhere: &BTreeSet<String>,
    seen: &mut Meanwhile,
) -> anyhow::Result<()> {
    with_cluster(environment, move |cluster| cluster.tell(&format!("down {worker}"))).await?;
    let before = requests(load, elsewhere);
    tokio::time::sleep(AWAY).await;
    let after = requests(load, elsewhere);
    let since = |now: (u64, u64), then: (u64, u64)| (now.0 - then.0, now.1 - then.1);
    seen.elsewhere = since(after.elsewhere, before.elsewhere);
    seen.there = since(after.there, before.there);
    with_cluster(environment, move |cluster| cluster.tell(&format!("up {worker}"))).await
}

/// The requests so far, for accounts with these keys and for the others.
fn requests(load: &Load, elsewhere: &BTreeSet<String>) -> Meanwhile {
    let mut requests = Meanwhile::default();
    for (key, (answered, failed)) in &load.response_log.lock().by_account {
        let of = if elsewhere.contains(key) { &mut requests.elsewhere } else { &mut requests.there };
        of.0 += answered;
        of.1 += failed;
    }
    requests
}

/// The keys of the accounts that are not on this worker.
fn accounts_elsewhere(environment: &Shared, worker: usize) -> anyhow::Result<BTreeSet<String>> {
    let cluster = environment.database.cluster.as_ref().context("this is a cluster")?;
    let mut elsewhere = BTreeSet::new();
    for account in &environment.accounts {
        if server_of(cluster, &account.id.uuid().to_string())? != worker {
            elsewhere.insert(account.key.clone());
        }
    }
    if elsewhere.is_empty() || elsewhere.len() == environment.accounts.len() {
        bail!("all accounts are on one worker: run it again");
    }
    Ok(elsewhere)
}

/// The number of the server that has an account.
fn server_of(cluster: &Cluster, account: &str) -> anyhow::Result<usize> {
    let port = cluster.sql(&format!(
        "SELECT n.nodeport FROM pg_dist_placement AS p JOIN pg_dist_node AS n ON n.groupid = p.groupid \
         WHERE p.shardid = get_shard_id_for_distribution_column('invoices', '{account}'::uuid)"
    ))?;
    cluster.server(&port).with_context(|| format!("no server has the port {port:?}"))
}
