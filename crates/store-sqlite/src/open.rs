//! Opening the store on SQLite.

use store_schema::options::{OpenError, StoreOptions};
use store_schema::store::Store;

use super::pool::Pool;
use super::queries::ports;

/// The store in the file at a path, which is created if it does not exist.
pub async fn open(path: &str, options: &StoreOptions) -> Result<Store, OpenError> {
    Ok(ports::store(Pool::open(path, options).await?, options.announce))
}
