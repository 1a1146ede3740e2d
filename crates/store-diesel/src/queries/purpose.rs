//! What a transaction is for.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// A request, whose statements find rows by an index.
    Request,
    /// A worker's batch. Nothing that it reads is used unless it commits.
    Batch,
    /// Anything else. Its statements may run long.
    Command,
}
