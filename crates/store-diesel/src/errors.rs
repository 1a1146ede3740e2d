//! From the databases' errors to [`StoreError`].
//!
//! diesel passes on a kind and a message, no SQLSTATE. Messages are matched in English: with another
//! `lc_messages` on PostgreSQL a deadlock is reported as a failure instead of being retried.

use deadpool::managed::PoolError;
use diesel::result::DatabaseErrorKind as Kind;
use diesel::result::Error;
use kernel::StoreError;

/// Conflicts with another transaction: the whole transaction may be retried.
const CONTENDED: [&str; 6] = [
    "deadlock detected",
    "could not serialize access",
    "lock timeout",
    "could not obtain lock",
    "database is locked",
    "database table is locked",
];

/// The server is stopping, starting or out of connections, or there is no room on a disk.
const UNAVAILABLE: [&str; 9] = [
    "terminating connection",
    "the database system is",
    "too many connections",
    "connection slots are reserved",
    "statement timeout",
    "idle-in-transaction timeout",
    // A worker of a cluster is away.
    "connection to the remote node",
    // In the words of SQLite, and of the operating system as PostgreSQL repeats them.
    "database or disk is full",
    "No space left on device",
];

/// The error of a failed statement.
pub(crate) fn store_error(error: Error) -> StoreError {
    match &error {
        _ if is_contention(&error) => StoreError::Contended(Box::new(error)),
        Error::DatabaseError(Kind::UnableToSendCommand | Kind::ClosedConnection, _) => {
            StoreError::Unavailable(Box::new(error))
        }
        Error::DatabaseError(_, info) if says(info.message(), &UNAVAILABLE) => {
            StoreError::Unavailable(Box::new(error))
        }
        _ => StoreError::Failed(Box::new(error)),
    }
}

/// Whether the error is a conflict with another transaction.
pub(crate) fn is_contention(error: &Error) -> bool {
    match error {
        Error::DatabaseError(Kind::UnableToSendCommand | Kind::ClosedConnection, _) => false,
        Error::DatabaseError(Kind::SerializationFailure, _) => true,
        Error::DatabaseError(_, info) => says(info.message(), &CONTENDED),
        _ => false,
    }
}

/// The error of a failed commit. A transaction's last statement stores its response: when another transaction
/// has stored one under the same key in the meantime, a retry finds it.
pub(crate) fn commit_error(error: Error) -> StoreError {
    match &error {
        Error::DatabaseError(Kind::UniqueViolation, _) => StoreError::Contended(Box::new(error)),
        _ => store_error(error),
    }
}

/// The error when the pool gave no connection: none became free in time, or none could be made.
pub(crate) fn pool_error<E: std::error::Error + Send + Sync + 'static>(error: PoolError<E>) -> StoreError {
    StoreError::Unavailable(Box::new(error))
}

/// A failure that is described by a sentence alone.
pub(crate) fn failed(what: &'static str) -> StoreError {
    StoreError::Failed(what.into())
}

fn says(message: &str, words: &[&str]) -> bool {
    words.iter().any(|words| message.contains(words))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn database_error(kind: Kind, message: &str) -> StoreError {
        store_error(Error::DatabaseError(kind, Box::new(message.to_owned())))
    }

    #[test]
    fn what_helps_decides_the_kind() {
        for message in ["deadlock detected", "database is locked"] {
            assert!(database_error(Kind::Unknown, message).is_contended());
        }
        for message in [
            "terminating connection due to administrator command",
            "the database system is starting up",
            "canceling statement due to statement timeout",
            "database or disk is full",
            "could not extend file \"base/5/16384\": No space left on device",
        ] {
            let error = database_error(Kind::Unknown, message);
            assert!(matches!(error, StoreError::Unavailable(_)), "{message}");
        }
        let error = database_error(Kind::CheckViolation, "violates check constraint");
        assert!(matches!(error, StoreError::Failed(_)));
    }
}
