//! Jobs whose handler fails in the same way at every attempt: they are given up as any other job.

use std::num::NonZeroU32;
use std::sync::Arc;

use async_trait::async_trait;
use kernel::{Clock, Id, StoreError, StoreResult};
use outbox::{
    Failure, JobContext, JobHandler, Leased, MemoryQueue, NewJob, NotDone, Outcome, RetrySchedule, Task,
};
use serde::{Deserialize, Serialize};
use testkit::{CountingIds, FixedClock};
use time::Duration;

/// What goes wrong at every attempt.
#[derive(Clone, Copy, PartialEq)]
enum Fault {
    Panic,
    /// The attempt is refused, and what follows from that reads a row that is inconsistent.
    InconsistentRow,
}

#[derive(Serialize, Deserialize)]
struct Errand;

impl Task for Errand {
    const KIND: &'static str = "errands";
}

struct FaultyHandler {
    jobs: JobContext,
    fault: Fault,
}

#[async_trait]
impl JobHandler for FaultyHandler {
    const SCHEDULE: RetrySchedule = RetrySchedule {
        waits: &[Duration::MINUTE],
        later_wait: Duration::HOUR,
        give_up_after: Duration::HOUR,
        too_late: "not done within an hour",
    };
    type Payload = Errand;

    fn jobs(&self) -> &JobContext {
        &self.jobs
    }

    async fn handle(&self, _: &Leased<Errand>) -> Result<(), NotDone> {
        assert!(self.fault != Fault::Panic, "the fault that this test is about");
        Err(Failure::Permanent("refused".to_owned()).into())
    }

    async fn given_up(&self, _: &Leased<Errand>, _: &str) -> StoreResult<()> {
        match self.fault {
            Fault::Panic => Ok(()),
            Fault::InconsistentRow => Err(StoreError::Inconsistent {
                table: "messages",
                id: "m1".to_owned(),
                what: "an unknown state".to_owned(),
            }),
        }
    }
}

/// The outcome after an attempt now and one in two hours.
async fn outcomes(fault: Fault) -> Vec<Option<Outcome>> {
    let (ids, clock) = (CountingIds::default(), FixedClock::default());
    let queue = Arc::new(MemoryQueue::default());
    let jobs =
        JobContext { queue: queue.clone(), clock: Arc::new(clock.clone()), max_concurrent: NonZeroU32::MIN };
    let handler = FaultyHandler { jobs, fault };
    let now = clock.now();
    let (id, account) = (Id::new(&ids, now), Id::new(&ids, now));
    queue.put(NewJob::of(&Errand, id, account, now));
    let handler = Arc::new(handler);
    let mut outcomes = Vec::new();
    for _ in 0..2 {
        outbox::run_until_idle(handler.clone()).await;
        outcomes.push(queue.last_outcome(id));
        clock.advance(Duration::hours(2));
    }
    outcomes
}

#[tokio::test]
async fn attempt_that_panics_is_tried_again_until_the_job_is_too_old() {
    let outcomes = outcomes(Fault::Panic).await;
    let [Some(Outcome::Retry { reason, .. }), Some(Outcome::GivenUp { .. })] = outcomes.as_slice() else {
        panic!("{outcomes:?}")
    };
    assert_eq!(reason, "the attempt panicked");
}

#[tokio::test]
async fn job_is_given_up_even_if_what_follows_from_that_can_never_be_done() {
    let outcomes = outcomes(Fault::InconsistentRow).await;
    let Some(Some(Outcome::GivenUp { reason, .. })) = outcomes.first() else { panic!("{outcomes:?}") };
    assert_eq!(reason, "refused");
}
