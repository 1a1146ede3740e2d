//! The routes under /invoices.

mod amend;
mod cancel;
mod create;
mod dates;
mod list;
mod money;
mod numbers;
mod pay;
mod pdf;
mod plan;
mod send;
