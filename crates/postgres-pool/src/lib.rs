//! PostgreSQL connections for a server that runs one single-threaded runtime in each of its threads.
//!
//! - [`Pool`] opens connections on demand and lends them. Some are shared by all threads.
//!   [`Pool::for_thread`] gives a serving thread its own copy of the pool with a [`PerThreadPool`]:
//!   connections whose sockets that thread's runtime drives, so that a statement costs no change of thread.
//! - [`PooledConnection`] is a lent connection. It knows whether it is inside a statement or a transaction,
//!   and so whether it may go back to the pool. `BEGIN` is sent without waiting for its response. `COMMIT`
//!   takes last statements along in the same round trip. A roll-back runs in the background and then
//!   releases a guard.
//! - [`PipelinedConnection`] is one connection of a serving thread that several short queries use at the same
//!   time: each is sent without waiting for the responses to those before it.
//!
//! Statements are diesel's, run by diesel-async. TLS is rustls and follows libpq's `sslmode`: `require`
//! encrypts and accepts any certificate; `verify-ca` and `verify-full` check chain and name against the
//! system's authorities, or those of `sslrootcert` in their place, and those of
//! [`PoolOptions::extra_ca_file`]; `prefer` is the default and encrypts if the server can.
//!
//! ```no_run
//! use diesel::sql_types::Text;
//! use diesel_async::RunQueryDsl as _;
//! use postgres_pool::{Pool, PoolOptions};
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let pool = Pool::new("postgres://user:password@localhost/db", &PoolOptions::default())?;
//!
//! // In each serving thread, inside its runtime:
//! let pool = pool.for_thread();
//! let mut connection = pool.get().await?;
//! connection.begin()?;
//! let inserted = diesel::sql_query("INSERT INTO notes (text) VALUES ('one')")
//!     .execute(connection.start_statement())
//!     .await;
//! connection.end_statement();
//! inserted?;
//! let last = diesel::sql_query("INSERT INTO notes (text) VALUES ($1)").bind::<Text, _>("two");
//! connection.commit(vec![Box::new(last)]).await?;
//! # Ok(())
//! # }
//! ```

mod address;
mod connect;
mod failures;
mod last_statement;
mod options;
mod per_thread;
mod pipelined;
mod pool;
mod pooled;
mod servers_of_thread;
mod tls;

pub use address::check_url;
pub use failures::{is_contention, is_outage};
pub use last_statement::LastStatement;
pub use options::{ConfigError, PoolOptions};
pub use per_thread::PerThreadPool;
pub use pipelined::{PipelinedConnection, PipelinedQuery};
pub use pool::{GetError, Pool, PoolStatus, ShortQueryConnection};
pub use pooled::PooledConnection;
pub use servers_of_thread::ServersOfThread;
