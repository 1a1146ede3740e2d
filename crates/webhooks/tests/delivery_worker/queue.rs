//! An in-memory delivery queue with the guarantees of the port.

use std::collections::{BTreeMap, HashMap};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use kernel::{AccountId, Id, StoreResult};
use outbox::{LeaseRequest, LeasedBatch, Unrecorded};
use time::OffsetDateTime;
use tokio::sync::Notify;
use uuid::Uuid;
use webhooks::{
    DeliveryAttempt, DeliveryId, DeliveryLease, DeliveryOutcome, DeliveryQueue, DeliveryResult,
    DeliverySchedule, DeliverySignal, DeliveryState, EndpointId, LeasedDelivery, SealedSecret,
};

use crate::fixture;

/// The stored state of a delivery.
#[derive(Debug, Clone)]
pub(crate) struct Kept {
    pub(crate) endpoint: EndpointId,
    pub(crate) state: DeliveryState,
    pub(crate) begun: u32,
    pub(crate) due_at: OffsetDateTime,
    pub(crate) attempts: Vec<DeliveryAttempt>,
}

/// The queue. Its ids count up from 1.
#[derive(Default)]
pub(crate) struct MemoryQueue {
    deliveries: Mutex<BTreeMap<DeliveryId, Kept>>,
    published: Notify,
    /// The endpoints whose address was changed; `None` for one that was disabled.
    pub(crate) changed_urls: Mutex<HashMap<EndpointId, Option<String>>>,
    /// How often endpoints were looked up again.
    pub(crate) lookups: AtomicUsize,
}

impl MemoryQueue {
    pub(crate) fn publish(&self, endpoint: EndpointId, count: usize, now: OffsetDateTime) {
        let mut deliveries = self.deliveries.lock().unwrap();
        for _ in 0..count {
            let id = Id::from_uuid(Uuid::from_u128(deliveries.len() as u128 + 1));
            let kept =
                Kept { endpoint, state: DeliveryState::Pending, begun: 0, due_at: now, attempts: Vec::new() };
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
}

#[async_trait]
impl DeliveryQueue for MemoryQueue {
    async fn lease_due(
        &self,
        request: LeaseRequest<'_, EndpointId>,
        schedule: &DeliverySchedule,
    ) -> StoreResult<LeasedBatch<LeasedDelivery>> {
        let rooms: HashMap<_, _> = request.rooms.iter().copied().collect();
        let changed = self.changed_urls.lock().unwrap();
        let mut deliveries = self.deliveries.lock().unwrap();
        let mut due: Vec<_> = deliveries
            .iter_mut()
            .filter(|(_, kept)| kept.state == DeliveryState::Pending && kept.due_at <= request.now)
            .filter(|(_, kept)| kept.begun < schedule.max_attempts())
            .filter(|(_, kept)| rooms.get(&kept.endpoint) != Some(&0))
            .filter(|(_, kept)| changed.get(&kept.endpoint) != Some(&None))
            .collect();
        due.sort_by_key(|(id, kept)| (kept.due_at, **id));
        let most = usize::try_from(request.limit).unwrap();
        let more = due.len() >= most;
        let mut taken = HashMap::<EndpointId, u32>::new();
        let mut leased = Vec::new();
        for (id, kept) in due.into_iter().take(most) {
            let limit = rooms.get(&kept.endpoint).unwrap_or(&request.per_lane);
            let of_this = taken.entry(kept.endpoint).or_default();
            if *of_this >= *limit {
                continue;
            }
            *of_this += 1;
            kept.begun += 1;
            kept.due_at = schedule.lease_until(kept.begun, request.now);
            leased.push(lease_of(*id, kept));
        }
        Ok(LeasedBatch { jobs: leased, more })
    }

    async fn enabled_urls(
        &self,
        endpoints: &[(AccountId, EndpointId)],
    ) -> StoreResult<Vec<(EndpointId, String)>> {
        self.lookups.fetch_add(1, Ordering::SeqCst);
        let changed = self.changed_urls.lock().unwrap();
        let url_of = |id| changed.get(&id).cloned().unwrap_or_else(|| Some(url(id)));
        let found = endpoints.iter().filter_map(|(_, id)| Some((*id, url_of(*id)?)));
        Ok(found.collect())
    }

    async fn record(&self, results: &[DeliveryResult]) -> Result<(), Vec<Unrecorded<DeliveryResult>>> {
        let mut deliveries = self.deliveries.lock().unwrap();
        for one in results {
            let kept = deliveries.get_mut(&one.lease.id).unwrap();
            kept.attempts.extend(one.attempt.clone());
            let latest = kept.begun == one.lease.attempt && kept.state == DeliveryState::Pending;
            match one.outcome {
                DeliveryOutcome::Succeeded(_) => kept.state = DeliveryState::Succeeded,
                DeliveryOutcome::Retry(at) if latest => kept.due_at = at,
                DeliveryOutcome::Abandoned(_) if latest => kept.state = DeliveryState::Abandoned,
                DeliveryOutcome::NotAttempted(at) if latest => {
                    kept.begun -= 1;
                    kept.due_at = at;
                }
                DeliveryOutcome::Retry(_)
                | DeliveryOutcome::Abandoned(_)
                | DeliveryOutcome::NotAttempted(_) => {}
            }
        }
        Ok(())
    }

    async fn finish_lost(&self, _: OffsetDateTime, _: u32, _: u32) -> StoreResult<u64> {
        Ok(0)
    }

    async fn prune(&self, _: OffsetDateTime, _: u32) -> StoreResult<u64> {
        Ok(0)
    }
}

fn url(endpoint: EndpointId) -> String {
    format!("https://{endpoint}.example.com/")
}

fn lease_of(id: DeliveryId, kept: &Kept) -> LeasedDelivery {
    LeasedDelivery {
        lease: DeliveryLease {
            account: fixture::account(),
            event: Id::from_uuid(id.uuid()),
            id,
            attempt: kept.begun,
            until: kept.due_at,
        },
        endpoint: kept.endpoint,
        url: url(kept.endpoint),
        secret: SealedSecret(fixture::sealed_secret(kept.endpoint)),
        body: format!("{{\"delivery\":\"{id}\"}}"),
    }
}

#[async_trait]
impl DeliverySignal for MemoryQueue {
    async fn published(&self) {
        self.published.notified().await;
    }
}
