//! Connections to the file, and the thread on which their statements run.

use std::error::Error;
use std::fs::OpenOptions;
use std::os::unix::fs::OpenOptionsExt as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use diesel::connection::SimpleConnection as _;
use diesel::{Connection as _, ConnectionError, QueryResult, SqliteConnection};
use diesel_async::sync_connection_wrapper::{SpawnBlocking, SyncConnectionWrapper};
use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, ready};
use tokio::runtime::Handle;

use crate::queued_statements::{ErasedResult, ErasedWork, QueuedStatements, run_caught};

/// A connection for diesel-async.
pub type Connection = SyncConnectionWrapper<SqliteConnection, Executor>;

/// How long to wait for a lock of another process.
pub(crate) const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// What a connection is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Reads and writes.
    Writer,
    /// Only reads.
    Reader {
        /// The maximum size of the page cache, in KiB.
        cache_kib: usize,
    },
}

/// Creates the file with access for its owner alone, if it is missing. SQLite gives the files beside it the
/// same mode.
///
/// # Errors
/// When the file cannot be created.
pub fn create_private_file(path: &str) -> std::io::Result<()> {
    OpenOptions::new().create(true).append(true).mode(0o600).open(path).map(drop)
}

/// Connects to the file.
///
/// # Errors
/// When the file cannot be opened, or is not a database.
pub fn connect(path: &str, role: Role) -> Result<SqliteConnection, ConnectionError> {
    let mut connection = SqliteConnection::establish(path)?;
    // First, because the other pragmas may have to wait for a lock.
    set_busy_timeout(&mut connection, BUSY_TIMEOUT).map_err(ConnectionError::CouldntSetupConfiguration)?;
    let shared = "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; \
                  PRAGMA temp_store = MEMORY;";
    let of_role = match role {
        // What is erased must not be left in free space of the file.
        Role::Writer => "PRAGMA cache_size = -2048; PRAGMA secure_delete = ON;",
        Role::Reader { cache_kib } => &format!("PRAGMA cache_size = -{cache_kib}; PRAGMA query_only = ON;"),
    };
    for pragmas in [shared, of_role] {
        connection.batch_execute(pragmas).map_err(ConnectionError::CouldntSetupConfiguration)?;
    }
    Ok(connection)
}

/// Sets how long SQLite itself waits for a lock. It retries after pauses that grow to 100 ms.
pub(crate) fn set_busy_timeout(connection: &mut SqliteConnection, timeout: Duration) -> QueryResult<()> {
    connection.batch_execute(&format!("PRAGMA busy_timeout = {}", timeout.as_millis()))
}

/// Whether a statement failed because another process holds the lock.
#[must_use]
pub fn is_busy(error: &diesel::result::Error) -> bool {
    says(error, &["database is locked", "database table is locked"])
}

/// Whether a statement failed because the disk is full.
#[must_use]
pub fn is_full(error: &diesel::result::Error) -> bool {
    says(error, &["database or disk is full"])
}

fn says(error: &diesel::result::Error, words: &[&str]) -> bool {
    let diesel::result::Error::DatabaseError(_, info) = error else {
        return false;
    };
    words.iter().any(|words| info.message().contains(words))
}

/// On which thread statements run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Execution {
    /// On the calling thread, which is blocked meanwhile: for statements that find rows by an index.
    CallingThread,
    /// On a blocking thread of the runtime: for statements that may run long. A statement whose future is
    /// dropped runs to its end, but one that has not started when its write transaction ends never runs.
    BlockingThread,
}

/// Runs the statements of a connection. Clones share their [`Execution`].
#[derive(Debug, Clone)]
pub struct Executor {
    blocking_thread: Arc<AtomicBool>,
    queued: Arc<QueuedStatements>,
    runtime: Handle,
}

impl Executor {
    pub(crate) fn new(runtime: Handle) -> Self {
        Self { blocking_thread: Arc::default(), queued: Arc::default(), runtime }
    }

    /// Sets where statements run from now on.
    pub(crate) fn set(&self, execution: Execution) {
        let blocking_thread = execution == Execution::BlockingThread;
        self.blocking_thread.store(blocking_thread, Ordering::Relaxed);
    }

    /// Waits for the statement that runs on a blocking thread. Statements that are queued by then never run.
    pub(crate) fn end_transaction(&self) {
        self.queued.end_transaction();
    }

