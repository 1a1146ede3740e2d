//! Every query of the service, written once and compiled for each database.
//!
//! `postgres/` and `sqlite/` each include this folder as a module of their own; `super` is then the
//! database's side, with the connection, its pool, and the few statements that differ.

use super::{
    claim, claim_key, dialect, insert_invoice, listen, load_invoice, migrations, pool, pooled, publish,
};

mod account_reads;
mod accounts;
mod bulk;
mod calendar;
mod checkup;
pub(super) mod claim_statement;
pub(super) mod contact_lookup;
mod contact_reads;
mod contacts;
mod credentials;
mod database;
mod deliveries;
mod delivery_log;
mod delivery_signal;
mod endpoint_reads;
mod endpoints;
mod escalations;
mod events;
pub(super) mod invoice_page;
mod invoice_reads;
mod invoices;
mod jobs;
mod keys;
mod letterheads;
mod listening;
mod logins;
mod logos;
mod numbers;
mod operator;
mod payer_reads;
pub(super) mod pooled_connection;
pub(super) mod ports;
mod prune;
pub(super) mod publication;
pub(super) mod purpose;
mod queues;
mod record_deliveries;
mod replay;
mod sealed_secrets;
pub(super) mod sequence;
mod stored_responses;
mod sweep;
pub(super) mod transaction;
mod unit_of_work;
mod update_invoice;
mod upkeep;
