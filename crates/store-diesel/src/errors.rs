//! From the databases' errors to [`StoreError`].
//!
//! What helps to tell them apart is little: diesel passes on a kind and a message, no code. Messages are matched in English; a
//! PostgreSQL that speaks another language (`lc_messages`) has a deadlock reported as a failure rather than done again.

use deadpool::managed::PoolError;
use diesel::result::DatabaseErrorKind as Kind;
use diesel::result::Error;
use kernel::StoreError;

/// Passing troubles: another transaction was in the way, and the whole of this one may be done again.
const CONTENDED: [&str; 6] = [
    "deadlock detected",
    "could not serialize access",
    "lock timeout",
    "could not obtain lock",
    "database is locked",
    "database table is locked",
];

/// The server is going down, coming up or full.
const UNAVAILABLE: [&str; 6] = [
    "terminating connection",
    "the database system is",
    "too many connections",
    "connection slots are reserved",
    "statement timeout",
    "idle-in-transaction timeout",
];

/// What a failed statement means.
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

/// Whether another transaction was in the way.
pub(crate) fn is_contention(error: &Error) -> bool {
    match error {
        Error::DatabaseError(Kind::UnableToSendCommand | Kind::ClosedConnection, _) => false,
        Error::DatabaseError(Kind::SerializationFailure, _) => true,
        Error::DatabaseError(_, info) => says(info.message(), &CONTENDED),
        _ => false,
    }
}

/// What a failed commit means. The last thing that a transaction writes is the answer that it keeps: when another one has kept
/// an answer under the same key since the claim looked, doing the whole again finds that one.
pub(crate) fn commit_error(error: Error) -> StoreError {
    match &error {
        Error::DatabaseError(Kind::UniqueViolation, _) => StoreError::Contended(Box::new(error)),
        _ => store_error(error),
    }
}

/// What it means that the pool gave no connection: none came free in time, or none could be made.
pub(crate) fn pool_error<E: std::error::Error + Send + Sync + 'static>(
    error: PoolError<E>,
) -> StoreError {
    StoreError::Unavailable(Box::new(error))
}

/// A failure with only a sentence to tell.
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
        ] {
            let error = database_error(Kind::Unknown, message);
            assert!(matches!(error, StoreError::Unavailable(_)), "{message}");
        }
        let error = database_error(Kind::CheckViolation, "violates check constraint");
        assert!(matches!(error, StoreError::Failed(_)));
    }
}
