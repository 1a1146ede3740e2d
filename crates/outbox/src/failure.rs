//! Why an attempt came to nothing.

use kernel::StoreError;

/// Why the other side did not do what it was asked. The text is for the operator; it never holds a secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// It may do it later: it is away, busy, or does not let us in.
    #[error("{0}")]
    Temporary(String),
    /// It will never do it: it refused this for good.
    #[error("{0}")]
    Permanent(String),
}

/// Why work is not done.
#[derive(Debug, thiserror::Error)]
pub enum NotDone {
    /// The other side did not do it.
    #[error(transparent)]
    Failed(#[from] Failure),
    /// Our own store failed during the attempt: nothing is known that could be recorded.
    #[error(transparent)]
    Store(#[from] StoreError),
}
