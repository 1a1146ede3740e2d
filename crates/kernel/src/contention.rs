//! Doing a transaction again that ran into another one.

use crate::StoreError;

/// An error that may say that doing the whole of a transaction again helps.
pub trait Contends {
    /// Whether it says so.
    fn is_contended(&self) -> bool;
}

impl Contends for StoreError {
    fn is_contended(&self) -> bool {
        Self::is_contended(self)
    }
}

/// Does the whole of a transaction, and again while it is contended, [`StoreError::TRIES`] times at most.
///
/// # Errors
/// What the last try came to.
///
/// ```
/// use std::cell::Cell;
///
/// use kernel::{StoreError, while_contended};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let tries = Cell::new(0);
/// let settled = while_contended(async || {
///     tries.set(tries.get() + 1);
///     if tries.get() < 3 { Err(StoreError::Contended("deadlock".into())) } else { Ok("done") }
/// });
/// assert_eq!(settled.await.unwrap(), "done");
/// # }
/// ```
pub async fn while_contended<T, E, F>(transaction: impl Fn() -> F) -> Result<T, E>
where
    E: Contends,
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

    /// What comes of it, and after how many tries, when the first `contended` of them run into another transaction.
    async fn tries(contended: u32, then: fn() -> Result<(), StoreError>) -> (bool, u32) {
        let made = Cell::new(0);
        let settled = while_contended(async || {
            made.set(made.get() + 1);
            if made.get() > contended {
                return then();
            }
            Err(StoreError::Contended("deadlock".into()))
        });
        (settled.await.is_ok(), made.get())
    }

    #[tokio::test]
    async fn contention_alone_is_tried_again_and_not_for_ever() {
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
