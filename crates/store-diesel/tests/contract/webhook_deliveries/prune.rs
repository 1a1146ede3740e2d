//! Pruning: deliveries that finished long ago are deleted in batches, with their attempts and events; nothing
//! else is.

use time::Duration;
use webhooks::{DeliveryOutcome, DeliveryState};

use super::{DAY, abandoned_at, all, lease, publish_at, record, register};
use crate::database::on_both;
use crate::fixtures::{NOW, OPERATOR, id, tenant};

#[test]
fn old_ones_go_in_batches_and_pending_and_younger_ones_stay() {
    on_both(async |db| {
        let (store, queue) = (&db.store, &db.store.delivery_queue);
        let (account, silent) = (tenant(store).await.id, tenant(store).await.id);
        register(store, account).await;
        let before = NOW + 30 * DAY;
        // Published before the account had an endpoint.
        publish_at(store, silent, NOW).await;
        publish_at(store, silent, before).await;
        for n in 0..7 {
            abandoned_at(store, account, NOW + Duration::seconds(n)).await;
        }
        // Created long ago, abandoned lately.
        let late = publish_at(store, account, NOW + DAY).await;
        let leased = lease(store, NOW + DAY).await.remove(0);
        record(store, &leased, DeliveryOutcome::Abandoned(before)).await;
        let young = abandoned_at(store, account, before + DAY).await;
        let pending = publish_at(store, account, NOW + 2 * DAY).await;
        let mut pruned = Vec::new();
        loop {
            let batch = queue.prune(before, 3).await.unwrap();
            if batch == 0 {
                break;
            }
            // Deliveries, and events only when no old delivery is left.
            assert!(batch <= 6, "{batch}");
            pruned.push(batch);
        }
        // Seven deliveries, their events, and one event without deliveries.
        assert_eq!(pruned.iter().sum::<u64>(), 7 + 7 + 1, "{pruned:?}");
        let left = all(store, account).await;
        let events: Vec<_> = left.iter().map(|one| one.event).collect();
        assert_eq!(events, [young.id, pending.id, late.id]);
        assert!(left[0].attempts.len() == 1 && left[2].attempts.len() == 1);
        assert_eq!(left[1].state, DeliveryState::Pending);
        assert_eq!(queue.prune(before, 100).await.unwrap(), 0);
    });
}

#[test]
fn the_event_of_a_younger_replay_stays() {
    on_both(async |db| {
        let (store, queue) = (&db.store, &db.store.delivery_queue);
        let account = tenant(store).await.id;
        register(store, account).await;
        abandoned_at(store, account, NOW).await;
        let old = all(store, account).await.remove(0);
        let now = NOW + 29 * DAY;
        let delivery_store = &store.delivery_store;
        delivery_store
            .replay(OPERATOR, old.id, kernel::Id::new(&*crate::fixtures::IDS, now), now)
            .await
            .unwrap();
        assert_eq!(queue.prune(NOW + DAY, 10).await.unwrap(), 1);
        let left = all(store, account).await;
        assert_eq!((left.len(), left[0].event), (1, old.event));
        let leased = lease(store, now).await.remove(0);
        assert_eq!(leased.lease.event, old.event);
        let none = delivery_store.replay(OPERATOR, old.id, id(), now).await.unwrap();
        assert_eq!(none, webhooks::Replay::NotFinished);
    });
}
