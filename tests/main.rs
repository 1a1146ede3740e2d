//! End to end: the real binary, over HTTP, on both databases.
//!
//! The folders mirror the routes. Each test gets its own service on its own database (see [`test_app`]), so
//! tests run side by side and none sees another's records. Tests of PostgreSQL are skipped with a message if
//! there are no binaries.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test that is wrong should stop there; what a failing server logged belongs to the failure"
)]

mod account_pages;
mod authentication;
mod authentication_coverage;
mod backup;
mod bank_details;
mod commands;
mod communications;
mod communications_pages;
mod contacts;
mod crash;
mod doctor;
mod escalations;
mod graceful_shutdown;
mod health;
mod idempotency;
mod invoices;
mod invoicing_pages;
mod isolation;
mod late_body;
mod malformed_requests;
mod metrics;
mod online_payments;
mod page_coverage;
mod partner_accounts;
mod pay_page;
mod payer_forms;
mod quotas;
mod restore;
mod settings;
mod shared_quotas;
mod sign_in;
mod stolen_database;
mod test_app;
mod tls;
#[cfg(feature = "otlp")]
mod traces;
mod webhooks;
