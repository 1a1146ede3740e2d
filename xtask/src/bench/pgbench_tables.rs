//! The tables in which the scripts of pgbench look up accounts.

use std::fmt::Write as _;

use super::tenants::{CONTACT, Tenants};
use crate::fixtures::cluster::Cluster;

/// Creates the tables, and runs the database's maintenance after the seeding.
pub(super) fn create(cluster: &Cluster, tenants: &Tenants) -> anyhow::Result<()> {
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
