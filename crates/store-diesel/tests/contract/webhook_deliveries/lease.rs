//! Leases: each delivery to one worker, within the room of its endpoint, without blocking others, at most
//! five attempts.

use std::collections::BTreeSet;

use futures_util::future::join_all;
use kernel::AccountId;
use outbox::{LeaseRequest, LeasedBatch};
use store_diesel::Store;
use time::Duration;
use webhooks::{DeliverySchedule, DeliveryState, EndpointChange, EndpointId, LeasedDelivery};

use super::{administration, lease, only, publish, publish_at, register};
use crate::database::on_both;
use crate::fixtures::{NOW, tenant};

async fn claim(
    store: &Store,
    limit: u32,
    per_lane: u32,
    rooms: &[(EndpointId, u32)],
) -> LeasedBatch<LeasedDelivery> {
    let request = LeaseRequest { now: NOW + Duration::MINUTE, limit, per_lane, rooms };
    store.delivery_queue.lease_due(request, &DeliverySchedule::default()).await.unwrap()
}

/// How many of the leased deliveries are for each endpoint.
fn counts<const N: usize>(claimed: &LeasedBatch<LeasedDelivery>, endpoints: [EndpointId; N]) -> [usize; N] {
    endpoints.map(|endpoint| {
        let of = |one: &&webhooks::LeasedDelivery| one.endpoint == endpoint;
        claimed.jobs.iter().filter(of).count()
    })
}

async fn endpoint_with(store: &Store, due: u32, after: Duration) -> (AccountId, EndpointId) {
    let account = tenant(store).await.id;
    let endpoint = register(store, account).await.id;
    for n in 0..due {
        publish_at(store, account, NOW + after + Duration::milliseconds(n.into())).await;
    }
    (account, endpoint)
}

#[test]
fn four_workers_never_get_one_delivery_twice() {
    on_both(async |db| {
        let store = &db.store;
        let other = db.another_process().await;
        for _ in 0..4 {
            endpoint_with(store, 15, Duration::ZERO).await;
        }
        let workers = (0..4).map(async |n: usize| {
            let store = if n.is_multiple_of(2) { store } else { &other };
            let mut leased = Vec::new();
            loop {
                let claimed = claim(store, 7, 3, &[]).await;
                if claimed.jobs.is_empty() && !claimed.more {
                    return leased;
                }
                leased.extend(claimed.jobs.iter().map(|one| one.lease.id));
            }
        });
        let mut leased: Vec<_> = join_all(workers).await.into_iter().flatten().collect();
        // The others may have skipped rows that a worker locked and then released.
        let rest = claim(store, 100, 100, &[]).await.jobs;
        leased.extend(rest.iter().map(|one| one.lease.id));
        let ids: BTreeSet<_> = leased.iter().collect();
        assert_eq!((leased.len(), ids.len()), (60, 60));
    });
}

#[test]
fn each_endpoint_gets_as_many_as_there_is_room_for_longest_due_first() {
    on_both(async |db| {
        let store = &db.store;
        let (_, a) = endpoint_with(store, 10, Duration::ZERO).await;
        let (_, b) = endpoint_with(store, 10, Duration::seconds(1)).await;
        let (_, c) = endpoint_with(store, 2, Duration::seconds(2)).await;
        let claimed = claim(store, 100, 3, &[(a, 0), (b, 5)]).await;
        assert_eq!(counts(&claimed, [a, b, c]), [0, 5, 2]);
        assert!(!claimed.more);
        let claimed = claim(store, 4, 3, &[]).await;
        assert_eq!(counts(&claimed, [a, b, c]), [3, 0, 0]);
        assert!(claimed.more, "there may be others behind the first four");
        let ids: Vec<_> = claimed.jobs.iter().map(|one| one.lease.event).collect();
        assert!(ids.is_sorted(), "longest due first");
        let claimed = claim(store, 100, 100, &[]).await;
        assert_eq!(counts(&claimed, [a, b, c]), [7, 5, 0]);
    });
}

