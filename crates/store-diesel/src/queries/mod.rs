//! Every query of the service, written once and compiled for each database.
//!
//! `postgres/` and `sqlite/` each take this folder in as a module of their own; `super` is then the database's side, which
//! brings the connection, its pool, and the few statements that differ.

use super::{dialect, migrations, pool};

mod account_reads;
mod accounts;
mod answers;
mod bulk;
mod calendar;
mod checkup;
mod contact_reads;
mod contacts;
mod credentials;
mod events;
mod invoice_reads;
mod invoices;
mod keys;
mod lease;
mod ledger_tasks;
mod letterheads;
mod numbers;
mod operator;
mod outgoing_mail;
mod sequence;
mod transaction;
mod unit_of_work;
mod upkeep;

use std::sync::Arc;

pub(super) use lease::Lease;

use crate::Store;
use crate::holds::Holds;

/// The database behind every port.
pub(super) struct Database {
    pool: pool::Pool,
    holds: Holds,
}

/// The ports over a pool.
pub(super) fn store(pool: pool::Pool) -> Store {
    let database = Arc::new(Database {
        pool,
        holds: Holds::default(),
    });
    Store {
        credentials: database.clone(),
        contacts: database.clone(),
        contact_reads: database.clone(),
        invoicing: database.clone(),
        invoice_reads: database.clone(),
        calendar: database.clone(),
        mail_queue: database.clone(),
        ledger_tasks: database.clone(),
        answers: database.clone(),
        provisioning: database.clone(),
        account_reads: database.clone(),
        operator: database.clone(),
        upkeep: database.clone(),
        checkup: database.clone(),
        bulk: database,
    }
}
