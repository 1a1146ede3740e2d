//! A delivery worker with an in-memory queue, scripted receivers, and a clock that follows tokio's paused
//! time.

use std::collections::HashMap;
use std::future::Future;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use kernel::{AccountId, Clock, HttpsUrl, Id, SealingKeys, SystemRandom};
use testkit::FixedClock;
use time::OffsetDateTime;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::Instant;
use uuid::Uuid;
use webhooks::{
    DeliverySchedule, DeliveryWorker, EndpointId, ReceiverResponse, SendError, SigningSecret, WebhookSender,
};

use crate::queue::MemoryQueue;

/// The behaviour of a receiver.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Behavior {
    /// It responds with this status after a while.
    Answers(u16, Duration),
    /// It responds with this status and a part of the body, and closes the connection.
    BreaksOff(u16),
    /// It sends this status and a part of the body, and nothing more.
    Stalls(u16),
    /// It never responds.
    Hangs,
    /// Sending to it panics.
    Panics,
}

/// Follows tokio's paused time, so that tests do not wait.
pub(crate) struct TokioClock(Instant);

impl Clock for TokioClock {
    fn now(&self) -> OffsetDateTime {
        FixedClock::START + self.0.elapsed()
    }
}

/// A delivery that reached a receiver.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Received {
    pub(crate) endpoint: EndpointId,
    pub(crate) body: String,
    pub(crate) at: OffsetDateTime,
}

pub(crate) struct Receivers {
    clock: Arc<TokioClock>,
    behaviors: Mutex<HashMap<EndpointId, Behavior>>,
    received: Mutex<Vec<Received>>,
}

impl Receivers {
    pub(crate) fn behave(&self, endpoint: EndpointId, behavior: Behavior) {
        self.behaviors.lock().unwrap().insert(endpoint, behavior);
    }

    pub(crate) fn received_by(&self, endpoint: EndpointId) -> Vec<Received> {
        let received = self.received.lock().unwrap();
        let of_this = received.iter().filter(|one| one.endpoint == endpoint);
        of_this.cloned().collect()
    }

    pub(crate) fn received(&self) -> Vec<Received> {
        self.received.lock().unwrap().clone()
    }
}

#[async_trait]
impl WebhookSender for Receivers {
    async fn send(
        &self,
        url: &HttpsUrl,
        body: &str,
        _signature: &str,
        limit: Duration,
    ) -> Result<ReceiverResponse, SendError> {
        let host = url.url().host_str().unwrap();
        let endpoint = Id::parse(host.strip_suffix(".example.com").unwrap()).unwrap();
        self.received.lock().unwrap().push(Received {
            endpoint,
            body: body.to_owned(),
            at: self.clock.now(),
        });
        let behavior = self.behaviors.lock().unwrap().get(&endpoint).copied();
        let begun = |status| ReceiverResponse { status, body: b"half".to_vec() };
        let (status, after) = match behavior.unwrap_or(Behavior::Answers(200, Duration::ZERO)) {
            Behavior::Answers(status, after) => (status, after),
            Behavior::BreaksOff(status) => return Err(SendError::BrokeOff(begun(status))),
            Behavior::Stalls(status) => {
                tokio::time::sleep(limit).await;
                return Err(SendError::Stalled(limit, begun(status)));
            }
            Behavior::Hangs => (0, Duration::MAX),
            Behavior::Panics => panic!("scripted"),
        };
        tokio::time::sleep(after.min(limit)).await;
        if after >= limit {
            return Err(SendError::TimedOut(limit));
        }
        let body = b"ok".to_vec();
        Ok(ReceiverResponse { status, body })
    }
}

/// One queue, its receivers, and the delivery workers that a test starts.
pub(crate) struct TestApp {
    pub(crate) clock: Arc<TokioClock>,
    pub(crate) queue: Arc<MemoryQueue>,
    pub(crate) receivers: Arc<Receivers>,
}

/// A running delivery worker.
pub(crate) struct RunningWorker {
    stop: oneshot::Sender<()>,
    run: JoinHandle<()>,
}

impl RunningWorker {
    pub(crate) async fn stop(self) {
        self.stop.send(()).unwrap();
        self.run.await.unwrap();
    }
}

impl TestApp {
    pub(crate) fn new() -> Self {
        let clock = Arc::new(TokioClock(Instant::now()));
        let receivers =
            Receivers { clock: clock.clone(), behaviors: Mutex::default(), received: Mutex::default() };
        Self { clock, queue: Arc::new(MemoryQueue::default()), receivers: Arc::new(receivers) }
    }

    pub(crate) fn start_worker(&self) -> RunningWorker {
        let worker = DeliveryWorker {
            queue: self.queue.clone(),
            signal: self.queue.clone(),
            sender: self.receivers.clone(),
            keys: Arc::new(keys()),
            clock: self.clock.clone(),
            schedule: DeliverySchedule::default(),
        };
        let (stop, stopped) = oneshot::channel();
        let run = tokio::spawn(async move {
            let stopped = async move {
                // Dropping the sender does not stop the worker: the test then ends without a clean stop.
                if stopped.await.is_err() {
                    std::future::pending::<()>().await;
                }
            };
            outbox::run(Arc::new(worker), Arc::new(()), stopped).await;
        });
        RunningWorker { stop, run }
    }

    pub(crate) fn publish(&self, endpoint: EndpointId, count: usize) {
        self.queue.publish(endpoint, count, self.clock.now());
    }

    /// Lets simulated time pass until a condition holds; fails if it does not within a simulated day.
    pub(crate) async fn until(&self, what: &str, holds: impl Fn(&Self) -> bool) {
        let end = self.clock.now() + time::Duration::DAY;
        while !holds(self) {
            assert!(self.clock.now() < end, "waited a day for {what}");
            pass(Duration::from_secs(1)).await;
        }
    }
}

/// Lets simulated time pass.
pub(crate) fn pass(by: Duration) -> impl Future<Output = ()> {
    tokio::time::sleep(by)
}

pub(crate) fn endpoint(n: u128) -> EndpointId {
    Id::from_uuid(Uuid::from_u128(n << 64))
}

/// An endpoint whose secret was sealed under a key that the delivery workers of these tests lack.
pub(crate) fn sealed_elsewhere() -> EndpointId {
    endpoint(1_000_000)
}

pub(crate) fn account() -> AccountId {
    Id::from_uuid(Uuid::from_u128(7))
}

fn keys() -> SealingKeys {
    SealingKeys::new(&[9; 32], None)
}

pub(crate) fn sealed_secret(endpoint: EndpointId) -> Vec<u8> {
    let secret = SigningSecret::parse(&"s".repeat(43)).unwrap();
    let random = SystemRandom::default();
    let keys = if endpoint == sealed_elsewhere() { SealingKeys::new(&[8; 32], None) } else { keys() };
    secret.seal(&keys, &random, account(), endpoint).0
}
