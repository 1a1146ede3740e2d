//! Every query of the service, written once and compiled for each database.
//!
//! `postgres/` and `sqlite/` each take this folder in as a module of their own; `super` is then the database's side, which
//! brings the connection, its pool, and the few statements that differ.

use super::{claim, claim_key, dialect, listen, load_invoice, migrations, pool, publish};

mod account_reads;
mod accounts;
mod bulk;
mod calendar;
mod checkup;
mod contact_reads;
pub(super) mod contacts;
mod credentials;
mod deliveries;
mod delivery_log;
mod delivery_signal;
mod endpoint_reads;
mod endpoints;
mod escalations;
mod events;
pub(super) mod invoice_reads;
mod invoices;
mod keys;
mod lease;
mod ledger_tasks;
mod letterheads;
mod logins;
mod logos;
mod numbers;
mod operator;
mod outbox;
mod outgoing_mail;
mod prune;
mod publication;
mod queues;
mod replay;
mod sealed_secrets;
pub(super) mod sequence;
mod settle;
pub(super) mod stored_responses;
mod sweep;
pub(super) mod transaction;
mod unit_of_work;
mod update_invoice;
mod upkeep;

use std::sync::Arc;

pub(super) use lease::Lease;
pub(super) use publication::Publication;

use crate::delivery_notifier::DeliveryNotifier;
use crate::in_flight_keys::InFlightKeys;
use crate::open::Announce;
use crate::store::Store;
use delivery_signal::Listening;

/// The database behind every port.
#[derive(Clone)]
pub(super) struct Database {
    pool: pool::Pool,
    in_flight_keys: InFlightKeys,
    delivery_notifier: DeliveryNotifier,
    listening: Arc<Listening>,
}

/// The ports over a pool.
pub(super) fn store(pool: pool::Pool, announce: Announce) -> Store {
    ports(Database {
        pool,
        in_flight_keys: InFlightKeys::default(),
        delivery_notifier: DeliveryNotifier::new(announce),
        listening: Arc::default(),
    })
}

fn ports(database: Database) -> Store {
    let database = Arc::new(database);
    Store {
        for_thread: {
            let database = database.clone();
            Arc::new(move || {
                ports(Database {
                    pool: database.pool.for_thread(),
                    ..Database::clone(&database)
                })
            })
        },
        credentials: database.clone(),
        contacts: database.clone(),
        contact_reads: database.clone(),
        invoicing: database.clone(),
        invoice_reads: database.clone(),
        calendar: database.clone(),
        mail_queue: database.clone(),
        ledger_tasks: database.clone(),
        endpoints: database.clone(),
        deliveries: database.clone(),
        delivery_signal: database.clone(),
        delivery_log: database.clone(),
        sealed_secrets: database.clone(),
        answers: database.clone(),
        provisioning: database.clone(),
        account_reads: database.clone(),
        logins: database.clone(),
        logo_removals: database.clone(),
        escalations: database.clone(),
        escalation_reads: database.clone(),
        operator: database.clone(),
        queues: database.clone(),
        upkeep: database.clone(),
        checkup: database.clone(),
        bulk: database,
    }
}
