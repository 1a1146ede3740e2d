//! Opening the store on PostgreSQL.

use store_schema::options::{OpenError, StoreOptions};
use store_schema::store::Store;

use super::pool::Pool;
use super::queries::ports;

/// The store behind a `postgres://` address. It connects at the first query.
///
/// Call it on the process's main, multi-threaded tokio runtime, which drives the connections for as long as
/// the store is used.
///
/// # Errors
/// An [`OpenError`] when the address or the certificates cannot be read.
pub fn open(url: &str, options: &StoreOptions) -> Result<Store, OpenError> {
    Ok(ports::store(Pool::new(url, options)?, options.announce))
}
