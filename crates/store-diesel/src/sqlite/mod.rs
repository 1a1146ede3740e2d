//! The store on SQLite.

mod claim;
mod claim_key;
mod dialect;
pub(crate) mod file;
mod insert_invoice;
mod listen;
mod load_invoice;
mod migrations;
pub(crate) mod open;
mod pool;
mod pooled;
mod publish;
#[path = "../queries/mod.rs"]
mod queries;
