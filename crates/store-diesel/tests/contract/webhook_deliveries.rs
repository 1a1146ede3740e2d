//! Webhooks: publishing, endpoints, the queue of deliveries, its log, and the secrets.

mod abandoned;
mod bulk_replay;
mod endpoints;
mod lease;
mod load;
mod prune;
mod publish;
mod record;
mod secrets;
mod signal;
mod store;

use std::sync::Arc;

use kernel::{AccountId, HttpsUrl, SealingKeys};
use outbox::LeaseRequest;
use store_diesel::Store;
use testkit::FixedClock;
use time::{Duration, OffsetDateTime};
use webhooks::{
    Delivery, DeliveryAttempt, DeliveryFilter, DeliveryOutcome, DeliveryResult, DeliverySchedule, Endpoint,
    Event, EventName, LeasedDelivery, NewEndpoint, Occurrence, SigningSecret, Subscriptions,
    WebhookAdministration,
};

use crate::fixtures::{AllowAllTargets, IDS, NOW, id, tenant};

pub(crate) fn administration(store: &Store) -> WebhookAdministration {
    administration_with(store, SealingKeys::new(&[7; 32], None))
}

fn administration_with(store: &Store, keys: SealingKeys) -> WebhookAdministration {
    WebhookAdministration {
        endpoints: store.endpoints.clone(),
        deliveries: store.delivery_store.clone(),
        secrets: store.sealed_secrets.clone(),
        guard: Arc::new(AllowAllTargets),
        keys: Arc::new(keys),
        clock: Arc::new(FixedClock::default()),
        ids: Arc::new(kernel::SystemIds::default()),
        random: Arc::new(kernel::SystemRandom::default()),
    }
}

/// An endpoint subscribed to every event.
pub(crate) async fn register(store: &Store, account: AccountId) -> Endpoint {
    register_for(store, account, Subscriptions::ALL).await.0
}

/// A new account with one endpoint.
pub(crate) async fn subscribed(store: &Store) -> AccountId {
    let account = tenant(store).await.id;
    register(store, account).await;
    account
}

async fn register_for(store: &Store, account: AccountId, events: Subscriptions) -> (Endpoint, SigningSecret) {
    let url = HttpsUrl::parse("https://example.com/hook").unwrap();
    let new = NewEndpoint { url, events };
    administration(store).register(account, new).await.unwrap()
}

fn subscriptions(events: &[EventName]) -> Subscriptions {
    Subscriptions::parse(events.iter().map(|event| event.as_str())).unwrap()
}

pub(crate) fn paid(account: AccountId, at: OffsetDateTime) -> Event {
    let of = Occurrence {
        id: kernel::Id::new(&*IDS, at),
        account,
        at,
        urls: kernel::PublicUrls::new("https://books.example"),
    };
    Event::payment_recorded(of, id::<kernel::scope::AccountEntity>().uuid())
}

/// Publishes a payment event at an instant.
pub(crate) async fn publish_at(store: &Store, account: AccountId, at: OffsetDateTime) -> Event {
    let event = paid(account, at);
    let mut tx = store.invoicing.begin(account).await.unwrap();
    webhooks::publish(tx.events(), &*IDS, &event).await.unwrap();
    tx.commit().await.unwrap();
    event
}

async fn publish(store: &Store, account: AccountId) -> Event {
    publish_at(store, account, NOW).await
}

/// Leases all due deliveries, up to 512.
pub(crate) async fn lease(store: &Store, now: OffsetDateTime) -> Vec<LeasedDelivery> {
    let request = LeaseRequest { now, limit: 512, per_lane: 512, rooms: &[] };
    store.delivery_queue.lease_due(request, &DeliverySchedule::default()).await.unwrap().jobs
}

pub(crate) fn settled(leased: &LeasedDelivery, outcome: DeliveryOutcome) -> DeliveryResult {
    let tried = !matches!(outcome, DeliveryOutcome::NotAttempted(_));
    DeliveryResult {
        lease: leased.lease,
        attempt: tried.then(|| DeliveryAttempt {
            number: leased.lease.attempt,
            at: NOW,
            duration: Some(Duration::milliseconds(1_234)),
            response_status: Some(500),
            response_body: Some("an \"answer\"\n\u{fffd}".to_owned()),
            error: None,
        }),
        outcome,
    }
}

async fn record(store: &Store, leased: &LeasedDelivery, outcome: DeliveryOutcome) {
    let settled = settled(leased, outcome);
    store.delivery_queue.record(&[settled]).await.unwrap();
}

/// An abandoned delivery.
pub(crate) async fn given_up(store: &Store, account: AccountId) -> webhooks::DeliveryId {
    publish(store, account).await;
    let leased = lease(store, NOW).await;
    let one = leased.iter().find(|one| one.lease.account == account).unwrap();
    record(store, one, DeliveryOutcome::Abandoned(NOW)).await;
    one.lease.id
}

async fn all(store: &Store, account: AccountId) -> Vec<Delivery> {
    let filter = DeliveryFilter::newest(1_000);
    store.delivery_store.list(account, filter).await.unwrap()
}

/// The account's only delivery.
pub(crate) async fn only(store: &Store, account: AccountId) -> Delivery {
    let mut all = all(store, account).await;
    assert_eq!(all.len(), 1);
    all.remove(0)
}

/// Abandons a delivery of the account at its first attempt.
async fn abandoned_at(store: &Store, account: AccountId, at: OffsetDateTime) -> Event {
    let event = publish_at(store, account, at).await;
    let leased = lease(store, at).await;
    let mine = leased.iter().find(|one| one.lease.event == event.id);
    record(store, mine.unwrap(), DeliveryOutcome::Abandoned(at)).await;
    event
}

const DAY: Duration = Duration::DAY;
