//! The SQL of the store that is PostgreSQL's own.

mod account_hash;
mod claim;
mod claim_key;
mod dialect;
mod distribute;
mod insert_invoice;
mod listen;
mod load_invoice;
mod migrations;
pub(crate) mod open;
mod own_copies;
mod placement;
mod pool;
mod pooled;
mod publish;
#[path = "../queries/mod.rs"]
mod queries;
mod rehearsal;
mod shard;
mod statements;
mod steps;
mod workers;
