//! One SQLite file: a single writer with group commit, and concurrent readers.
//!
//! SQLite has one writer at a time. Here a queue in the process decides which transaction writes next,
//! instead of retries inside the database. Readers never wait for the writer (write-ahead log).
//!
//! **Group commit.** The slow part of a write is the flush of its COMMIT to the disk (`synchronous = FULL`).
//! Transactions that wait for the writer therefore share one COMMIT: each is a savepoint of one SQLite
//! transaction, up to sixteen, and [`WriteTransaction::commit`] returns when the shared COMMIT is on the
//! disk. A member that rolls back undoes only its own savepoint. If the COMMIT fails, it fails for all.
//!
//! **Reads of uncommitted data.** A transaction that joins a group reads uncommitted writes of earlier
//! members. If it commits, it is committed together with them, and its result can be trusted. If it rolls
//! back, its result may depend on a COMMIT that fails later: [`WriteTransaction::sees_uncommitted`] reports
//! this, and such work must be repeated with [`Begin::NewGroup`].
//!
//! **Short reads.** Beginning and ending a snapshot takes a lock that all threads of the process share. Reads
//! that requests of one thread ask for at the same time ([`Readers::read_short`]) run in one snapshot.
//!
//! **Threads.** Statements run on the calling thread ([`Execution::CallingThread`]), since passing them to
//! another thread costs more than most of them do; statements that may run long use a blocking thread of the
//! runtime ([`Execution::BlockingThread`]). A finished transaction passes the connection directly to the next
//! one that joins. The writer's own thread waits for locks of other processes, and runs COMMIT.
//!
//! ```
//! use std::time::Duration;
//!
//! use diesel::connection::SimpleConnection;
//! use sqlite_writer::{Begin, Execution, Writer};
//!
//! # tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap().block_on(async {
//! # let (_guard, url) = testkit::sqlite::temporary();
//! # let path = url.strip_prefix("sqlite://").unwrap();
//! let writer = Writer::start(path, Duration::from_secs(5)).unwrap();
//! let mut transaction = writer.begin(Begin::JoinGroup, Execution::CallingThread).await.unwrap();
//! let connection = transaction.connection().unwrap();
//! let work = |connection: &mut diesel::SqliteConnection| {
//!     connection.batch_execute("CREATE TABLE notes (text TEXT); INSERT INTO notes VALUES ('kept')")
//! };
//! connection.spawn_blocking(work).await.unwrap();
//! let last = |connection: &mut diesel::SqliteConnection| {
//!     connection.batch_execute("INSERT INTO notes VALUES ('kept with it, or neither is')")
//! };
//! transaction.commit(Some(Box::new(last)), None).await.unwrap();
//! # });
//! ```

mod begin;
mod commit_group;
mod connection;
mod connector;
mod queued_statements;
mod readers;
mod short_reads;
mod thread_reader;
mod write_transaction;
mod writer;
mod writer_thread;

pub use begin::{Begin, BeginError};
pub use commit_group::{LastStatement, MAX_GROUP, TransactionGuard};
pub use connection::{Connection, Execution, Executor, Role, connect, create_private_file, is_busy, is_full};
pub use readers::{ReadError, Reader, Readers, ReadersStatus};
pub use short_reads::in_snapshot;
pub use write_transaction::WriteTransaction;
pub use writer::Writer;
