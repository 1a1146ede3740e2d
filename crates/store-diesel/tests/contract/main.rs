//! The contract of the ports, tested on both databases: every test is written once and runs on each.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test that is wrong should stop there; what it measured is for those who ask with --nocapture"
)]

mod accounts;
mod bank_details;
mod bulk;
mod checkup;
mod claims;
mod communications;
mod contact_list;
mod contacts;
mod corrections;
mod credentials;
mod database;
mod debits;
mod distribution;
mod due_dates;
mod embedded_file;
mod erased_meanwhile;
mod erased_traces;
mod erasure;
mod escalations;
mod faulty_accounts;
mod fixtures;
mod form_submissions;
mod gateway_keys;
mod gateway_locks;
mod invitations;
mod invoice_list;
mod invoice_search;
mod invoices;
mod job_leases;
mod jobs;
mod keys;
mod life;
mod list_plans;
mod logos;
mod many_rows;
mod messages;
mod numbers;
mod online_payments;
mod operator;
mod overtaken_attempts;
mod overview;
mod own_account;
mod owner_settings;
mod password_reset;
mod payer_reads;
mod payment_page;
mod pipelining;
mod plans;
mod polling;
mod promises;
mod provisioning;
mod queues;
mod recorded_mail;
mod refunds;
mod reminder_attempts;
mod reminders;
mod round_trips;
mod routing;
mod sandbox_off;
mod sessions;
mod shared_numbers;
mod sign_in;
mod small_selections;
mod small_tables;
mod stored_responses;
mod stored_values;
mod stub_gateway;
mod timeline;
mod transactions;
mod unread_messages;
mod upkeep;
mod use_cases;
mod webhook_deliveries;
