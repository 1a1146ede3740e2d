//! The store on SQLite.

mod claim;
mod claim_key;
mod dialect;
pub(crate) mod file;
mod listen;
mod load_invoice;
mod migrations;
mod pool;
mod publish;
#[path = "../queries/mod.rs"]
mod queries;

use crate::open::{OpenError, StoreOptions};
use crate::store::Store;

/// The store in the file at a path, which is made if it is not there.
pub(crate) async fn open(path: &str, options: &StoreOptions) -> Result<Store, OpenError> {
    Ok(queries::store(
        pool::Pool::open(path, options).await?,
        options.announce,
    ))
}
