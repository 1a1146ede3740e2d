//! The worker against a queue in memory and another side that does as it is told.

use std::collections::VecDeque;
use std::num::NonZeroU32;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use kernel::{AccountId, Clock, Entity, Id, StoreError};
use testkit::{CountingIds, StillClock};
use time::{Duration, OffsetDateTime};

use super::Worker;
use crate::{
    Failure, LEASE, Lease, Leased, MemoryQueue, NotDone, Outcome, Queue, Recorded, Round, Schedule,
    Work,
};

const SCHEDULE: Schedule = Schedule {
    waits: &[Duration::seconds(10)],
    later_wait: Duration::hours(1),
    give_up_after: Duration::hours(2),
    too_late: "not done within 2 hours",
};

#[derive(Debug)]
enum ErrandEntity {}
impl Entity for ErrandEntity {
    const NAME: &'static str = "errand";
}

#[derive(Debug, Clone)]
struct Errand {
    id: Id<ErrandEntity>,
    account: AccountId,
    queued_at: OffsetDateTime,
}

impl Work for Errand {
    type Entity = ErrandEntity;

    fn id(&self) -> Id<ErrandEntity> {
        self.id
    }

    fn account(&self) -> AccountId {
        self.account
    }

    fn queued_at(&self) -> OffsetDateTime {
        self.queued_at
    }
}

/// Does as scripted, then what it is asked; counts how many attempts are at it at a time.
#[derive(Default)]
struct House {
    queue: MemoryQueue<Errand>,
    clock: StillClock,
    ids: CountingIds,
    script: Mutex<VecDeque<NotDone>>,
    asked: Mutex<Vec<Id<ErrandEntity>>>,
    busy: AtomicUsize,
    busiest: AtomicUsize,
    /// How many recordings run into another transaction before one does not.
    contended: AtomicUsize,
}

/// The queue in memory, with recordings that run into other transactions.
#[async_trait]
impl Queue<Errand> for House {
    async fn lease_due(
        &self,
        now: OffsetDateTime,
        lease_for: Duration,
        most: u32,
    ) -> Result<Vec<Leased<Errand>>, StoreError> {
        self.queue.lease_due(now, lease_for, most).await
    }

    async fn record(
        &self,
        lease: Lease<ErrandEntity>,
        outcome: &Outcome,
    ) -> Result<Recorded, StoreError> {
        let one_less = |left: usize| left.checked_sub(1);
        let contended = &self.contended;
        match contended.fetch_update(Ordering::SeqCst, Ordering::SeqCst, one_less) {
            Ok(_) => Err(StoreError::Contended("deadlock".into())),
            Err(_) => self.queue.record(lease, outcome).await,
        }
    }
}

impl House {
    fn new(script: impl IntoIterator<Item = NotDone>) -> Self {
        Self {
            script: Mutex::new(script.into_iter().collect()),
            ..Self::default()
        }
    }

    fn queue_one(&self) -> Id<ErrandEntity> {
        let queued_at = self.clock.now();
        let errand = Errand {
            id: Id::new(&self.ids, queued_at),
            account: Id::new(&self.ids, queued_at),
            queued_at,
        };
        self.queue.put(&errand);
        errand.id
    }

    async fn ask(&self, leased: Leased<Errand>) -> Result<(), NotDone> {
        let busy = self.busy.fetch_add(1, Ordering::SeqCst) + 1;
        self.busiest.fetch_max(busy, Ordering::SeqCst);
        tokio::task::yield_now().await;
        self.busy.fetch_sub(1, Ordering::SeqCst);
        self.asked.lock().unwrap().push(leased.work.id);
        match self.script.lock().unwrap().pop_front() {
            Some(not_done) => Err(not_done),
            None => Ok(()),
        }
    }

    async fn work_off(&self) -> Round<ErrandEntity> {
        let worker = Worker {
            queue: self,
            clock: &self.clock,
            schedule: &SCHEDULE,
            max_concurrent: NonZeroU32::new(3).unwrap(),
        };
        worker.work_off(|leased| self.ask(leased)).await.unwrap()
    }

    /// Lets time pass, makes a round and says how many attempts it made.
    async fn round_after(&self, wait: Duration) -> usize {
        self.clock.advance(wait);
        let round = self.work_off().await;
        for attempted in &round.attempts {
            assert_eq!(*attempted.recorded.as_ref().unwrap(), Recorded::Done);
        }
        round.attempts.len()
    }

    async fn lease_all(&self) -> Vec<Leased<Errand>> {
        let leased = self.queue.lease_due(self.clock.now(), LEASE, 9);
        leased.await.unwrap()
    }
}

fn busy() -> NotDone {
    Failure::Temporary("try\r\nagain later".to_owned()).into()
}

#[tokio::test]
async fn what_failed_is_tried_when_its_wait_is_over_and_what_is_done_is_left_alone() {
    let house = House::new([busy()]);
    let id = house.queue_one();
    assert_eq!(house.round_after(Duration::ZERO).await, 1);
    let retry = Outcome::Retry {
        at: StillClock::START,
        next_attempt_at: StillClock::START + Duration::seconds(10),
        reason: "try again later".to_owned(),
    };
    assert_eq!(house.queue.last_outcome(id), Some(retry));
    assert_eq!(house.round_after(Duration::seconds(9)).await, 0);
    assert_eq!(house.round_after(Duration::seconds(1)).await, 1);
    let at = house.clock.now();
    assert_eq!(house.queue.last_outcome(id), Some(Outcome::Done { at }));
    assert_eq!(house.round_after(Duration::days(2)).await, 0);
}