#[test]
fn full_endpoint_does_not_block_other_endpoints() {
    on_both(async |db| {
        let store = &db.store;
        let (account, full) = endpoint_with(store, 50, Duration::ZERO).await;
        let (_, off) = endpoint_with(store, 20, Duration::ZERO).await;
        let (_, other) = endpoint_with(store, 1, Duration::seconds(9)).await;
        db.execute(&format!(
            "UPDATE webhook_endpoints SET enabled = NOT enabled WHERE id = {}",
            db.literal(off)
        ))
        .await;
        let claimed = claim(store, 10, 4, &[]).await;
        assert_eq!(counts(&claimed, [full, off, other]), [4, 0, 0]);
        assert!(claimed.more);
        let claimed = claim(store, 10, 4, &[(full, 0)]).await;
        assert_eq!(counts(&claimed, [full, off, other]), [0, 0, 1]);
        assert!(!claimed.more);
        assert_eq!(super::all(store, account).await.len(), 50);
    });
}

#[test]
fn five_attempts_that_are_lost_are_five_and_the_delivery_is_given_up() {
    on_both(async |db| {
        let store = &db.store;
        let account = tenant(store).await.id;
        register(store, account).await;
        publish(store, account).await;
        let schedule = DeliverySchedule::default();
        let mut now = NOW;
        for attempt in 1..=5 {
            assert_eq!(store.delivery_queue.finish_lost(now, 5, 10).await.unwrap(), 0);
            let leased = lease(store, now).await;
            assert_eq!(leased[0].lease.attempt, attempt);
            let until = schedule.lease_until(attempt, now);
            assert_eq!(leased[0].lease.until, until);
            let shown = only(store, account).await;
            assert_eq!((shown.begun, shown.next_attempt_at), (attempt, Some(until)));
            let early = until - Duration::MICROSECOND;
            assert!(lease(store, early).await.is_empty());
            assert_eq!(store.delivery_queue.finish_lost(early, 5, 10).await.unwrap(), 0);
            now = until;
        }
        assert!(lease(store, now).await.is_empty());
        assert_eq!(store.delivery_queue.finish_lost(now, 5, 10).await.unwrap(), 1);
        let given_up = only(store, account).await;
        assert_eq!(given_up.state, DeliveryState::Abandoned);
        assert_eq!((given_up.begun, given_up.next_attempt_at), (5, None));
    });
}

#[test]
fn a_shorter_schedule_makes_fewer_attempts() {
    on_both(async |db| {
        let store = &db.store;
        let account = tenant(store).await.id;
        register(store, account).await;
        publish(store, account).await;
        let schedule = DeliverySchedule::new(vec![Duration::SECOND], Duration::SECOND).unwrap();
        let mut now = NOW;
        for left in [1, 1, 0] {
            let request = LeaseRequest { now, limit: 5, per_lane: 5, rooms: &[] };
            let claimed = store.delivery_queue.lease_due(request, &schedule).await.unwrap();
            assert_eq!(claimed.jobs.len(), left);
            now += Duration::HOUR;
        }
        assert_eq!(store.delivery_queue.finish_lost(now, 2, 10).await.unwrap(), 1);
    });
}

#[test]
fn enabled_urls_leave_out_disabled_and_foreign_endpoints() {
    on_both(async |db| {
        let store = &db.store;
        let (account, other) = (tenant(store).await.id, tenant(store).await.id);
        let kept = register(store, account).await;
        let disabled = register(store, account).await;
        let change = administration(store).change(account, disabled.id, EndpointChange::Disable).await;
        change.unwrap();
        let asked = [(account, kept.id), (account, disabled.id), (other, kept.id)];
        let found = store.delivery_queue.enabled_urls(&asked).await.unwrap();
        assert_eq!(found, [(kept.id, kept.url.to_string())]);
    });
}
