//! What the ports promise, kept on both databases: every test here is written once and runs on each.

mod accounts;
mod answers;
mod bulk;
mod claims;
mod contacts;
mod credentials;
mod ground;
mod inconsistent;
mod invoice_list;
mod invoices;
mod keys;
mod make;
mod numbers;
mod operator;
mod plans;
mod round_trips;
mod transactions;
mod upkeep;
mod use_cases;
