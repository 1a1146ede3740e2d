//! The engine with a queue in memory and a scripted handler, in paused time.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that is wrong should stop there")]

mod logged;
mod recording;

use std::collections::VecDeque;
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use kernel::{AccountId, Clock, Id, StoreError, StoreResult};
use outbox::{
    Due, Failure, JobContext, JobHandler, JobId, LEASE, Lease, Leased, MemoryQueue, Monitor, NewJob, NotDone,
    Outcome, Queue, Recorded, RetrySchedule, Task, run_until_idle,
};
use serde::{Deserialize, Serialize};
use testkit::{CountingIds, FixedClock};
use time::{Duration, OffsetDateTime};
use tokio::sync::oneshot;
use tokio::time::Instant;

/// A clock that follows tokio's paused time.
struct TokioClock(Instant);

impl Clock for TokioClock {
    fn now(&self) -> OffsetDateTime {
        FixedClock::START + self.0.elapsed()
    }
}

/// A queue in memory whose recordings can fail.
#[derive(Default)]
struct ScriptedQueue {
    memory: MemoryQueue,
    /// Makes the error of the next recordings.
    record_error: Mutex<Option<fn() -> StoreError>>,
    /// How many recordings fail by contention with another transaction.
    contended: AtomicUsize,
    /// The account whose server cannot be written to, as of a cluster.
    faulty: Mutex<Option<AccountId>>,
    /// The jobs whose outcome was recorded, each time.
    recorded: Mutex<Vec<JobId>>,
}

#[async_trait]
impl Queue for ScriptedQueue {
    async fn lease_due(&self, due: Due) -> StoreResult<Vec<Leased>> {
        self.memory.lease_due(due).await
    }

    async fn is_held(&self, lease: Lease) -> StoreResult<bool> {
        self.memory.is_held(lease).await
    }

    async fn record(&self, lease: Lease, outcome: &Outcome) -> StoreResult<Recorded> {
        let one_less = |left: usize| left.checked_sub(1);
        let contended = &self.contended;
        if contended.fetch_update(Ordering::SeqCst, Ordering::SeqCst, one_less).is_ok() {
            return Err(StoreError::contended("deadlock"));
        }
        let error = *self.record_error.lock().unwrap();
        if let Some(error) = error {
            return Err(error());
        }
        if *self.faulty.lock().unwrap() == Some(lease.account) {
            return Err(unavailable());
        }
        self.recorded.lock().unwrap().push(lease.id);
        self.memory.record(lease, outcome).await
    }

    fn accounts_fail_alone(&self) -> bool {
        self.faulty.lock().unwrap().is_some()
    }
}

#[derive(Serialize, Deserialize)]
struct Errand(u8);

impl Task for Errand {
    const KIND: &'static str = "errands";
}

/// Fails as scripted, then succeeds; counts how many attempts are under way at once.
struct TestHandler {
    jobs: JobContext,
    queue: Arc<ScriptedQueue>,
    clock: Arc<TokioClock>,
    ids: CountingIds,
    script: Mutex<VecDeque<NotDone>>,
    attempted: Mutex<Vec<JobId>>,
    /// The reasons of jobs that it was told are given up.
    given_up: Mutex<Vec<String>>,
    /// The error of acting on a job that is given up.
    given_up_error: Mutex<Option<StoreError>>,
    /// How long an attempt takes.
    takes: std::time::Duration,
    under_way: AtomicUsize,
    most_under_way: AtomicUsize,
}

#[async_trait]
impl JobHandler for TestHandler {
    const SCHEDULE: RetrySchedule = RetrySchedule {
        waits: &[Duration::seconds(10)],
        later_wait: Duration::hours(1),
        give_up_after: Duration::hours(2),
        too_late: "not done within 2 hours",
    };
    const WRITES_TO_CUSTOMERS: bool = true;
    type Payload = Errand;

    fn jobs(&self) -> &JobContext {
        &self.jobs
    }

