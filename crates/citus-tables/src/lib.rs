//! The service's tables on a Citus cluster.
//!
//! Citus distributes tables over several PostgreSQL servers: the rows of one account are on one of them, and
//! small tables are complete on each. This crate lists the placement of each table, distributes tables with
//! their rows, applies migrations to distributed tables, reports misplaced tables ([`faults`]), and computes
//! the hash by which a cluster divides accounts ([`uuid_hash`]).
//!
//! Only one caller at a time may run [`up`] or [`down`], for example under an advisory lock.
//!
//! ```no_run
//! use citus_tables::Migration;
//! use diesel_async::{AsyncConnection as _, AsyncPgConnection};
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let mut connection = AsyncPgConnection::establish("postgres://user@localhost/db").await?;
//! let migration = Migration {
//!     name: "0001_promises",
//!     up: "CREATE TABLE promises (account_id uuid, id uuid, PRIMARY KEY (account_id, id))",
//!     down: "DROP TABLE promises",
//! };
//! citus_tables::up(&mut connection, &[migration]).await?;
//! assert!(citus_tables::faults(&mut connection, true).await?.is_empty());
//! # Ok(())
//! # }
//! ```

mod distribute;
mod migrations;
mod new_table;
mod placement;
mod statements;
mod tables;
mod uuid_hash;

pub use migrations::{Migration, down, up};
pub use placement::faults;
pub use uuid_hash::uuid_hash;
