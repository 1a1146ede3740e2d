//! The shard of an account: the parts of the distributed tables that have its rows, as tables of one worker.
//!
//! A worker takes a statement on a distributed table apart, finds the shard, writes the statement anew with
//! the shard's names, and parses and plans that, each time it runs. On the shard's own names a prepared
//! statement is planned once. Such a statement asks in the same snapshot whether the shard is still the
//! worker's; where it is not, it finds nothing, and the distributed table is asked.

use std::sync::OnceLock;

use diesel::QueryResult;

/// The tables of which statements use the parts.
pub(super) const TABLES: [&str; 3] = ["invoices", "line_items", "payments"];

/// The shard of an account.
pub(super) struct Shard {
    /// Of each table, in the order of [`TABLES`].
    pub(super) ids: [i64; 3],
    invoice_text: OnceLock<String>,
}

impl Shard {
    pub(super) const fn new(ids: [i64; 3]) -> Self {
        Self { ids, invoice_text: OnceLock::new() }
    }

    /// The name of a table's part.
    pub(super) fn name_of(&self, table: &str) -> String {
        let id = TABLES.iter().zip(self.ids).find(|(name, _)| **name == table).map_or(0, |(_, id)| id);
        format!("{table}_{id}")
    }

    /// Whether the server has the shard.
    pub(super) fn is_here(&self) -> String {
        let [first, ..] = self.ids;
        format!(
            "EXISTS (SELECT FROM pg_dist_placement AS placed WHERE placed.shardid = {first} \
             AND placed.groupid = (SELECT groupid FROM pg_dist_local_group))"
        )
    }

    /// The statement that loads an invoice of it, which is written at its first use.
    pub(super) fn invoice_text(&self, write: fn(&Self) -> QueryResult<String>) -> QueryResult<&str> {
        if let Some(text) = self.invoice_text.get() {
            return Ok(text);
        }
        let text = write(self)?;
        Ok(self.invoice_text.get_or_init(|| text))
    }
}
