//! The store on PostgreSQL.

mod claim;
mod claim_key;
mod connector;
mod dialect;
mod insert_invoice;
mod insert_next;
mod line;
mod listen;
mod migrations;
mod near;
mod point_read;
mod pool;
mod publish;
#[path = "../queries/mod.rs"]
mod queries;
mod tls;
mod url;
mod whole;

use crate::open::OpenError;
use crate::{Store, StoreOptions};

/// The store behind a `postgres://` address. Connects when first asked for something.
pub(crate) fn open(url: &str, options: &StoreOptions) -> Result<Store, OpenError> {
    Ok(queries::store(
        pool::Pool::new(url, options)?,
        options.announce,
    ))
}
