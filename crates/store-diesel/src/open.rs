//! Opening a store by its URL.

use store_schema::options::{OpenError, StoreOptions};
use store_schema::store::Store;

/// Opens the store at a URL: `sqlite://path`, or `postgres://user:password@host/database`.
///
/// The schema is left unchanged (see [`Upkeep`](crate::Upkeep)). The file of an embedded database and its
/// directory are created if missing. PostgreSQL is connected to at the first statement. `sslmode` has its
/// libpq meaning: `require` encrypts and trusts any certificate, `verify-ca` and `verify-full` demand a
/// certificate from a trusted authority for the server's name, and `prefer`, the default, encrypts if the
/// server supports it.
///
/// Call this function on the process's main, multi-threaded tokio runtime, which drives the connections for
/// as long as the store is used. Half of the PostgreSQL connections are reserved for serving threads (see
/// [`Store::for_thread`]).
pub async fn open(url: &str, options: &StoreOptions) -> Result<Store, OpenError> {
    check_url(url)?;
    #[cfg(feature = "sqlite")]
    if let Some(path) = url.strip_prefix("sqlite://") {
        return store_sqlite::open(path, options).await;
    }
    #[cfg(feature = "postgres")]
    if !url.starts_with("sqlite://") {
        return store_postgres::open(url, options);
    }
    Err(OpenError::UnknownScheme)
}

/// Checks the syntax of a database URL without opening a file or connecting.
///
/// # Errors
/// [`OpenError::UnknownScheme`] or [`OpenError::Malformed`].
pub fn check_url(url: &str) -> Result<(), OpenError> {
    #[cfg(feature = "sqlite")]
    if let Some(path) = url.strip_prefix("sqlite://") {
        return store_sqlite::check_path(path);
    }
    #[cfg(feature = "postgres")]
    if url.starts_with("postgres://") || url.starts_with("postgresql://") {
        return Ok(postgres_pool::check_url(url)?);
    }
    Err(OpenError::UnknownScheme)
}
