//! The SQL of the store that is PostgreSQL's own.

mod claim;
mod claim_key;
mod dialect;
mod insert_invoice;
mod listen;
mod load_invoice;
mod migrations;
mod pool;
mod publish;
#[path = "../queries/mod.rs"]
mod queries;

use crate::open::{OpenError, StoreOptions};
use crate::store::Store;

/// The store behind a `postgres://` address. It connects at the first query.
pub(crate) fn open(url: &str, options: &StoreOptions) -> Result<Store, OpenError> {
    Ok(queries::store(
        pool::Pool::new(url, options)?,
        options.announce,
    ))
}
