//! Transactions that span ports: committing them, and repeating those that ran into another one.

use async_trait::async_trait;

use crate::errors::StoreError;

/// A transaction that can be committed. Dropping it rolls it back.
///
/// Each domain crate declares the transaction that it needs as a trait with this one above it; the store has one type
/// that fills them all.
#[async_trait]
pub trait Commit: Send {
    /// Makes everything that was done in the transaction last, or nothing of it.
    ///
    /// # Errors
    /// A [`StoreError`]; then nothing was done. An implementation refuses to commit after a failed statement, and
    /// answers `Ok` only when the database has made the work durable.
    async fn commit(self: Box<Self>) -> Result<(), StoreError>;
}

/// An error after which repeating the whole transaction may help.
pub trait RetryOnContention {
    /// Whether another transaction caused it.
    fn is_contended(&self) -> bool;
}

impl RetryOnContention for StoreError {
    fn is_contended(&self) -> bool {
        Self::is_contended(self)
    }
}

/// Runs a whole transaction, at most [`StoreError::TRIES`] times while it fails by contention.
///
/// # Errors
/// The error of the last try.
///
/// ```
/// use std::cell::Cell;
///
/// use kernel::{StoreError, retry_contended};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let tries = Cell::new(0);
/// let settled = retry_contended(async || {
///     tries.set(tries.get() + 1);
///     if tries.get() < 3 { Err(StoreError::Contended("deadlock".into())) } else { Ok("done") }
/// });
/// assert_eq!(settled.await.unwrap(), "done");
/// # }
/// ```
pub async fn retry_contended<T, E, F>(transaction: impl Fn() -> F) -> Result<T, E>
where
    E: RetryOnContention,
    F: Future<Output = Result<T, E>>,
{
    for _ in 1..StoreError::TRIES {
        match transaction().await {
            Err(error) if error.is_contended() => {}
            settled => return settled,
        }
    }
    transaction().await
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    /// The result and the number of tries when the first `contended` of them run into another transaction.
    async fn tries(contended: u32, then: fn() -> Result<(), StoreError>) -> (bool, u32) {
        let made = Cell::new(0);
        let settled = retry_contended(async || {
            made.set(made.get() + 1);
            if made.get() > contended {
                return then();
            }
            Err(StoreError::Contended("deadlock".into()))
        });
        (settled.await.is_ok(), made.get())
    }

    #[tokio::test]
    async fn only_contention_is_retried_and_at_most_tries_times() {
        let down = || Err(StoreError::Unavailable("connection refused".into()));
        assert_eq!(tries(0, || Ok(())).await, (true, 1));
        assert_eq!(tries(0, down).await, (false, 1));
        assert_eq!(tries(2, || Ok(())).await, (true, 3));
        assert_eq!(tries(2, down).await, (false, 3));
        assert_eq!(
            tries(StoreError::TRIES - 1, || Ok(())).await,
            (true, StoreError::TRIES)
        );
        assert_eq!(tries(99, || Ok(())).await, (false, StoreError::TRIES));
    }
}
