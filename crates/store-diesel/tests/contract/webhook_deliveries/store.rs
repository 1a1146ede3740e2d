//! The store of deliveries, and replays.

use futures_util::future::join_all;
use time::Duration;
use webhooks::replay::ReplayError;
use webhooks::{
    DeliveryFilter, DeliveryOutcome, DeliveryState, EndpointChange, EventName, TestDeliveryError,
};

use super::{
    DAY, abandoned_at, administration, all, lease, publish, publish_at, record, register, register_for,
    settled, subscriptions,
};
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
        let delivery_store = &store.delivery_store;
        for endpoint in [None, Some(one), Some(two)] {
            let wanted: Vec<_> = whole
                .iter()
                .filter(|delivery| endpoint.is_none_or(|one| one == delivery.endpoint))
                .cloned()
                .collect();
            let (mut paged, mut after) = (Vec::new(), None);
            loop {
                let filter = DeliveryFilter { endpoint, after, ..DeliveryFilter::newest(3) };
                let page = delivery_store.list(account, filter).await.unwrap();
                let Some(last) = page.last() else { break };
                after = Some(last.id);
                assert!(page.len() <= 3);
                paged.extend(page);
            }
            assert_eq!(paged, wanted);
        }
        let foreign = DeliveryFilter { endpoint: Some(one), ..DeliveryFilter::newest(9) };
        assert_eq!(delivery_store.list(other, foreign).await.unwrap(), []);
        let foreign = DeliveryFilter { after: Some(whole[0].id), ..DeliveryFilter::newest(9) };
        assert_eq!(delivery_store.list(other, foreign).await.unwrap(), []);
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
        // Two concurrent callers, a few deliveries at a time.
        let delivery_store = &store.delivery_store;
        let later = NOW + Duration::MINUTE;
        let calls = (0..2).map(async |_| {
            let mut made = Vec::new();
            loop {
                let new = [id(), id()];
                let batch = delivery_store.replay_abandoned(account, NOW, &new, later);
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
        // One succeeds and the others are abandoned again: those four are replayed once more, although each
        // has two abandoned deliveries.
        let abandoned = |one| settled(one, DeliveryOutcome::Abandoned(later));
        let mut told: Vec<_> = leased.iter().map(abandoned).collect();
        told[0].outcome = DeliveryOutcome::Succeeded(later);
        store.delivery_queue.record(&told).await.unwrap();
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

#[test]
fn deliveries_are_filtered_by_event_state_and_time() {
    on_both(async |db| {
        let store = &db.store;
        let account = tenant(store).await.id;
        let endpoint = register(store, account).await;
        for n in 0..3 {
            abandoned_at(store, account, NOW + DAY * n).await;
        }
        crate::escalations::raised(store, account).await;
        let newest = DeliveryFilter::newest(10);
        let found =
            async |filter| administration(store).deliveries(account, filter).await.unwrap().items.len();
        assert_eq!(found(newest).await, 4);
        let of = |event| DeliveryFilter { event: Some(event), ..newest };
        assert_eq!(found(of(EventName::EscalationCreated)).await, 1);
        assert_eq!(found(of(EventName::EscalationResolved)).await, 0);
        let abandoned = DeliveryFilter { state: Some(DeliveryState::Abandoned), ..newest };
        assert_eq!(found(abandoned).await, 3);
        assert_eq!(found(DeliveryFilter { state: Some(DeliveryState::Pending), ..newest }).await, 1);
        assert_eq!(found(DeliveryFilter { from: Some(NOW + DAY), ..abandoned }).await, 2);
        assert_eq!(found(DeliveryFilter { before: Some(NOW + DAY), ..abandoned }).await, 1);
        assert_eq!(found(DeliveryFilter { endpoint: Some(endpoint.id), ..abandoned }).await, 3);
        assert_eq!(found(DeliveryFilter { endpoint: Some(id()), ..abandoned }).await, 0);
        let (mut seen, mut after) = (0, None);
        loop {
            let filter = DeliveryFilter { after, limit: 2, ..abandoned };
            let page = administration(store).deliveries(account, filter).await.unwrap();
            seen += page.items.len();
            after = page.next;
            if after.is_none() {
                break;
            }
        }
        assert_eq!(seen, 3);
    });
}

#[test]
fn delivery_is_shown_with_its_body_and_signature_to_its_own_account() {
    on_both(async |db| {
        let store = &db.store;
        let (account, other) = (tenant(store).await.id, tenant(store).await.id);
        let (endpoint, secret) = register_for(store, account, webhooks::Subscriptions::ALL).await;
        let event = publish(store, account).await;
        let leased = lease(store, NOW).await.remove(0);
        record(store, &leased, DeliveryOutcome::Abandoned(NOW)).await;
        let administration = administration(store);
        let shown = administration.delivery(account, leased.lease.id).await.unwrap().unwrap();
        assert_eq!(
            (&shown.body, shown.enabled, shown.delivery.url.as_str()),
            (&event.body, true, endpoint.url.as_str())
        );
        assert_eq!(shown.delivery.attempts[0].duration, Some(Duration::milliseconds(1_234)));
        webhooks::verify(&secret, shown.body.as_bytes(), &shown.signature.unwrap()).unwrap();
        assert_eq!(administration.delivery(other, leased.lease.id).await.unwrap(), None);
        let foreign = administration.replay_own(other, leased.lease.id).await;
        assert!(matches!(foreign, Err(ReplayError::NotFinished)));
        let made = administration.replay_own(account, leased.lease.id).await.unwrap();
        assert_eq!((made.event, made.state), (event.id, DeliveryState::Pending));
        administration.change(account, endpoint.id, EndpointChange::Delete).await.unwrap();
        let shown = administration.delivery(account, leased.lease.id).await.unwrap().unwrap();
        assert_eq!((shown.signature, shown.enabled), (None, false));
        let off = administration.replay_own(account, leased.lease.id).await;
        assert!(matches!(off, Err(ReplayError::EndpointOff)));
    });
}

#[test]
fn test_delivery_goes_to_one_endpoint_with_an_event_that_it_takes() {
    on_both(async |db| {
        let store = &db.store;
        let (account, other) = (tenant(store).await.id, tenant(store).await.id);
        let only_resolved = subscriptions(&[EventName::EscalationResolved]);
        let (endpoint, _) = register_for(store, account, only_resolved).await;
        register(store, account).await;
        let administration = administration(store);
        let urls = kernel::PublicUrls::new("https://books.example");
        let made = administration.test(account, endpoint.id, &urls).await.unwrap();
        let deliveries = all(store, account).await;
        assert_eq!((deliveries.len(), deliveries[0].id, deliveries[0].endpoint), (1, made, endpoint.id));
        assert_eq!(deliveries[0].name, EventName::EscalationResolved);
        assert_eq!(lease(store, NOW).await.len(), 1);
        let foreign = administration.test(other, endpoint.id, &urls).await;
        assert!(matches!(foreign, Err(TestDeliveryError::NotFound)));
        administration.change(account, endpoint.id, EndpointChange::Disable).await.unwrap();
        let off = administration.test(account, endpoint.id, &urls).await;
        assert!(matches!(off, Err(TestDeliveryError::EndpointOff)));
        assert_eq!(all(store, account).await.len(), 1);
    });
}
