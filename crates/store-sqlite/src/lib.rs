//! Every store port on SQLite, in one file.
//!
//! The queries are those in `store-diesel/src/queries/`, compiled for SQLite. The SQL that differs between
//! the databases is in `dialect.rs`; this crate also has the connections and the few statements that only
//! SQLite uses. `store-diesel` opens a store by its URL; this crate is for programs that need no other
//! database.
//!
//! ```
//! use store_schema::options::StoreOptions;
//!
//! # tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap().block_on(async {
//! # let (_guard, url) = testkit::sqlite::temporary();
//! # let path = url.strip_prefix("sqlite://").unwrap();
//! let store = store_sqlite::open(path, &StoreOptions::default()).await.unwrap();
//! assert!(store.upkeep.migrate_up().await.unwrap().pending.is_empty());
//! # });
//! ```

mod claim_key;
mod dialect;
mod file;
mod insert_invoice;
mod lease_deliveries;
mod listen;
mod load_invoice;
mod migrations;
mod open;
mod pool;
mod pooled;
mod publish;
#[path = "../../store-diesel/src/queries/mod.rs"]
mod queries;

pub use file::{EmbeddedFile, FileError, Findings};
pub use open::{check_path, open};
