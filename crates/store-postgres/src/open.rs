//! Opening the store on PostgreSQL.

use store_schema::options::{OpenError, StoreOptions};
use store_schema::store::Store;

use super::pool::Pool;
use super::queries::ports;

/// The store behind a `postgres://` address. It connects at the first query.
pub fn open(url: &str, options: &StoreOptions) -> Result<Store, OpenError> {
    Ok(ports::store(Pool::new(url, options)?, options.announce))
}