    async fn handle(&self, job: &Leased<Errand>) -> Result<(), NotDone> {
        let under_way = self.under_way.fetch_add(1, Ordering::SeqCst) + 1;
        self.most_under_way.fetch_max(under_way, Ordering::SeqCst);
        tokio::time::sleep(self.takes).await;
        self.under_way.fetch_sub(1, Ordering::SeqCst);
        self.attempted.lock().unwrap().push(job.lease.id);
        match self.script.lock().unwrap().pop_front() {
            Some(not_done) => Err(not_done),
            None => Ok(()),
        }
    }

    async fn given_up(&self, _: &Leased<Errand>, reason: &str) -> StoreResult<()> {
        self.given_up.lock().unwrap().push(reason.to_owned());
        self.given_up_error.lock().unwrap().take().map_or(Ok(()), Err)
    }
}

impl TestHandler {
    fn new(script: impl IntoIterator<Item = NotDone>) -> Arc<Self> {
        let (queue, clock) = (Arc::new(ScriptedQueue::default()), Arc::new(TokioClock(Instant::now())));
        let max_concurrent = NonZeroU32::new(3).unwrap();
        Arc::new(Self {
            jobs: JobContext { queue: queue.clone(), clock: clock.clone(), max_concurrent },
            queue,
            clock,
            ids: CountingIds::default(),
            script: Mutex::new(script.into_iter().collect()),
            attempted: Mutex::default(),
            given_up: Mutex::default(),
            given_up_error: Mutex::default(),
            takes: std::time::Duration::from_millis(1),
            under_way: AtomicUsize::default(),
            most_under_way: AtomicUsize::default(),
        })
    }

    fn queue_one(&self) -> JobId {
        self.queue_payload("7")
    }

    fn queue_payload(&self, payload: &str) -> JobId {
        self.queue_job(payload, false)
    }

    fn queue_job(&self, payload: &str, to_customer: bool) -> JobId {
        self.queue_new(payload, to_customer).id
    }

    fn queue_new(&self, payload: &str, to_customer: bool) -> NewJob {
        let queued_at = self.clock.now();
        let (id, account) = (Id::new(&self.ids, queued_at), Id::new(&self.ids, queued_at));
        let job = NewJob {
            to_customer,
            payload: payload.to_owned(),
            ..NewJob::of(&Errand(7), id, account, queued_at)
        };
        self.queue.memory.put(job.clone());
        job
    }

    fn outcome(&self, id: JobId) -> Option<Outcome> {
        self.queue.memory.last_outcome(id)
    }

    fn attempts(&self) -> usize {
        self.attempted.lock().unwrap().len()
    }

    fn fail_recordings(&self, error: Option<fn() -> StoreError>) {
        *self.queue.record_error.lock().unwrap() = error;
    }

    async fn lease_one(&self) -> Lease {
        let due =
            Due { kind: Errand::KIND, now: self.clock.now(), lease_for: LEASE, limit: 1, held_at_most: None };
        self.queue.lease_due(due).await.unwrap()[0].lease
    }
}

async fn pass(by: Duration) {
    tokio::time::sleep(by.try_into().unwrap()).await;
}

/// Lets time pass, does what is due then and returns how many attempts that took.
async fn attempts_after(handler: &Arc<TestHandler>, wait: Duration) -> usize {
    pass(wait).await;
    run_until_idle(handler.clone()).await
}

/// Runs until the sender sends.
fn start(
    handler: &Arc<TestHandler>,
    monitor: Arc<dyn Monitor>,
) -> (oneshot::Sender<()>, tokio::task::JoinHandle<()>) {
    let (stop, stopped) = oneshot::channel::<()>();
    let stopped = async move {
        stopped.await.ok();
    };
    let running = tokio::spawn(outbox::run(handler.clone(), monitor, stopped));
    (stop, running)
}

fn busy() -> NotDone {
    Failure::Temporary("try\r\nagain later".to_owned()).into()
}

fn unavailable() -> StoreError {
    StoreError::Unavailable("connection refused".into())
}

fn failed() -> StoreError {
    StoreError::Failed("disk full".into())
}

