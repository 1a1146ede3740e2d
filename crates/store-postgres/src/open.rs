//! Opening the store on PostgreSQL.

use store_schema::options::{OpenError, StoreOptions};
use store_schema::store::Store;

use super::pool::Pool;
use super::queries::ports;

/// Opens the store of a `postgres://` URL. It connects at the first query.
///
/// Call this on the process's main, multi-threaded tokio runtime, which drives the connections for as long as
/// the store is used.
///
/// # Errors
/// An [`OpenError`] when the URL cannot be parsed or the certificates cannot be read.
pub fn open(url: &str, options: &StoreOptions) -> Result<Store, OpenError> {
    Ok(ports::store(Pool::new(url, options)?, options.announce))
}
