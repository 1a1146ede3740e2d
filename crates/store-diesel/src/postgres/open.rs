//! Opening the store on PostgreSQL.

use super::pool::Pool;
use super::queries::ports;
use crate::options::{OpenError, StoreOptions};
use crate::store::Store;

/// The store behind a `postgres://` address. It connects at the first query.
pub(crate) fn open(url: &str, options: &StoreOptions) -> Result<Store, OpenError> {
    Ok(ports::store(Pool::new(url, options)?, options.announce))
}