#[tokio::test(start_paused = true)]
async fn failed_job_is_tried_again_after_its_wait_and_done_job_is_not() {
    let handler = TestHandler::new([busy()]);
    let id = handler.queue_one();
    assert_eq!(run_until_idle(handler.clone()).await, 1);
    let Some(Outcome::Retry { at, next_attempt_at, reason }) = handler.outcome(id) else {
        panic!("{:?}", handler.outcome(id))
    };
    assert_eq!(next_attempt_at - at, Duration::seconds(10));
    assert_eq!(reason, "try again later");
    assert_eq!(attempts_after(&handler, Duration::seconds(9)).await, 0);
    assert_eq!(attempts_after(&handler, Duration::seconds(1)).await, 1);
    assert!(matches!(handler.outcome(id), Some(Outcome::Done { .. })));
    assert_eq!(attempts_after(&handler, Duration::days(2)).await, 0);
}

#[tokio::test(start_paused = true)]
async fn refused_or_too_old_job_is_given_up_with_its_reason() {
    let refusal = Failure::Permanent("no such street".to_owned()).into();
    for (not_done, wait, expected) in [
        (busy(), Duration::hours(2), "not done within 2 hours; the last attempt: try again later"),
        (refusal, Duration::ZERO, "no such street"),
    ] {
        let handler = TestHandler::new([not_done]);
        let id = handler.queue_one();
        assert_eq!(attempts_after(&handler, wait).await, 1);
        let outcome = handler.outcome(id);
        assert!(
            matches!(&outcome, Some(Outcome::GivenUp { reason, .. }) if reason == expected),
            "{outcome:?}"
        );
        assert_eq!(*handler.given_up.lock().unwrap(), [expected]);
        assert_eq!(attempts_after(&handler, Duration::days(2)).await, 0);
    }
}

#[tokio::test(start_paused = true)]
async fn job_is_given_up_once_the_handler_has_acted_on_it() {
    let refusal = || Failure::Permanent("no such street".to_owned()).into();
    let handler = TestHandler::new([refusal(), refusal()]);
    *handler.given_up_error.lock().unwrap() = Some(unavailable());
    let id = handler.queue_one();
    assert_eq!(run_until_idle(handler.clone()).await, 1);
    assert!(matches!(handler.outcome(id), Some(Outcome::Retry { .. })));
    assert_eq!(attempts_after(&handler, Duration::seconds(5)).await, 1);
    assert!(matches!(handler.outcome(id), Some(Outcome::GivenUp { .. })));
    assert_eq!(*handler.given_up.lock().unwrap(), ["no such street"; 2]);
}

#[tokio::test(start_paused = true)]
async fn job_that_is_still_held_at_the_end_of_its_schedule_is_given_up_without_an_attempt() {
    let handler = TestHandler::new([]);
    let id = handler.queue_job("7", true);
    handler.queue.memory.hold_customers();
    let almost = Duration::hours(2) - Duration::seconds(1);
    assert_eq!(attempts_after(&handler, almost).await, 0);
    assert_eq!(handler.outcome(id), None);
    attempts_after(&handler, Duration::seconds(1)).await;
    let expected = "the account was switched off, or its communications were";
    let outcome = handler.outcome(id);
    assert!(matches!(&outcome, Some(Outcome::GivenUp { reason, .. }) if reason == expected), "{outcome:?}");
    assert_eq!(
        (handler.attempts(), handler.given_up.lock().unwrap().as_slice()),
        (0, &[expected.to_owned()][..])
    );
}

#[tokio::test(start_paused = true)]
async fn job_whose_payload_is_something_else_waits_for_a_process_that_can_read_it() {
    let handler = TestHandler::new([]);
    let id = handler.queue_payload("{\"secret\": 1}");
    assert_eq!(run_until_idle(handler.clone()).await, 1);
    let outcome = handler.outcome(id);
    let expected = "the stored payload cannot be read";
    assert!(matches!(&outcome, Some(Outcome::Retry { reason, .. }) if reason == expected), "{outcome:?}");
    assert_eq!(handler.attempts(), 0);
}

