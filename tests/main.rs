//! End to end: the real binary, over HTTP, on both databases.
//!
//! The folders mirror the routes. Each test gets a server of its own on a database of its own (see [`harness`]), so that tests run
//! side by side and none sees another's records. Tests of PostgreSQL are skipped, loudly, where there are no binaries.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test that is wrong should stop there; what a failing server logged belongs to the failure"
)]

mod authentication;
mod backup;
mod commands;
mod contacts;
mod coverage;
mod crash;
mod doctor;
mod escalations;
mod harness;
mod health;
mod hostile;
mod idempotency;
mod invoices;
mod isolation;
mod partner_accounts;
mod quotas;
mod restore;
mod settings;
mod shared_quotas;
mod stolen;
mod stopping;
mod tls;
#[cfg(feature = "otlp")]
mod traces;
mod watching;
mod webhooks;
