//! The routes under /invoices.

mod create;
mod dates;
mod list;
mod money;
mod numbers;
mod read;
mod plan;