#[tokio::test(start_paused = true)]
async fn attempt_during_which_the_store_failed_is_made_again_soon_and_then_ever_more_rarely() {
    let handler = TestHandler::new((0..9).map(|_| unavailable().into()));
    handler.queue_one();
    assert_eq!(run_until_idle(handler.clone()).await, 1);
    for wait in [5, 10, 20, 40, 80, 160, 300, 300].map(Duration::seconds) {
        assert_eq!(attempts_after(&handler, wait - Duration::seconds(1)).await, 0);
        assert_eq!(attempts_after(&handler, Duration::seconds(1)).await, 1);
    }
}

#[tokio::test(start_paused = true)]
async fn stop_waits_for_attempts_under_way_and_records_them() {
    let mut handler = TestHandler::new([]);
    Arc::get_mut(&mut handler).unwrap().takes = std::time::Duration::from_secs(5);
    let ids: Vec<_> = (0..4).map(|_| handler.queue_one()).collect();
    let (stop, running) = start(&handler, Arc::new(()));
    pass(Duration::seconds(1)).await;
    stop.send(()).unwrap();
    running.await.unwrap();
    let done = ids.into_iter().filter(|id| matches!(handler.outcome(*id), Some(Outcome::Done { .. })));
    assert_eq!(done.count(), 3, "the fourth was not leased");
    assert_eq!(handler.attempts(), 3);
}

#[tokio::test(start_paused = true)]
async fn lease_of_a_lost_process_is_taken_over_when_it_ends() {
    let handler = TestHandler::new([]);
    handler.queue_one();
    handler.lease_one().await;
    assert_eq!(run_until_idle(handler.clone()).await, 0);
    assert_eq!(attempts_after(&handler, LEASE).await, 1);
}

#[tokio::test(start_paused = true)]
async fn late_outcome_is_refused_unless_the_job_was_done() {
    let handler = TestHandler::new([busy()]);
    let id = handler.queue_one();
    let late = handler.lease_one().await;
    assert_eq!(attempts_after(&handler, LEASE).await, 1);
    let kept = handler.outcome(id);
    let gives_up = Outcome::after_permanent(handler.clock.now(), "no");
    let record = async |outcome: &Outcome| handler.queue.record(late, outcome).await.unwrap();
    assert_eq!(record(&gives_up).await, Recorded::LeaseLost);
    assert_eq!(handler.outcome(id), kept);
    let at = handler.clock.now();
    assert_eq!(record(&Outcome::Done { at }).await, Recorded::Done);
    assert_eq!(attempts_after(&handler, Duration::days(1)).await, 0);
    assert_eq!(record(&gives_up).await, Recorded::LeaseLost);
}

#[tokio::test(start_paused = true)]
async fn lease_of_another_account_is_refused() {
    let handler = TestHandler::new([]);
    handler.queue_one();
    let mut lease = handler.lease_one().await;
    lease.account = Id::new(&handler.ids, handler.clock.now());
    let at = handler.clock.now();
    let recorded = handler.queue.record(lease, &Outcome::Done { at }).await;
    assert_eq!(recorded.unwrap(), Recorded::LeaseLost);
}

#[tokio::test(start_paused = true)]
async fn two_workers_share_jobs_without_attempting_twice() {
    let handler = TestHandler::new([]);
    let queued: Vec<_> = (0..5).map(|_| handler.queue_one()).collect();
    let (one, two) = tokio::join!(run_until_idle(handler.clone()), run_until_idle(handler.clone()));
    assert_eq!(one + two, 5);
    let mut attempted = handler.attempted.lock().unwrap().clone();
    attempted.sort();
    assert_eq!(attempted, queued);
}

#[tokio::test(start_paused = true)]
async fn attempts_under_way_are_limited() {
    let handler = TestHandler::new([]);
    for _ in 0..10 {
        handler.queue_one();
    }
    assert_eq!(run_until_idle(handler.clone()).await, 10);
    assert_eq!(handler.most_under_way.load(Ordering::SeqCst), 3);
}