    fn run(&self, work: ErasedWork) -> BoxFuture<'static, ErasedResult> {
        if !self.blocking_thread.load(Ordering::Relaxed) {
            return ready(run_caught(work)).boxed();
        }
        let (queued, queued_in) = (self.queued.clone(), self.queued.transaction());
        let done = self.runtime.spawn_blocking(move || queued.run(queued_in, work));
        done.map(|done| done?).boxed()
    }
}

impl SpawnBlocking for Executor {
    fn spawn_blocking<'a, R: Send + 'static>(
        &mut self,
        task: impl FnOnce() -> R + Send + 'static,
    ) -> BoxFuture<'a, Result<R, Box<dyn Error + Send + Sync + 'static>>> {
        let done = self.run(Box::new(move || Box::new(task())));
        Box::pin(async move {
            let result = done.await?.downcast::<R>();
            result
                .map(|result| *result)
                .map_err(|_other| "the work of a statement gave something else".into())
        })
    }

    fn get_runtime() -> Self {
        Self::new(Handle::current())
    }
}

#[cfg(test)]
mod tests {
    use diesel::RunQueryDsl as _;
    use diesel::sql_types::{BigInt, Text};

    use super::*;

    #[derive(diesel::QueryableByName)]
    struct CompileOption {
        #[diesel(sql_type = Text)]
        compile_options: String,
    }

    #[test]
    fn sqlite_is_compiled_as_the_workspace_asks() {
        let mut connection = connect(":memory:", Role::Writer).unwrap();
        let options: Vec<CompileOption> =
            diesel::sql_query("PRAGMA compile_options").load(&mut connection).unwrap();
        let has = |wanted: &str| options.iter().any(|option| option.compile_options == wanted);
        for wanted in ["ENABLE_QPSG", "THREADSAFE=2", "DEFAULT_MEMSTATUS=0"] {
            assert!(has(wanted), "{wanted}");
        }
        assert!(!has("ENABLE_MEMORY_MANAGEMENT"));
    }

    #[derive(diesel::QueryableByName)]
    struct Durability {
        #[diesel(sql_type = Text)]
        journal_mode: String,
        #[diesel(sql_type = BigInt)]
        synchronous: i64,
    }

    #[test]
    fn commit_of_a_writer_is_durable() {
        let (_guard, url) = testkit::sqlite::temporary();
        let path = url.strip_prefix("sqlite://").unwrap();
        let mut connection = connect(path, Role::Writer).unwrap();
        let query = "SELECT journal_mode, synchronous FROM pragma_journal_mode, pragma_synchronous";
        let durability: Durability = diesel::sql_query(query).get_result(&mut connection).unwrap();
        // 2 is FULL: a commit ends when the log is on the disk.
        assert_eq!((durability.journal_mode.as_str(), durability.synchronous), ("wal", 2));
    }

    #[test]
    fn deleted_text_is_not_left_in_the_file() {
        let (_guard, url) = testkit::sqlite::temporary();
        let path = url.strip_prefix("sqlite://").unwrap();
        let mut connection = connect(path, Role::Writer).unwrap();
        // Longer than a page, so that it has pages of its own.
        let text = "Analytical engine".repeat(1_000);
        connection.batch_execute("CREATE TABLE notes (text TEXT)").unwrap();
        let is_in_the_file = |connection: &mut SqliteConnection| {
            connection.batch_execute("PRAGMA wal_checkpoint(TRUNCATE)").unwrap();
            std::fs::read(path).unwrap().windows(6).any(|bytes| bytes == b"engine")
        };
        for change in ["DELETE FROM notes", "UPDATE notes SET text = ''"] {
            connection.batch_execute(&format!("INSERT INTO notes VALUES ('{text}')")).unwrap();
            assert!(is_in_the_file(&mut connection));
            connection.batch_execute(change).unwrap();
            assert!(!is_in_the_file(&mut connection), "{change}");
        }
    }

    #[test]
    fn a_file_that_has_no_room_to_grow_is_full() {
        let mut connection = connect(":memory:", Role::Writer).unwrap();
        connection.batch_execute("PRAGMA max_page_count = 2; CREATE TABLE notes (text TEXT)").unwrap();
        let refused = connection.batch_execute("INSERT INTO notes VALUES (zeroblob(100000))").unwrap_err();
        assert!(is_full(&refused) && !is_busy(&refused), "{refused}");
    }
}
