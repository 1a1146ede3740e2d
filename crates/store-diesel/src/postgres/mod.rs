//! The SQL of the store that is PostgreSQL's own.

mod claim;
mod claim_key;
mod dialect;
mod insert_invoice;
mod listen;
mod load_invoice;
mod migrations;
pub(crate) mod open;
mod own_copies;
mod pool;
mod pooled;
mod publish;
#[path = "../queries/mod.rs"]
mod queries;
mod shard;
mod workers;
