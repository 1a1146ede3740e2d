//! Committing a transaction that spans several ports.

use async_trait::async_trait;

use crate::errors::StoreError;

/// A transaction that can be committed. Dropping it rolls it back.
///
/// Each domain crate declares the transaction that it needs as a trait with this one as its supertrait; the
/// store implements them all with one type.
#[async_trait]
pub trait Commit: Send {
    /// Makes all changes of the transaction durable, or none.
    ///
    /// # Errors
    /// A [`StoreError`]; then nothing was changed. An implementation refuses to commit after a failed
    /// statement, and returns `Ok` only when the database has made the changes durable.
    async fn commit(self: Box<Self>) -> Result<(), StoreError>;
}
