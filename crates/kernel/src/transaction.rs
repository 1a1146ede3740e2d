//! Committing a transaction that spans several ports.

use async_trait::async_trait;
use serde_json::Value;

use crate::errors::StoreError;

/// What an audit entry says of a change. Neither value holds a secret.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AuditDetails {
    /// What was before the change; `None` if there was nothing.
    pub before: Option<Value>,
    /// What is after it; `None` if there is nothing.
    pub after: Option<Value>,
}

/// A transaction that can be committed. Dropping it rolls it back.
///
/// Each domain crate declares the transaction that it needs as a trait with this one as its supertrait; the
/// store implements them all with one type.
///
/// A use case may lock a row again that its transaction has locked: that must not wait.
///
/// A transaction of an owner or the operator may be audited: then its commit writes an audit entry. What was
/// before the change is read in the transaction, under its locks, and put into the entry here: read earlier,
/// it may be what a concurrent change has replaced. In a store without audit entries these methods do
/// nothing.
#[async_trait]
pub trait Commit: Send {
    /// Makes all changes of the transaction durable, or none.
    ///
    /// # Errors
    /// A [`StoreError`]; then nothing was changed. An implementation refuses to commit after a failed
    /// statement, and returns `Ok` only when the database has made the changes durable.
    async fn commit(self: Box<Self>) -> Result<(), StoreError>;

    /// Whether the commit writes an audit entry.
    fn is_audited(&self) -> bool {
        false
    }

    /// Sets what the audit entry says of the change.
    fn complete_audit(&mut self, _details: AuditDetails) {}
}
