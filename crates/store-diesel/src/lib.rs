//! Every store port of the service, on PostgreSQL and on SQLite.
//!
//! Each query is written once, in `src/queries/`, and compiled by `store-postgres` and by `store-sqlite`,
//! which the features `postgres` and `sqlite` enable. The SQL that differs between the databases is in one
//! small file of each (`dialect.rs`). The schema and the rows are in `store-schema`.
//!
//! ```
//! use partner_accounts::Partner;
//! use store_diesel::{DatabaseKind, StoreOptions};
//!
//! # tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap().block_on(async {
//! let (_guard, url) = testkit::sqlite::temporary();
//! let store = store_diesel::open(&url, &StoreOptions::default()).await.unwrap();
//! assert_eq!(store.upkeep.kind(), DatabaseKind::Sqlite);
//! assert!(store.upkeep.migrate_up().await.unwrap().pending.is_empty());
//! # });
//! ```

mod open;

pub use open::{check_url, open};
pub use store_schema::layout::Layout;
pub use store_schema::options::{Announce, OpenError, StoreOptions};
pub use store_schema::ports::{
    BulkLoad, Checkup, DatabaseKind, MetadataKey, Migrations, PoolStatus, QueueFigures, Queues, Upkeep,
};
pub use store_schema::store::Store;
#[cfg(feature = "sqlite")]
pub use store_sqlite::{EmbeddedFile, FileError, Findings};
