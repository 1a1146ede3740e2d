//! Converts the databases' errors to [`StoreError`].

use deadpool::managed::{PoolError, TimeoutType};
use diesel::result::DatabaseErrorKind as Kind;
use diesel::result::Error;
use kernel::StoreError;

/// The error of a failed statement.
pub fn store_error(error: Error) -> StoreError {
    if is_contention(&error) {
        StoreError::contended(error)
    } else if is_outage(&error) {
        StoreError::Unavailable(Box::new(error))
    } else {
        StoreError::Failed(Box::new(error))
    }
}

/// A conflict with another transaction.
fn is_contention(error: &Error) -> bool {
    #[cfg(feature = "postgres")]
    if postgres_pool::is_contention(error) {
        return true;
    }
    #[cfg(feature = "sqlite")]
    if sqlite_writer::is_busy(error) {
        return true;
    }
    false
}

/// The database is temporarily out of service.
fn is_outage(error: &Error) -> bool {
    #[cfg(feature = "postgres")]
    if postgres_pool::is_outage(error) {
        return true;
    }
    #[cfg(feature = "sqlite")]
    if sqlite_writer::is_full(error) {
        return true;
    }
    false
}

/// The error of a failed commit. The last statements of a transaction insert its new invoice and its
/// response. A unique violation means that another transaction has inserted an invoice with the same number
/// or a response under the same key in the meantime; a retry finds it.
pub fn commit_error(error: Error) -> StoreError {
    match &error {
        Error::DatabaseError(Kind::UniqueViolation, _) => StoreError::contended(error),
        _ => store_error(error),
    }
}

/// The error when the pool lent no connection: none became free in time, or none could be opened. Operators
/// read it.
pub fn pool_error<E: std::error::Error + Send + Sync + 'static>(error: PoolError<E>) -> StoreError {
    StoreError::Unavailable(match error {
        PoolError::Backend(error) => Box::new(error),
        PoolError::Timeout(TimeoutType::Wait) => "no connection became free in time".into(),
        PoolError::Timeout(_) => "no connection could be opened in time".into(),
        closed => Box::new(closed),
    })
}

/// A failure that has a message and no source.
pub fn failed(what: &'static str) -> StoreError {
    StoreError::Failed(what.into())
}
