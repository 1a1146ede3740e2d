//! Every store port on SQLite, in one file.
//!
//! The queries are those of both databases, `store-diesel/src/queries/`, compiled for this one; what the
//! databases say in different ways is in `dialect.rs`, beside the connections and the few statements that
//! are SQLite's own. `store-diesel` opens a store by its URL; this crate is for programs that need no other
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

mod claim;
mod claim_key;
mod dialect;
mod file;
mod insert_invoice;
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
