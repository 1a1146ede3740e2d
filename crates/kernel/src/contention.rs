//! Retrying a transaction that conflicted with another one.
//!
//! A store may let a transaction see uncommitted changes of another transaction, and commit the two together.
//! The result of such a transaction is valid if it is committed. If it is rolled back, for example because
//! its number is taken, its result is valid only if the other transaction is committed. [`retry_contended`]
//! therefore allows this only in the first attempt ([`may_see_uncommitted`]), and the store reports such a
//! rollback ([`report_uncertain`]): the attempt is then repeated on committed data.

use std::cell::Cell;
use std::error::Error;
use std::future::poll_fn;
use std::iter;
use std::pin::pin;

use crate::errors::{Contention, StoreError};

/// Whether a conflict with another transaction caused an error: repeating the whole transaction may help.
#[must_use]
pub fn is_contended(error: &(dyn Error + 'static)) -> bool {
    iter::successors(Some(error), |&error| error.source()).any(|error| error.is::<Contention>())
}

/// Runs a whole transaction, at most [`StoreError::TRIES`] times as long as it fails by contention.
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
///     if tries.get() < 3 { Err(StoreError::contended("deadlock")) } else { Ok("done") }
/// });
/// assert_eq!(settled.await.unwrap(), "done");
/// # }
/// ```
pub async fn retry_contended<T, E, F>(transaction: impl Fn() -> F) -> Result<T, E>
where
    E: Error + 'static,
    F: Future<Output = Result<T, E>>,
{
    match (TransactionAttempt { uncertain: false }).follow(transaction()).await {
        (_, true) => {}
        (Err(error), _) if is_contended(&error) => {}
        (settled, _) => return settled,
    }
    for _ in 2..StoreError::TRIES {
        match transaction().await {
            Err(error) if is_contended(&error) => {}
            settled => return settled,
        }
    }
    transaction().await
}

/// Whether a transaction that begins now may see uncommitted changes: [`retry_contended`] repeats it if
/// [`report_uncertain`] is called before its end.
#[must_use]
pub fn may_see_uncommitted() -> bool {
    ATTEMPT.get().is_some()
}

/// Reports the rollback of a transaction that may have seen uncommitted changes.
pub fn report_uncertain() {
    if ATTEMPT.get().is_some() {
        ATTEMPT.set(Some(TransactionAttempt { uncertain: true }));
    }
}

/// The first attempt at a transaction.
#[derive(Debug, Clone, Copy)]
struct TransactionAttempt {
    uncertain: bool,
}

thread_local! {
    /// The attempt whose future is polled on this thread.
    static ATTEMPT: Cell<Option<TransactionAttempt>> = const { Cell::new(None) };
}

impl TransactionAttempt {
    /// Returns the transaction's result, and whether that is uncertain.
    async fn follow<F: Future>(mut self, transaction: F) -> (F::Output, bool) {
        /// Restores the previous value, also when the future panics.
        struct Restore(Option<TransactionAttempt>);
        impl Drop for Restore {
            fn drop(&mut self) {
                ATTEMPT.set(self.0);
            }
        }
        let mut transaction = pin!(transaction);
        let output = poll_fn(|context| {
            let restore = Restore(ATTEMPT.replace(Some(self)));
            let polled = transaction.as_mut().poll(context);
            self = ATTEMPT.get().unwrap_or(self);
            drop(restore);
            polled
        });
        let output = output.await;
        (output, self.uncertain)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    /// Whether it succeeds, and after how many tries, if the first `contended` tries fail by contention.
    async fn tries(contended: u32, then: fn() -> Result<(), StoreError>) -> (bool, u32) {
        let made = Cell::new(0);
        let settled = retry_contended(async || {
            made.set(made.get() + 1);
            if made.get() > contended {
                return then();
            }
            Err(StoreError::contended("deadlock"))
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
        assert_eq!(tries(StoreError::TRIES - 1, || Ok(())).await, (true, StoreError::TRIES));
        assert_eq!(tries(99, || Ok(())).await, (false, StoreError::TRIES));
    }

    #[tokio::test]
    async fn uncertain_attempt_is_repeated_once_on_what_is_committed() {
        for is_refused in [false, true] {
            let attempts = Cell::new(0);
            let settled = retry_contended(async || {
                attempts.set(attempts.get() + 1);
                // Another transaction is polled on this thread meanwhile.
                tokio::task::yield_now().await;
                if may_see_uncommitted() {
                    report_uncertain();
                }
                match is_refused {
                    true => Err(StoreError::Failed("refused".into())),
                    false => Ok(()),
                }
            });
            let (settled, ()) = tokio::join!(settled, async {
                assert!(!may_see_uncommitted());
                report_uncertain();
            });
            assert_eq!((settled.is_err(), attempts.get()), (is_refused, 2));
        }
        assert!(!may_see_uncommitted());
    }
}
