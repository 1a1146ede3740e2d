//! How a transaction begins, and why it could not.

use diesel::ConnectionError;
use diesel::result::Error;

/// How a transaction begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Begin {
    /// Without a transaction: each statement is committed by itself.
    Autocommit,
    /// After all earlier transactions are committed. Later ones may join it.
    NewGroup,
    /// In the open group, if there is one: the transaction may see uncommitted data.
    JoinGroup,
}

/// Why a transaction could not begin.
#[derive(Debug, thiserror::Error)]
pub enum BeginError {
    /// The connection did not become free in time.
    #[error("timed out waiting for the writing connection")]
    TimedOut,
    /// The file cannot be opened.
    #[error("cannot connect to the database")]
    Connect(#[from] ConnectionError),
    /// BEGIN failed, for example because another process has been writing for too long.
    #[error("cannot begin to write")]
    Begin(#[from] Error),
    /// The writer's thread has ended.
    #[error("the writer's thread has ended")]
    Ended,
}
