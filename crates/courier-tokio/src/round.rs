//! What a courier has in hand.

use std::collections::HashMap;
use std::time::Duration;

use kernel::StoreError;
use time::OffsetDateTime;
use tokio::task::{Id as TaskId, JoinError, JoinHandle, JoinSet};
use tokio::time::{Instant, timeout_at};

use webhooks::lanes::FIRST_WINDOW;
use webhooks::{
    Claim, Claimed, DeliveryId, EndpointId, Lanes, LeasedDelivery, Pace, Settled, Verdict,
};

use super::DeliveryWorker;

/// How many deliveries are leased or recorded at once at the most.
const BATCH: u32 = 512;
/// How many outcomes may wait to be recorded before no more is leased: the store is in trouble then.
const MOST_UNRECORDED: usize = 2_048;
/// How long a courier that stops waits for what is under way.
const FAREWELL: Duration = Duration::from_secs(20);
/// How long is waited before the store is asked again after it failed.
const STORE_PAUSE: Duration = Duration::from_millis(500);

type Claiming = JoinHandle<Result<(Claimed, OffsetDateTime), StoreError>>;
type Recording = JoinHandle<(Vec<Settled>, Result<(), StoreError>)>;

/// What a courier has in hand. Leasing, attempts and recording are tasks of their own, so that none waits for another and none is
/// dropped half-way.
pub(super) struct Round<'a> {
    worker: &'a DeliveryWorker,
    lanes: Lanes,
    attempts: JoinSet<(Settled, Pace)>,
    under_way: HashMap<TaskId, UnderWay>,
    settled: Vec<Settled>,
    claiming: Option<Claiming>,
    recording: Option<Recording>,
    /// Something may be due that is not leased yet.
    look: bool,
}

struct UnderWay {
    endpoint: EndpointId,
    delivery: DeliveryId,
    began_at: OffsetDateTime,
}

impl<'a> Round<'a> {
    pub(super) fn new(worker: &'a DeliveryWorker) -> Self {
        Self {
            worker,
            lanes: Lanes::default(),
            attempts: JoinSet::new(),
            under_way: HashMap::new(),
            settled: Vec::new(),
            claiming: None,
            recording: None,
            look: true,
        }
    }

    /// Has the queue looked at as soon as that can be.
    pub(super) fn look(&mut self) {
        self.look = true;
        let now = self.worker.means.clock.now();
        let impatient = self.lanes.impatient(now);
        self.give_back(impatient, now);
    }

    /// Begins all that may begin.
    pub(super) fn go_on(&mut self) {
        self.begin_attempts();
        self.record();
        self.claim();
    }

    fn begin_attempts(&mut self) {
        let now = self.worker.means.clock.now();
        while let Some(leased) = self.lanes.begin(now) {
            let under_way = UnderWay {
                endpoint: leased.endpoint,
                delivery: leased.lease.id,
                began_at: now,
            };
            let means = self.worker.means.clone();
            let task = self
                .attempts
                .spawn(async move { means.attempt(&leased).await });
            self.under_way.insert(task.id(), under_way);
        }
    }

    fn claim(&mut self) {
        let most = self.lanes.room().min(BATCH);
        let overwhelmed = self.settled.len() >= MOST_UNRECORDED;
        if !self.look || self.claiming.is_some() || most == 0 || overwhelmed {
            return;
        }
        self.look = false;
        let now = self.worker.means.clock.now();
        let rooms = self.lanes.rooms(now);
        let (queue, schedule) = (
            self.worker.queue.clone(),
            self.worker.means.schedule.clone(),
        );
        self.claiming = Some(tokio::spawn(async move {
            let claim = Claim {
                now,
                most,
                per_endpoint: FIRST_WINDOW,
                rooms: &rooms,
                schedule: &schedule,
            };
            let claimed = queue.lease_due(claim).await;
            if claimed.is_err() {
                tokio::time::sleep(STORE_PAUSE).await;
            }
            // Leases run from the instant that was asked with, however long the store took to answer.
            claimed.map(|claimed| (claimed, now))
        }));
    }

    fn record(&mut self) {
        if self.recording.is_some() || self.settled.is_empty() {
            return;
        }
        let most = usize::try_from(BATCH).unwrap_or(usize::MAX);
        let batch: Vec<Settled> = self.settled.drain(..most.min(self.settled.len())).collect();
        let queue = self.worker.queue.clone();
        self.recording = Some(tokio::spawn(async move {
            let recorded = queue.record(&batch).await;
            if recorded.is_err() {
                tokio::time::sleep(STORE_PAUSE).await;
            }
            (batch, recorded)
        }));
    }

