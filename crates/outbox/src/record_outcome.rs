//! Recording what an attempt did outside the store.

use std::time::Duration;

use kernel::{StoreError, StoreResult, retry_contended};
use tokio::time::{Instant, sleep};

use crate::outcome::NotDone;

/// How long recording is repeated: it ends before the lease of an attempt that took two minutes.
const RECORD_WITHIN: Duration = Duration::from_mins(3);
const PAUSE: Duration = Duration::from_secs(1);

/// Records what an attempt did outside the store, such as sending a mail.
///
/// While the store is away, recording is repeated for as long as the lease of the attempt leaves time: if the
/// outcome is lost, another attempt repeats what was done. `record` must therefore do nothing when it has
/// succeeded before.
///
/// # Errors
/// A [`NotDone::Unrecorded`] with the last error of `record`.
pub async fn record_outcome<F>(record: impl Fn() -> F) -> Result<(), NotDone>
where
    F: Future<Output = StoreResult<()>>,
{
    let end = Instant::now() + RECORD_WITHIN;
    loop {
        match retry_contended(&record).await {
            Err(StoreError::Unavailable(_) | StoreError::Contended(_)) if Instant::now() < end => {
                sleep(PAUSE).await;
            }
            recorded => return recorded.map_err(NotDone::Unrecorded),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn outcome_is_recorded_once_the_store_is_back_or_given_up_before_the_lease_ends() {
        let tries = Cell::new(0);
        let away_for = |failures| {
            tries.set(0);
            let tries = &tries;
            record_outcome(move || async move {
                tries.set(tries.get() + 1);
                if tries.get() <= failures { Err(StoreError::Unavailable("away".into())) } else { Ok(()) }
            })
        };
        away_for(100).await.unwrap();
        assert_eq!(tries.get(), 101);
        let begun = Instant::now();
        assert!(away_for(u32::MAX).await.is_err());
        assert!(begun.elapsed() < crate::LEASE);
        tries.set(0);
        let refused = record_outcome(|| async {
            tries.set(tries.get() + 1);
            Err(StoreError::Failed("no".into()))
        });
        assert!(refused.await.is_err());
        assert_eq!(tries.get(), 1);
    }
}
