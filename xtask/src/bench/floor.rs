//! The floor of the database: the statements of a request and nothing else. On PostgreSQL, pgbench runs them
//! as prepared statements.

use std::fmt::Write as _;

use anyhow::{Context, bail};

use super::environment::Environment;
use super::sqlite_loop;
use super::tenants::{ACCOUNTS, CONTACT, Tenants};
use crate::fixtures::cluster::Cluster;

/// The statements that a kind of request needs, in both SQL dialects, and the accounts that they are run for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Script {
    pub(super) name: &'static str,
    pub(super) postgres: &'static str,
    pub(super) sqlite: &'static str,
    /// The numbers of the first and the last account (for payments, invoice) over which the script is spread.
    pub(super) first: u32,
    pub(super) last: u32,
    /// The length of the stored response.
    pub(super) answer_bytes: usize,
}

/// The script of this name, for all of the small accounts. A macro, since `include_str!` takes only literals.
macro_rules! script {
    ($name:literal) => {
        Script {
            name: $name,
            postgres: include_str!(concat!("floors/postgres/", $name, ".sql")),
            sqlite: include_str!(concat!("floors/sqlite/", $name, ".sql")),
            first: 1,
            last: ACCOUNTS,
            answer_bytes: 1_000,
        }
    };
}

pub(super) const GET_INVOICE: Script = script!("get_invoice");
pub(super) const LIST_INVOICES: Script = script!("list_invoices");
pub(super) const CREATE_INVOICE: Script = script!("create_invoice");
pub(super) const CREATE_INVOICE_NEW_CONTACT: Script = script!("create_invoice_new_contact");
pub(super) const REUSE_CONTACT: Script = script!("reuse_contact");
pub(super) const LOOK_UP_ACCOUNT: Script = script!("look_up_account");
pub(super) const UNKNOWN_KEY: Script = script!("unknown_key");
pub(super) const RECORD_PAYMENT: Script = script!("record_payment");
pub(super) const SETTLE: Script = script!("settle");
pub(super) const STORE_MESSAGE: Script = script!("store_message");

impl Script {
    /// The same script for these accounts.
    pub(super) const fn over(self, first: u32, last: u32) -> Self {
        Self { first, last, ..self }
    }

    /// How often a second the script runs over this number of connections.
    pub(super) fn run(&self, environment: &Environment, connections: u32) -> anyhow::Result<f64> {
        // Both calls block, and must not delay other tasks.
        tokio::task::block_in_place(|| match &environment.database.cluster {
            Some(cluster) => self.pgbench(environment, cluster, connections),
            None => sqlite_loop::measure(environment, self, connections),
        })
    }

    /// Transactions a second on PostgreSQL.
    fn pgbench(&self, environment: &Environment, cluster: &Cluster, connections: u32) -> anyhow::Result<f64> {
        let file = environment.database.folder.path().join(format!("{}.sql", self.name));
        std::fs::write(&file, self.postgres)?;
        // pgbench reads the file, so the server's own user needs no access to it.
        let arguments = [
            "--no-vacuum".to_owned(),
            "--protocol=prepared".to_owned(),
            format!("--client={connections}"),
            format!("--jobs={}", connections.min(2)),
            format!("--time={}", environment.options.span().as_secs()),
            format!("--define=first={}", self.first),
            format!("--define=last={}", self.last),
            format!("--define=answer_bytes={}", self.answer_bytes),
            format!("--file={}", file.display()),
        ];
        let printed = cluster.pgbench(&arguments)?;
        if printed.contains("aborted") {
            bail!("{}: {printed}", self.name);
        }
        let line = printed.lines().find_map(|line| line.strip_prefix("tps = "));
        let number = line.and_then(|rest| rest.split_whitespace().next());
        Ok(number.context("pgbench says how many transactions it did")?.parse()?)
    }
}

/// Creates the tables in which the scripts look up accounts, and runs the database's maintenance after the
/// seeding.
pub(super) fn set_up(cluster: &Cluster, tenants: &Tenants) -> anyhow::Result<()> {
    let mut sql = include_str!("floors/postgres/setup.sql").to_owned();
    for tenant in tenants.all() {
        let hash: String = tenant.hash.iter().map(|byte| format!("{byte:02x}")).collect();
        writeln!(
            sql,
            "INSERT INTO bench_accounts VALUES ({}, '{}', '\\x{hash}', '{}', '{}', '{}');",
            tenant.n, tenant.id, CONTACT, tenant.external_id, tenant.invoice
        )?;
    }
    for (n, (account, invoice)) in (1_u32..).zip(&tenants.open) {
        writeln!(sql, "INSERT INTO bench_invoices VALUES ({n}, '{account}', '{invoice}');")?;
    }
    // One transaction for everything: otherwise each row would wait for the disk.
    cluster.sql(&format!("BEGIN;\n{sql}\nCOMMIT;"))?;
    cluster.sql("VACUUM ANALYZE;")?;
    cluster.sql("CHECKPOINT;").map(drop)
}
