//! The floor of the database: the statements of a request and nothing else.

use std::time::Duration;

use super::environment::Environment;
use super::{pgbench, sqlite_loop};

/// Statements that do durably what a kind of request must do, in both dialects, and for whom.
#[derive(Debug, Clone, Copy)]
pub(super) struct Script {
    pub(super) name: &'static str,
    pub(super) postgres: &'static str,
    pub(super) sqlite: &'static str,
    /// The accounts (of a payment, the invoices) that it is spread over, by their numbers.
    pub(super) first: u32,
    pub(super) last: u32,
    /// How long the stored response is.
    pub(super) answer_bytes: usize,
}

impl Script {
    /// For these accounts.
    pub(super) const fn over(mut self, first: u32, last: u32) -> Self {
        self.first = first;
        self.last = last;
        self
    }

    const fn new(name: &'static str, postgres: &'static str, sqlite: &'static str) -> Self {
        Self { name, postgres, sqlite, first: 1, last: super::tenants::ACCOUNTS, answer_bytes: 1_000 }
    }

    /// How often a second it is done over so many connections.
    pub(super) async fn run(
        self,
        environment: &Environment,
        connections: u32,
        span: Duration,
    ) -> anyhow::Result<f64> {
        // Both block, and neither may hold up the tasks beside it.
        tokio::task::block_in_place(|| match &environment.cluster {
            Some(cluster) => pgbench::run(cluster, environment.folder(), &self, connections, span),
            None => sqlite_loop::measure(environment, &self, connections, span),
        })
    }
}

pub(super) const GET_INVOICE: Script = Script::new(
    "get_invoice",
    include_str!("floors/postgres/get_invoice.sql"),
    include_str!("floors/sqlite/get_invoice.sql"),
);
pub(super) const LIST_INVOICES: Script = Script::new(
    "list_invoices",
    include_str!("floors/postgres/list_invoices.sql"),
    include_str!("floors/sqlite/list_invoices.sql"),
);
pub(super) const CREATE_INVOICE: Script = Script::new(
    "create_invoice",
    include_str!("floors/postgres/create_invoice.sql"),
    include_str!("floors/sqlite/create_invoice.sql"),
);
pub(super) const CREATE_INVOICE_NEW_CONTACT: Script = Script::new(
    "create_invoice_new_contact",
    include_str!("floors/postgres/create_invoice_new_contact.sql"),
    include_str!("floors/sqlite/create_invoice_new_contact.sql"),
);
pub(super) const REUSE_CONTACT: Script = Script::new(
    "reuse_contact",
    include_str!("floors/postgres/reuse_contact.sql"),
    include_str!("floors/sqlite/reuse_contact.sql"),
);
pub(super) const LOOK_UP_ACCOUNT: Script = Script::new(
    "look_up_account",
    include_str!("floors/postgres/look_up_account.sql"),
    include_str!("floors/sqlite/look_up_account.sql"),
);
pub(super) const UNKNOWN_KEY: Script = Script::new(
    "unknown_key",
    include_str!("floors/postgres/unknown_key.sql"),
    include_str!("floors/sqlite/unknown_key.sql"),
);
pub(super) const RECORD_PAYMENT: Script = Script::new(
    "record_payment",
    include_str!("floors/postgres/record_payment.sql"),
    include_str!("floors/sqlite/record_payment.sql"),
);
