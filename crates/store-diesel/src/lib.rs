//! Every store port of the service, on PostgreSQL and on SQLite.
//!
//! A query is written once and compiled for each database; what the databases say in different ways is in one
//! small file each (`dialect.rs`). Rows are private: what comes out are the domain's own types, and a row
//! that they cannot mean is an error that says where it stands.
//!
//! ```
//! use partner_accounts::Partner;
//! use store_diesel::{Kind, StoreOptions};
//!
//! # tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap().block_on(async {
//! let (_guard, url) = testkit::sqlite::temporary();
//! let store = store_diesel::open(&url, &StoreOptions::default()).await.unwrap();
//! assert_eq!(store.upkeep.kind(), Kind::Sqlite);
//! assert!(store.upkeep.migrate_up().await.unwrap().pending.is_empty());
//! assert!(!store.upkeep.has_partners().await.unwrap());
//! # });
//! ```
#![cfg_attr(
    all(feature = "postgres", feature = "sqlite"),
    expect(clippy::duplicate_mod, reason = "the queries are written once and compiled for each database")
)]

mod delivery_notifier;
mod errors;
mod in_flight_keys;
mod json_rows;
mod layout;
mod migrations;
mod open;
mod options;
mod ports;
#[cfg(feature = "postgres")]
mod postgres;
mod rows;
mod schema;
#[cfg(feature = "sqlite")]
mod sqlite;
mod store;
mod types;
mod written_once;

pub use layout::Layout;
pub use open::{check_url, open};
pub use options::{Announce, OpenError, StoreOptions};
pub use ports::{BulkLoad, Checkup, Kind, MetadataKey, Migrations, PoolStatus, QueueFigures, Queues, Upkeep};
#[cfg(feature = "sqlite")]
pub use sqlite::file::{EmbeddedFile, FileError, Findings};
pub use store::Store;
