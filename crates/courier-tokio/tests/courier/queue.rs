//! The deliveries, in memory, with the guarantees of the port.

use std::collections::{BTreeMap, HashMap};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use kernel::{Id, StoreError};
use time::OffsetDateTime;
use tokio::sync::Notify;
use uuid::Uuid;
use webhooks::{
    Attempt, Claim, Claimed, DeliveryId, DeliveryLease, DeliveryQueue, DeliverySignal,
    DeliveryState, EndpointId, LeasedDelivery, SealedSecret, Settled, Verdict,
};

use crate::ground;

/// A delivery as it stands.
#[derive(Debug, Clone)]
pub(crate) struct Kept {
    pub(crate) endpoint: EndpointId,
    pub(crate) state: DeliveryState,
    pub(crate) begun: u32,
    pub(crate) due_at: OffsetDateTime,
    pub(crate) attempts: Vec<Attempt>,
}

/// The queue. Its ids count up from 1.
#[derive(Default)]
pub(crate) struct MemoryQueue {
    deliveries: Mutex<BTreeMap<DeliveryId, Kept>>,
    published: Notify,
    /// Whether it fails at everything.
    pub(crate) out_of_order: AtomicBool,
}

impl MemoryQueue {
    pub(crate) fn publish(&self, endpoint: EndpointId, count: usize, now: OffsetDateTime) {
        let mut deliveries = self.deliveries.lock().unwrap();
        for _ in 0..count {
            let id = Id::from_uuid(Uuid::from_u128(deliveries.len() as u128 + 1));
            let kept = Kept {
                endpoint,
                state: DeliveryState::Pending,
                begun: 0,
                due_at: now,
                attempts: Vec::new(),
            };
            deliveries.insert(id, kept);
        }
        drop(deliveries);
        self.published.notify_one();
    }

    pub(crate) fn all(&self) -> Vec<Kept> {
        self.deliveries.lock().unwrap().values().cloned().collect()
    }

    pub(crate) fn pending(&self) -> usize {
        let pending = |kept: &&Kept| kept.state == DeliveryState::Pending;
        self.all().iter().filter(pending).count()
    }

    fn must_work(&self) -> Result<(), StoreError> {
        if self.out_of_order.load(Ordering::SeqCst) {
            return Err(StoreError::Unavailable("out of order".into()));
        }
        Ok(())
    }
}

#[async_trait]
impl DeliveryQueue for MemoryQueue {
    async fn lease_due(&self, claim: Claim<'_>) -> Result<Claimed, StoreError> {
        self.must_work()?;
        let rooms: HashMap<_, _> = claim.rooms.iter().copied().collect();
        let mut deliveries = self.deliveries.lock().unwrap();
        let mut due: Vec<_> = deliveries
            .iter_mut()
            .filter(|(_, kept)| kept.state == DeliveryState::Pending && kept.due_at <= claim.now)
            .filter(|(_, kept)| kept.begun < claim.schedule.most_attempts())
            .filter(|(_, kept)| rooms.get(&kept.endpoint) != Some(&0))
            .collect();
        due.sort_by_key(|(id, kept)| (kept.due_at, **id));
        let most = usize::try_from(claim.most).unwrap();
        let more = due.len() >= most;
        let mut taken = HashMap::<EndpointId, u32>::new();
        let mut leased = Vec::new();
        for (id, kept) in due.into_iter().take(most) {
            let room = rooms.get(&kept.endpoint).unwrap_or(&claim.per_endpoint);
            let of_this = taken.entry(kept.endpoint).or_default();
            if *of_this >= *room {
                continue;
            }
            *of_this += 1;
            kept.begun += 1;
            kept.due_at = claim.schedule.lease_until(kept.begun, claim.now);
            leased.push(lease_of(*id, kept));
        }
        Ok(Claimed {
            deliveries: leased,
            more,
        })
    }

    async fn record(&self, settled: &[Settled]) -> Result<(), StoreError> {
        self.must_work()?;
        let mut deliveries = self.deliveries.lock().unwrap();
        for one in settled {
            let kept = deliveries.get_mut(&one.lease.id).unwrap();
            kept.attempts.extend(one.attempt.clone());
            let latest = kept.begun == one.lease.attempt && kept.state == DeliveryState::Pending;
            match one.verdict {
                Verdict::Succeeded(_) => kept.state = DeliveryState::Succeeded,
                Verdict::Retry(at) if latest => kept.due_at = at,
                Verdict::Abandoned(_) if latest => kept.state = DeliveryState::Abandoned,
                Verdict::Untried(at) if latest => {
                    kept.begun -= 1;
                    kept.due_at = at;
                }
                Verdict::Retry(_) | Verdict::Abandoned(_) | Verdict::Untried(_) => {}
            }
        }
        Ok(())
    }

    async fn sweep(&self, _: OffsetDateTime, _: u32, _: u32) -> Result<u64, StoreError> {
        Ok(0)
    }

    async fn prune(&self, _: OffsetDateTime, _: u32) -> Result<u64, StoreError> {
        Ok(0)
    }
}

fn lease_of(id: DeliveryId, kept: &Kept) -> LeasedDelivery {
    LeasedDelivery {
        lease: DeliveryLease {
            account: ground::account(),
            event: Id::from_uuid(id.uuid()),
            id,
            attempt: kept.begun,
            until: kept.due_at,
        },
        endpoint: kept.endpoint,
        url: format!("https://{}.example.com/", kept.endpoint),
        secret: SealedSecret(ground::sealed_secret(kept.endpoint)),
        body: format!("{{\"delivery\":\"{id}\"}}"),
    }
}

#[async_trait]
impl DeliverySignal for MemoryQueue {
    async fn published(&self) {
        self.published.notified().await;
    }
}
