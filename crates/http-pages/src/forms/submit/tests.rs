use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use kernel::{Id, StoreResult};
use testkit::{CountingIds, FixedClock};
use time::OffsetDateTime;

use super::*;

/// Until an instant this is the state of a submission, and then another.
struct UnderWay {
    first: StoreResult<SubmissionClaim>,
    until: Instant,
    then: SubmissionClaim,
    is_released: AtomicBool,
}

#[async_trait]
impl Submissions for UnderWay {
    async fn begin(&self, _: &Submission, _: OffsetDateTime) -> StoreResult<SubmissionClaim> {
        match &self.first {
            _ if Instant::now() >= self.until => Ok(self.then.clone()),
            Ok(state) => Ok(state.clone()),
            Err(_) => Err(StoreError::contended("locked")),
        }
    }

    async fn finish(&self, _: &Submission, _: &str) -> StoreResult<()> {
        Ok(())
    }

    async fn release(&self, _: &Submission) -> StoreResult<()> {
        self.is_released.store(true, Ordering::SeqCst);
        Ok(())
    }

    async fn prune(&self, _: OffsetDateTime, _: u32) -> StoreResult<u64> {
        Ok(0)
    }
}

/// What a second click gets whose first ends after some seconds, and whether the form can be sent again.
async fn second_click(seconds: u64, then: SubmissionClaim) -> (Result<Option<String>, String>, bool) {
    claimed_after(seconds, Ok(SubmissionClaim::Unfinished), then).await
}

async fn claimed_after(
    seconds: u64,
    first: StoreResult<SubmissionClaim>,
    then: SubmissionClaim,
) -> (Result<Option<String>, String>, bool) {
    let clock = FixedClock::at(OffsetDateTime::UNIX_EPOCH);
    let ids = CountingIds::default();
    let account = Id::new(&ids, clock.now());
    let token = FormToken::new(&ids, clock.now(), account);
    let submission = Submission { account, token, fingerprint: Fingerprint::from_bytes([0; 32]) };
    let until = Instant::now() + Duration::from_secs(seconds);
    let first = UnderWay { first, until, then, is_released: AtomicBool::new(false) };
    let begun = Instant::now();
    let claimed = claim(&first, &submission, &clock).await;
    assert!(begun.elapsed() < Duration::from_secs(18), "a shutdown waits for it");
    (claimed.map_err(|error| error.to_string()), first.is_released.into_inner())
}

#[tokio::test(start_paused = true)]
async fn second_click_is_shown_the_result_of_a_first_that_calls_another_system() {
    let finished = SubmissionClaim::Finished("/dashboard".to_owned());
    for seconds in [0, 1, 6, 15] {
        let shown = second_click(seconds, finished.clone()).await;
        assert_eq!(shown, (Ok(Some("/dashboard".to_owned())), false), "{seconds} s");
    }
    let (late, is_released) = second_click(18, finished).await;
    assert!(late.is_err_and(|error| error.contains("not known")) && !is_released);
}

#[tokio::test(start_paused = true)]
async fn second_click_takes_the_place_of_a_first_that_was_refused_soon() {
    assert_eq!(second_click(1, SubmissionClaim::Fresh).await, (Ok(None), false));
    let (late, is_released) = second_click(10, SubmissionClaim::Fresh).await;
    assert!(late.is_err_and(|error| error.contains("sent twice")) && is_released);
}

#[tokio::test(start_paused = true)]
async fn single_click_waits_for_a_store_that_is_locked_and_is_not_called_a_second_one() {
    let after = async |seconds| {
        let locked = Err(StoreError::contended("locked"));
        claimed_after(seconds, locked, SubmissionClaim::Fresh).await
    };
    assert_eq!(after(2).await, (Ok(None), false));
    for (seconds, released) in [(10, true), (18, false)] {
        let (refused, is_released) = after(seconds).await;
        assert!(refused.is_err_and(|error| !error.contains("already sent") && !error.contains("twice")));
        assert_eq!(is_released, released, "{seconds} s");
    }
}
