//! Every query of the service, written once and compiled for each database.
//!
//! `store-postgres` and `store-sqlite` each include this folder as a module of their own. In it, `crate` is
//! the database's crate, with the connection, its pool, and the few statements that differ.
//!
//! A query selects [`columns_of`](columns::columns_of) a row. `fetch_all`, `fetch_optional`, `fetch_one` and
//! `execute` run it, on a connection or in a transaction (`run_statements`). What several ports read in the
//! same way has one free function for all conditions (`whole_accounts`, `message_reads`), because the
//! compiler proves diesel's trait bounds for a wide row anew in each function with its own lifetimes, as
//! `async_trait` makes them.

mod abandoned;
mod account_reads;
mod accounts;
mod audit;
mod audit_entry;
mod bank_details;
mod boxed_statement;
mod bulk;
mod bulk_replay;
mod checkup;
pub(super) mod claim_statement;
pub(super) mod columns;
mod contact_addresses;
pub(super) mod contact_lookup;
mod contact_reads;
mod contact_search;
mod contact_words;
mod contacts;
mod credentials;
mod database;
mod deliveries;
mod delivery_signal;
mod delivery_store;
mod due_dates;
mod endpoint_reads;
mod endpoints;
mod erasure;
mod escalations;
mod events;
pub(super) mod faulty_accounts;
mod finish_lost;
mod form_submissions;
mod gateway_accounts;
mod id_lists;
mod inbox;
pub(super) mod insert_job;
mod invitations;
pub(super) mod invoice_page;
mod invoice_reads;
mod invoices;
mod jobs;
mod key_uses;
mod keys;
mod keyset;
pub(super) mod last_rows;
mod letterheads;
mod listening;
mod login_records;
mod logos;
mod message_reads;
mod message_retention;
mod messages;
mod numbers;
mod old_rows;
mod online_payments;
mod online_reads;
mod operator;
mod overview;
mod own_account;
mod owner_settings;
pub(super) mod partitions;
mod payer_reads;
mod payment_page_history;
mod payment_settings;
pub(super) mod pooled_connection;
pub(super) mod ports;
mod preferences;
mod promises;
mod prune_deliveries;
pub(super) mod publication;
pub(super) mod purpose;
mod queues;
mod record_deliveries;
mod record_outcome;
mod reminder_account;
mod reminder_facts;
mod reminders;
mod replay;
pub(super) mod run_statements;
mod sandbox_records;
mod sealed_second_factors;
mod sealed_secrets;
pub(super) mod seen_by_payers;
pub(super) mod sequence;
mod sessions;
mod stored_responses;
mod timeline;
pub(super) mod transaction;
mod unaccounted;
mod unit_of_work;
mod unread;
mod update_invoice;
mod update_message;
pub(super) mod update_paid;
mod upkeep;
mod whole_accounts;
