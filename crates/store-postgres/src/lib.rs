//! Every store port on PostgreSQL, and on a Citus cluster.
//!
//! The queries are those in `store-diesel/src/queries/`, compiled for PostgreSQL. The SQL that differs
//! between the databases is in `dialect.rs`; this crate also has the connections and the few statements that
//! only PostgreSQL uses. `store-diesel` opens a store by its URL; this crate is for programs that need no
//! other database.
//!
//! ```no_run
//! use store_schema::options::StoreOptions;
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let store = store_postgres::open("postgres://user:password@localhost/db", &StoreOptions::default())?;
//! store.upkeep.migrate_up().await?;
//! # Ok(())
//! # }
//! ```

mod claim_key;
mod dialect;
mod insert_invoice;
mod lease_deliveries;
mod listen;
mod load_invoice;
mod migrations;
mod open;
mod own_copies;
mod pool;
mod pooled;
mod publish;
#[path = "../../store-diesel/src/queries/mod.rs"]
mod queries;
mod shard;
mod worker_nodes;

pub use open::open;
