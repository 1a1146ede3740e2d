//! Making connections, and the file that they are to.

use std::fs::OpenOptions;
use std::os::unix::fs::OpenOptionsExt as _;
use std::time::Duration;

use diesel::connection::SimpleConnection as _;
use diesel::{Connection as _, ConnectionError, SqliteConnection};

/// How long SQLite itself waits for a lock that another process has.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// What a connection is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// It may write.
    Writer,
    /// It reads.
    Reader,
}

/// Makes the file, if it is not there, for its owner alone. SQLite gives the files beside it the same mode.
pub(super) fn make_private(path: &str) -> std::io::Result<()> {
    let made = OpenOptions::new()
        .create(true)
        .append(true)
        .mode(0o600)
        .open(path);
    made.map(|_file| ())
}

/// Makes a connection.
pub(super) fn connect(path: &str, role: Role) -> Result<SqliteConnection, ConnectionError> {
    let mut connection = SqliteConnection::establish(path)?;
    // First of all, since the others may already have to wait.
    let busy = format!("PRAGMA busy_timeout = {};", BUSY_TIMEOUT.as_millis());
    // The cache is in KiB. More of it gained nothing that could be measured.
    let rest = "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; \
                PRAGMA temp_store = MEMORY; PRAGMA cache_size = -2048;";
    let own = match role {
        Role::Writer => "",
        Role::Reader => "PRAGMA query_only = ON;",
    };
    for pragmas in [busy.as_str(), rest, own] {
        connection
            .batch_execute(pragmas)
            .map_err(ConnectionError::CouldntSetupConfiguration)?;
    }
    Ok(connection)
}
