//! The log of deliveries, and replays.

use futures_util::future::join_all;
use time::Duration;
use webhooks::replay::ReplayError;
use webhooks::{DeliveryFilter, DeliveryOutcome, DeliveryState, EndpointChange};

use super::{DAY, abandoned_at, administration, all, lease, publish, publish_at, record, register, settled};
use crate::database::on_both;
use crate::fixtures::{NOW, id, tenant};

#[test]
fn deliveries_are_listed_newest_first_with_their_attempts_page_by_page() {
    on_both(async |db| {
        let store = &db.store;
        let (account, other) = (tenant(store).await.id, tenant(store).await.id);
        let [one, two] = [register(store, account).await.id, register(store, account).await.id];
        register(store, other).await;
        publish(store, other).await;
        for n in 0..4 {
            publish_at(store, account, NOW + Duration::seconds(n)).await;
        }
        let mut now = NOW + DAY;
        for _ in 0..2 {
            for leased in lease(store, now).await {
                let next = now + Duration::MINUTE;
                record(store, &leased, DeliveryOutcome::Retry(next)).await;
            }
            now += DAY;
        }
        let whole = all(store, account).await;
        assert_eq!(whole.len(), 8);
        assert!(whole.is_sorted_by(|a, b| (a.event, a.id) > (b.event, b.id)));
        for delivery in &whole {
            let numbers: Vec<_> = delivery.attempts.iter().map(|one| one.number).collect();
            assert_eq!(numbers, [1, 2]);
        }
        let log = &store.delivery_log;
        for endpoint in [None, Some(one), Some(two)] {
            let wanted: Vec<_> = whole
                .iter()
                .filter(|delivery| endpoint.is_none_or(|one| one == delivery.endpoint))
                .cloned()
                .collect();
            let (mut paged, mut after) = (Vec::new(), None);
            loop {
                let filter = DeliveryFilter { endpoint, after, limit: 3 };
                let page = log.list(account, filter).await.unwrap();
                let Some(last) = page.last() else { break };
                after = Some(last.id);
                assert!(page.len() <= 3);
                paged.extend(page);
            }
            assert_eq!(paged, wanted);
        }
        let foreign = DeliveryFilter { endpoint: Some(one), after: None, limit: 9 };
        assert_eq!(log.list(other, foreign).await.unwrap(), []);
        let foreign = DeliveryFilter { endpoint: None, after: Some(whole[0].id), limit: 9 };
        assert_eq!(log.list(other, foreign).await.unwrap(), []);
    });
}

#[test]
fn a_finished_delivery_is_made_anew_while_its_endpoint_is_on() {
    on_both(async |db| {
        let store = &db.store;
        let account = tenant(store).await.id;
        let endpoint = register(store, account).await;
        let event = publish(store, account).await;
        let administration = administration(store);
        let operator = crate::fixtures::OPERATOR;
        let first = all(store, account).await.remove(0);
        let pending = administration.replay(operator, first.id).await;
        assert!(matches!(pending, Err(ReplayError::NotFinished)));
        let unknown = administration.replay(operator, id()).await;
        assert!(matches!(unknown, Err(ReplayError::NotFinished)));
        let leased = lease(store, NOW).await.remove(0);
        record(store, &leased, DeliveryOutcome::Succeeded(NOW)).await;
        let made = administration.replay(operator, first.id).await.unwrap();
        assert_eq!((made.event, made.endpoint), (first.event, first.endpoint));
        assert_eq!((made.state, made.begun), (DeliveryState::Pending, 0));
        assert!(all(store, account).await.contains(&made));
        let again = lease(store, NOW).await.remove(0);
        assert_eq!((again.lease.id, again.lease.attempt), (made.id, 1));
        assert_eq!((again.lease.event, &again.body), (event.id, &event.body));
        administration.change(account, endpoint.id, EndpointChange::Disable).await.unwrap();
        let off = administration.replay(operator, made.id).await;
        assert!(matches!(off, Err(ReplayError::EndpointOff)));
        administration.change(account, endpoint.id, EndpointChange::Enable).await.unwrap();
        administration.replay(operator, made.id).await.unwrap();
    });
}

#[test]
fn what_was_given_up_since_is_made_anew_once() {
    on_both(async |db| {
        let store = &db.store;
        let (account, other) = (tenant(store).await.id, tenant(store).await.id);
        for account in [account, other] {
            register(store, account).await;
        }
        let before = abandoned_at(store, account, NOW - DAY).await;
        let mut given_up = Vec::new();
        for n in 0..5 {
            given_up.push(abandoned_at(store, account, NOW + Duration::seconds(n)).await.id);
        }
        abandoned_at(store, other, NOW).await;
        let taken = publish(store, account).await;
        let leased = lease(store, NOW).await;
        let mine = leased.iter().find(|one| one.lease.event == taken.id);
        record(store, mine.unwrap(), DeliveryOutcome::Succeeded(NOW)).await;
        // Two at once, a few at a time.
        let log = &store.delivery_log;
        let later = NOW + Duration::MINUTE;
        let calls = (0..2).map(async |_| {
            let mut made = Vec::new();
            loop {
                let new = [id(), id()];
                let batch = log.replay_abandoned(account, NOW, &new, later);
                let batch = batch.await.unwrap();
                let last = batch.len() < new.len();
                made.extend(batch.into_iter().map(|one| one.event));
                if last {
                    return made;
                }
            }
        });
        let mut made: Vec<_> = join_all(calls).await.into_iter().flatten().collect();
        made.sort();
        assert_eq!(made, given_up);
        let leased = lease(store, later).await;
        assert_eq!(leased.len(), 5);
        // One comes through and the others are given up again: these four are made anew once more, although
        // each has two such deliveries.
        let abandoned = |one| settled(one, DeliveryOutcome::Abandoned(later));
        let mut told: Vec<_> = leased.iter().map(abandoned).collect();
        told[0].outcome = DeliveryOutcome::Succeeded(later);
        store.deliveries.record(&told).await.unwrap();
        let administration = administration(store);
        let again = administration.replay_abandoned(account, NOW).await.unwrap();
        let events: Vec<_> = again.iter().map(|one| one.event).collect();
        given_up.retain(|event| *event != told[0].lease.event);
        assert_eq!(events, given_up);
        assert_eq!(administration.replay_abandoned(account, NOW).await.unwrap(), []);
        let earlier = administration.replay_abandoned(account, NOW - DAY).await.unwrap();
        assert_eq!(earlier.len(), 1);
        assert_eq!(earlier[0].event, before.id);
        assert_eq!(administration.replay_abandoned(id(), NOW - DAY).await.unwrap(), []);
        assert_eq!(all(store, other).await.len(), 1);
    });
}