#[tokio::test]
async fn what_is_too_old_or_refused_for_good_is_given_up_with_its_reason() {
    let refusal = Failure::Permanent("no such street".to_owned()).into();
    for (not_done, wait, expected) in [
        (
            busy(),
            SCHEDULE.give_up_after,
            "not done within 2 hours; the last attempt: try again later",
        ),
        (refusal, Duration::ZERO, "no such street"),
    ] {
        let house = House::new([not_done]);
        let id = house.queue_one();
        assert_eq!(house.round_after(wait).await, 1);
        let (at, reason) = (house.clock.now(), expected.to_owned());
        let given_up = Outcome::GivenUp { at, reason };
        assert_eq!(house.queue.last_outcome(id), Some(given_up));
        assert_eq!(house.round_after(Duration::days(2)).await, 0);
    }
}

#[tokio::test]
async fn after_a_failure_of_our_own_store_nothing_is_recorded_and_the_lease_runs_out() {
    let down = StoreError::Unavailable("connection refused".into());
    let house = House::new([down.into()]);
    let id = house.queue_one();
    let round = house.work_off().await;
    assert!(round.attempts[0].outcome.is_none() && round.attempts[0].recorded.is_err());
    assert_eq!(house.queue.last_outcome(id), None);
    assert_eq!(
        house.round_after(LEASE - Duration::microseconds(1)).await,
        0
    );
    assert_eq!(house.round_after(Duration::microseconds(1)).await, 1);
}

#[tokio::test]
async fn a_recording_that_runs_into_another_transaction_is_made_again_without_another_attempt() {
    let house = House::default();
    let id = house.queue_one();
    house.contended.store(2, Ordering::SeqCst);
    assert_eq!(house.round_after(Duration::ZERO).await, 1);
    let at = house.clock.now();
    assert_eq!(house.queue.last_outcome(id), Some(Outcome::Done { at }));
    assert_eq!(*house.asked.lock().unwrap(), [id]);
}

#[tokio::test]
async fn an_outcome_that_cannot_be_recorded_is_told_and_the_work_is_due_again() {
    let house = House::default();
    house.queue_one();
    house.contended.store(99, Ordering::SeqCst);
    let round = house.work_off().await;
    let attempted = &round.attempts[0];
    assert!(matches!(attempted.outcome, Some(Outcome::Done { .. })));
    assert!(attempted.recorded.is_err());
    house.contended.store(0, Ordering::SeqCst);
    assert_eq!(house.round_after(LEASE).await, 1);
}

#[tokio::test]
async fn what_a_lost_process_had_leased_is_taken_over_when_the_lease_runs_out() {
    let house = House::default();
    let id = house.queue_one();
    assert_eq!(house.lease_all().await.len(), 1);
    assert_eq!(house.round_after(Duration::ZERO).await, 0);
    assert_eq!(house.round_after(LEASE).await, 1);
    assert_eq!(*house.asked.lock().unwrap(), [id]);
}

#[tokio::test]
async fn a_process_that_comes_back_late_overrides_nobody() {
    let house = House::new([busy()]);
    let id = house.queue_one();
    let late = house.lease_all().await[0].lease();
    assert_eq!(house.round_after(LEASE).await, 1);
    let kept = house.queue.last_outcome(id);
    let gives_up = Outcome::after_permanent(house.clock.now(), "no");
    let record = async |outcome: &Outcome| house.queue.record(late, outcome).await.unwrap();
    assert_eq!(record(&gives_up).await, Recorded::LeaseLost);
    assert_eq!(house.queue.last_outcome(id), kept);
    // But that it was done is true whoever says so, and ends the attempts of the others.
    let at = house.clock.now();
    assert_eq!(record(&Outcome::Done { at }).await, Recorded::Done);
    assert_eq!(house.round_after(Duration::days(1)).await, 0);
    assert_eq!(record(&gives_up).await, Recorded::LeaseLost);
}

#[tokio::test]
async fn another_account_cannot_record_on_a_lease() {
    let house = House::default();
    house.queue_one();
    let mut lease = house.lease_all().await[0].lease();
    lease.account = Id::new(&house.ids, house.clock.now());
    let done = Outcome::Done {
        at: house.clock.now(),
    };
    let recorded = house.queue.record(lease, &done).await.unwrap();
    assert_eq!(recorded, Recorded::LeaseLost);
}

#[tokio::test]
async fn two_workers_share_the_work_and_do_nothing_twice() {
    let house = House::default();
    let queued: Vec<_> = (0..5).map(|_| house.queue_one()).collect();
    let (one, two) = tokio::join!(house.work_off(), house.work_off());
    assert_eq!((one.attempts.len(), two.attempts.len()), (3, 2));
    assert!(one.more && !two.more);
    let mut asked = house.asked.lock().unwrap().clone();
    asked.sort();
    assert_eq!(asked, queued);
}

#[tokio::test]
async fn no_more_attempts_are_under_way_at_a_time_than_allowed() {
    let house = House::default();
    for _ in 0..10 {
        house.queue_one();
    }
    let mut rounds = 1;
    while house.work_off().await.more {
        rounds += 1;
    }
    assert_eq!(rounds, 4);
    assert_eq!(house.busiest.load(Ordering::SeqCst), 3);
}
