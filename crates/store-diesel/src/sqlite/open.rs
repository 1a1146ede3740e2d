//! Opening the store on SQLite.

use super::pool::Pool;
use super::queries::ports;
use crate::options::{OpenError, StoreOptions};
use crate::store::Store;

/// The store in the file at a path, which is created if it does not exist.
pub(crate) async fn open(path: &str, options: &StoreOptions) -> Result<Store, OpenError> {
    Ok(ports::store(Pool::open(path, options).await?, options.announce))
}
