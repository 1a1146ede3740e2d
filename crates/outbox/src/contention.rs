//! Doing a small piece of store work again when another transaction was in its way.

use kernel::StoreError;

/// Does something, again while it is [`StoreError::Contended`], [`StoreError::TRIES`] times at most.
///
/// # Errors
/// What the last try came to.
pub async fn while_contended<T, F>(attempt: impl Fn() -> F) -> Result<T, StoreError>
where
    F: Future<Output = Result<T, StoreError>>,
{
    for _ in 1..StoreError::TRIES {
        match attempt().await {
            Err(error) if error.is_contended() => {}
            settled => return settled,
        }
    }
    attempt().await
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
