//! The worker: leases what is due, attempts it, records what came of it.
//!
//! The whole story of a delivery:
//!
//! 1. It is written with its event by the transaction of what happened ([`webhooks::publish()`]), due at once.
//! 2. A courier leases it, in a batch: in one statement its attempt is counted and its next one put at the time that would follow the
//!    latest failure. From here on nothing that happens to this process loses it, and nothing makes a sixth attempt.
//! 3. It waits in the lane of its endpoint for its turn, which comes at once unless that endpoint has too many under way. Lanes do not
//!    wait for each other.
//! 4. It is posted, signed, outside any transaction. 2xx is a success; anything else is a failure.
//! 5. What came of it is recorded, in a batch with whatever ended meanwhile: the attempt in the log, the delivery succeeded, abandoned,
//!    or due again after the wait of the schedule. If that cannot be recorded now, it is tried until it can.
//!
//! Couriers in any number of processes share the deliveries. One that is killed between 2 and 5 costs the attempts that it had leased,
//! never a delivery; a receiver may then see an event again, which it knows by its id.
//!
//! ```
//! use std::sync::Arc;
//! use std::time::Duration;
//!
//! use courier_tokio::DeliveryWorker;
//! use kernel::{HttpsUrl, SealingKeys, StoreError, SystemClock};
//! use time::OffsetDateTime;
//! use webhooks::{
//!     Claim, Claimed, DeliveryQueue, DeliverySignal, Means, Response, Schedule, SendError, Sender, Settled,
//! };
//!
//! /// A queue in which nothing is ever due; `store-diesel` has a real one.
//! struct Empty;
//!
//! #[async_trait::async_trait]
//! impl DeliveryQueue for Empty {
//!     async fn lease_due(&self, _: Claim<'_>) -> Result<Claimed, StoreError> {
//!         Ok(Claimed::default())
//!     }
//!     async fn record(&self, _: &[Settled]) -> Result<(), StoreError> {
//!         Ok(())
//!     }
//!     async fn sweep(&self, _: OffsetDateTime, _: u32, _: u32) -> Result<u64, StoreError> {
//!         Ok(0)
//!     }
//!     async fn prune(&self, _: OffsetDateTime, _: u32) -> Result<u64, StoreError> {
//!         Ok(0)
//!     }
//! }
//!
//! #[async_trait::async_trait]
//! impl DeliverySignal for Empty {
//!     async fn published(&self) {
//!         std::future::pending().await
//!     }
//! }
//!
//! /// A way to no receiver; `webhook-reqwest` has a real one.
//! struct Nowhere;
//!
//! #[async_trait::async_trait]
//! impl Sender for Nowhere {
//!     async fn send(&self, _: &HttpsUrl, _: &str, _: &str, _: Duration) -> Result<Response, SendError> {
//!         Err(SendError::Failed("there is nobody".to_owned()))
//!     }
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! let worker = DeliveryWorker {
//!     queue: Arc::new(Empty),
//!     signal: Arc::new(Empty),
//!     means: Means {
//!         sender: Arc::new(Nowhere),
//!         keys: Arc::new(SealingKeys::new(&[7; 32], None)),
//!         clock: Arc::new(SystemClock),
//!         schedule: Schedule::default(),
//!     },
//! };
//! let stop = async {};
//! worker.run(stop).await;
//! # }
//! ```

mod round;

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::MissedTickBehavior;
use webhooks::{DeliveryQueue, DeliverySignal, Means};

use round::Round;

/// How often the queue is looked at without a signal: retries, and what another process has published where the database cannot tell.
const LOOK: Duration = Duration::from_secs(1);

/// Delivers what is due. Any number of delivery workers, in any number of processes, share a queue.
#[derive(Clone)]
pub struct DeliveryWorker {
    /// The deliveries.
    pub queue: Arc<dyn DeliveryQueue>,
    /// Tells when something was published.
    pub signal: Arc<dyn DeliverySignal>,
    /// What attempts are made with.
    pub means: Means,
}

impl DeliveryWorker {
    /// Delivers until `stop` is done; then gives back what waits, and ends when what is under way is recorded, or after 20 seconds: what
    /// is still under way then has cost its attempt.
    pub async fn run(&self, stop: impl Future<Output = ()>) {
        let mut round = Round::new(self);
        let mut stop = pin!(stop);
        let mut looks = tokio::time::interval(LOOK);
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            round.go_on();
            tokio::select! {
                () = &mut stop => break,
                _ = looks.tick() => round.look(),
                () = self.signal.published() => round.look(),
                () = round.something_ends() => {}
            }
        }
        round.finish().await;
    }
}
