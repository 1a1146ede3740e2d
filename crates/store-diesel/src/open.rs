//! Opening a store by its URL.

use store_schema::options::{OpenError, StoreOptions};
use store_schema::store::Store;

/// Opens the store at an address: `sqlite://path`, or `postgres://user:password@host/database`.
///
/// The schema is left as it is (see [`Upkeep`](crate::Upkeep)). An embedded database's file and folder are
/// made if they are not there; PostgreSQL is connected to when it is first asked for something. Its `sslmode`
/// means what it means to libpq: `require` encrypts and trusts any certificate, `verify-ca` and `verify-full`
/// want one of a trusted authority for the server's name, and `prefer`, which is the default, encrypts if the
/// server can.
///
/// Call it on the process's main, multi-threaded tokio runtime, which drives the connections for as long as
/// the store is used. Of those to PostgreSQL, half are reserved for serving threads (see
/// [`Store::for_thread`]).
///
/// # Errors
/// An [`OpenError`].
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

/// Checks the form of a database's address without opening or connecting to anything.
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