    /// Waits until an attempt, a leasing or a recording has ended, and takes in what came of it. Dropping the future loses nothing.
    pub(super) async fn something_ends(&mut self) {
        tokio::select! {
            Some(ended) = self.attempts.join_next_with_id() => {
                self.ended(ended);
                // Whatever else has ended by now is taken in with it, so that it is recorded with it.
                while let Some(ended) = self.attempts.try_join_next_with_id() {
                    self.ended(ended);
                }
            }
            Some(claimed) = end_of(&mut self.claiming) => {
                self.claiming = None;
                self.claimed(claimed);
            }
            Some(recorded) = end_of(&mut self.recording) => {
                self.recording = None;
                self.recorded(recorded);
            }
            else => std::future::pending().await,
        }
    }

    fn claimed(
        &mut self,
        claimed: Result<Result<(Claimed, OffsetDateTime), StoreError>, JoinError>,
    ) {
        let (claimed, since) = match claimed {
            Ok(Ok(claimed)) => claimed,
            Ok(Err(error)) => {
                tracing::warn!(%error, "could not look for webhook deliveries");
                return;
            }
            Err(error) => {
                tracing::error!(%error, "looking for webhook deliveries broke off");
                return;
            }
        };
        self.look |= claimed.more;
        for leased in claimed.deliveries {
            self.lanes.take(leased, since);
        }
    }

    fn ended(&mut self, ended: Result<(TaskId, (Settled, Pace)), JoinError>) {
        let (id, settled) = match ended {
            Ok((id, settled)) => (id, Some(settled)),
            Err(error) => {
                // The lease runs out, and the delivery comes up again by its schedule.
                tracing::error!(%error, "an attempt at a webhook delivery broke off");
                (error.id(), None)
            }
        };
        let pace = settled.as_ref().map_or(Pace::Failed, |(_, pace)| *pace);
        if let Some(one) = self.under_way.remove(&id) {
            let now = self.worker.means.clock.now();
            let (endpoint, delivery) = (one.endpoint, one.delivery);
            self.look |= self.lanes.end(endpoint, delivery, one.began_at, now, pace);
        }
        if let Some((settled, _)) = settled {
            tell(&settled);
            self.settled.push(settled);
        }
    }

    fn recorded(&mut self, recorded: Result<(Vec<Settled>, Result<(), StoreError>), JoinError>) {
        match recorded {
            Ok((_, Ok(()))) => {}
            Ok((batch, Err(error))) => {
                tracing::warn!(%error, attempts = batch.len(), "could not record webhook attempts; trying again");
                self.settled.extend(batch);
            }
            Err(error) => tracing::error!(%error, "recording webhook attempts broke off"),
        }
    }

    fn give_back(&mut self, untried: Vec<LeasedDelivery>, now: OffsetDateTime) {
        self.settled
            .extend(untried.into_iter().map(|leased| Settled {
                lease: leased.lease,
                attempt: None,
                verdict: Verdict::Untried(now),
            }));
    }

    /// Gives back what waits, and sees through what is under way.
    pub(super) async fn finish(mut self) {
        let end = Instant::now() + FAREWELL;
        self.give_back_all();
        while self.has_something_in_hand() {
            self.record();
            if timeout_at(end, self.something_ends()).await.is_err() {
                let attempts = self.under_way.len();
                tracing::warn!(
                    attempts,
                    "stopped before every webhook attempt had ended; they are made again"
                );
                return;
            }
            // A leasing that was under way may have brought more.
            self.give_back_all();
        }
    }

    fn give_back_all(&mut self) {
        let waiting = self.lanes.all_waiting();
        self.give_back(waiting, self.worker.means.clock.now());
    }

    fn has_something_in_hand(&self) -> bool {
        !self.attempts.is_empty()
            || !self.settled.is_empty()
            || self.claiming.is_some()
            || self.recording.is_some()
    }
}

/// The end of a task, if there is one.
async fn end_of<T>(task: &mut Option<JoinHandle<T>>) -> Option<Result<T, JoinError>> {
    match task {
        Some(task) => Some(task.await),
        None => None,
    }
}

fn tell(settled: &Settled) {
    let (delivery, attempt) = (settled.lease.id, settled.lease.attempt);
    let (account, event) = (settled.lease.account, settled.lease.event);
    let logged = settled.attempt.as_ref();
    let status = logged.and_then(|attempt| attempt.response_status);
    let reason = logged.and_then(|attempt| attempt.error.as_deref());
    match settled.verdict {
        Verdict::Succeeded(_) => {
            tracing::debug!(%delivery, %event, attempt, status, "webhook delivered");
        }
        Verdict::Retry(next) => {
            tracing::info!(%account, %delivery, %event, attempt, status, reason, %next, "webhook not delivered yet");
        }
        Verdict::Abandoned(_) => {
            tracing::warn!(%account, %delivery, %event, attempt, status, reason, "webhook abandoned; `countinghouse webhook replay` delivers it once more");
        }
        Verdict::Untried(_) => {
            tracing::error!(%account, %delivery, "the signing secret of a webhook endpoint cannot be opened: restart with the master key that the database has moved to");
        }
    }
}
