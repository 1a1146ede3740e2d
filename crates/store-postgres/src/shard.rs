//! The shard of an account: the tables on one worker node that hold its rows of the distributed tables.
//!
//! For a statement on a distributed table, a node at each execution parses the statement, finds the shard,
//! rewrites the statement with the shard's table names, and parses and plans the result. With the shard's own
//! table names, a prepared statement is planned once. Such a statement also checks, in the same snapshot,
//! whether the shard is still on the node; if it is not, the statement finds nothing, and the distributed
//! table is read.

use std::sync::OnceLock;

use diesel::QueryResult;

/// The tables whose shards are named in statements.
pub(super) const TABLES: [&str; 3] = ["invoices", "line_items", "payments"];

/// The shard of an account.
pub(super) struct Shard {
    /// The shard id of each table, in the order of [`TABLES`].
    pub(super) ids: [i64; 3],
    invoice_text: OnceLock<String>,
}

impl Shard {
    pub(super) const fn new(ids: [i64; 3]) -> Self {
        Self { ids, invoice_text: OnceLock::new() }
    }

    /// The name of the shard of a table.
    pub(super) fn name_of(&self, table: &str) -> String {
        let id = TABLES.iter().zip(self.ids).find(|(name, _)| **name == table).map_or(0, |(_, id)| id);
        format!("{table}_{id}")
    }

    /// The condition that the server has the shard.
    pub(super) fn is_here(&self) -> String {
        let [first, ..] = self.ids;
        format!(
            "EXISTS (SELECT FROM pg_dist_placement AS placed WHERE placed.shardid = {first} \
             AND placed.groupid = (SELECT groupid FROM pg_dist_local_group))"
        )
    }

    /// The statement that loads an invoice of this shard; `write` builds it at the first use.
    pub(super) fn invoice_text(&self, write: fn(&Self) -> QueryResult<String>) -> QueryResult<&str> {
        if let Some(text) = self.invoice_text.get() {
            return Ok(text);
        }
        let text = write(self)?;
        Ok(self.invoice_text.get_or_init(|| text))
    }
}
