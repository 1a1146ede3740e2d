//! Endpoints: at most five enabled, disabled together with their pending deliveries, and inaccessible to
//! other accounts.

use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl, SimpleAsyncConnection};
use futures_util::future::{join, join_all};
use kernel::HttpsUrl;
use webhooks::register::EndpointError;
use webhooks::{DeliveryOutcome, DeliveryState, Endpoint, EndpointChange, NewEndpoint, Subscriptions};

use super::{administration, all, lease, only, paid, publish, record, register};
use crate::database::{on_both, on_postgres};
use crate::fixtures::{IDS, NOW, OPERATOR, id, tenant};
use crate::jobs::job_of;

#[test]
fn twenty_registrations_at_once_are_five_endpoints() {
    on_both(async |db| {
        let other = db.another_process().await;
        let account = tenant(&db.store).await.id;
        let calls = (0..20).map(async |n: usize| {
            let store = if n.is_multiple_of(2) { &db.store } else { &other };
            let new = NewEndpoint {
                url: HttpsUrl::parse(&format!("https://example.com/{n}")).unwrap(),
                events: Subscriptions::ALL,
            };
            administration(store).register(account, new).await
        });
        let mut registered = Vec::new();
        for call in join_all(calls).await {
            match call {
                Ok((endpoint, _)) => registered.push(endpoint),
                Err(EndpointError::TooManyEnabled) => {}
                Err(other) => panic!("{other:?}"),
            }
        }
        let administration = administration(&db.store);
        let listed = administration.endpoints(account).await.unwrap();
        registered.sort_by_key(|endpoint| endpoint.id);
        assert_eq!(listed, registered);
        assert_eq!(listed.len(), Endpoint::MAX_ENABLED);
        let off = administration.change(account, listed[0].id, EndpointChange::Disable);
        assert!(!off.await.unwrap().enabled);
        register(&db.store, account).await;
        let on = administration.change(account, listed[0].id, EndpointChange::Enable);
        assert!(matches!(on.await, Err(EndpointError::TooManyEnabled)));
    });
}

#[test]
fn disabled_or_deleted_endpoint_gets_no_further_delivery() {
    on_both(async |db| {
        let store = &db.store;
        let account = tenant(store).await.id;
        for (change, secrets) in [(EndpointChange::Disable, 2), (EndpointChange::Delete, 1)] {
            let (off, on) = (register(store, account).await, register(store, account).await);
            publish(store, account).await;
            let leased = lease(store, NOW).await;
            publish(store, account).await;
            let administration = administration(store);
            administration.change(account, off.id, change).await.unwrap();
            let states = |endpoint| {
                let all = all(store, account);
                async move {
                    let all = all.await;
                    let of = all.iter().filter(|one| one.endpoint == endpoint);
                    of.map(|one| one.state).collect::<Vec<_>>()
                }
            };
            assert_eq!(states(off.id).await, [DeliveryState::Stopped; 2]);
            assert_eq!(states(on.id).await, [DeliveryState::Pending; 2]);
            // The result of an attempt in progress is ignored, unless it is a success.
            let under_way = leased.iter().find(|one| one.endpoint == off.id).unwrap();
            record(store, under_way, DeliveryOutcome::Retry(NOW)).await;
            assert_eq!(states(off.id).await, [DeliveryState::Stopped; 2]);
            record(store, under_way, DeliveryOutcome::Succeeded(NOW)).await;
            assert!(states(off.id).await.contains(&DeliveryState::Succeeded));
            let rest = lease(store, NOW).await;
            assert_eq!(rest.iter().map(|one| one.endpoint).collect::<Vec<_>>(), [on.id]);
            let sealed = store.sealed_secrets.sealed_under_other_keys(OPERATOR, &[0; 5], None, 10);
            assert_eq!(sealed.await.unwrap().len(), secrets);
            let known = store.endpoints.account_of(OPERATOR, off.id).await.unwrap();
            let deleted = change == EndpointChange::Delete;
            assert_eq!(known, (!deleted).then_some(account));
            let again = administration.change(account, off.id, EndpointChange::Enable).await;
            assert_eq!(again.is_ok(), !deleted);
            for endpoint in administration.endpoints(account).await.unwrap() {
                administration.change(account, endpoint.id, EndpointChange::Delete).await.unwrap();
            }
        }
        assert_eq!(store.endpoints.list(account).await.unwrap(), Some(vec![]));
        assert_eq!(store.endpoints.list(id()).await.unwrap(), None);
    });
}

#[test]
fn an_endpoint_is_out_of_reach_for_other_accounts() {
    on_both(async |db| {
        let store = &db.store;
        let (account, other) = (tenant(store).await.id, tenant(store).await.id);
        let endpoint = register(store, account).await;
        publish(store, account).await;
        for change in [EndpointChange::Disable, EndpointChange::Enable, EndpointChange::Delete] {
            let changed = administration(store).change(other, endpoint.id, change).await;
            assert!(matches!(changed, Err(EndpointError::NotFound)));
        }
        let nobody = administration(store).change(id(), endpoint.id, EndpointChange::Delete).await;
        assert!(matches!(nobody, Err(EndpointError::NoAccount)));
        let mut tx = store.endpoints.begin(other).await.unwrap();
        assert_eq!(tx.endpoints().lock_all(account).await.unwrap(), None);
        assert_eq!(tx.endpoints().lock_all(other).await.unwrap(), Some(vec![]));
        assert!(tx.endpoints().delete(&endpoint, NOW).await.is_err());
        let off = Endpoint { enabled: false, ..endpoint.clone() };
        assert!(tx.endpoints().update(&off).await.is_err());
        // An endpoint that claims to be of the locked account cannot change the real one.
        let disguised = Endpoint { account: other, ..off };
        tx.endpoints().update(&disguised).await.unwrap();
        tx.endpoints().delete(&disguised, NOW).await.unwrap();
        tx.commit().await.unwrap();
        let kept = administration(store).endpoints(account).await.unwrap();
        assert_eq!(kept, [endpoint]);
        assert_eq!(only(store, account).await.state, DeliveryState::Pending);
        assert_eq!(all(store, other).await, []);
    });
}

#[test]
fn what_was_published_while_its_endpoint_was_switched_off_is_stopped() {
    on_both(async |db| {
        let store = &db.store;
        let account = tenant(store).await.id;
        register(store, account).await;
        publish(store, account).await;
        // As after a race: the switch did not see the delivery, and the publication saw an enabled endpoint.
        db.execute("UPDATE webhook_endpoints SET enabled = NOT enabled").await;
        assert!(lease(store, NOW).await.is_empty());
        let queue = &store.delivery_queue;
        let early = NOW - super::DAY;
        assert_eq!(queue.finish_lost(early, 5, 100).await.unwrap(), 0);
        assert_eq!(queue.finish_lost(NOW, 5, 100).await.unwrap(), 1);
        assert_eq!(queue.finish_lost(NOW, 5, 100).await.unwrap(), 0);
        assert_eq!(only(store, account).await.state, DeliveryState::Stopped);
    });
}

/// Whether another connection waits for a lock of this one.
async fn is_waited_for(connection: &mut AsyncPgConnection) -> bool {
    let waiting = "SELECT 1 FROM pg_stat_activity WHERE pg_backend_pid() = ANY (pg_blocking_pids(pid))";
    diesel::sql_query(waiting).execute(connection).await.unwrap() > 0
}

#[test]
fn a_switch_does_not_wait_for_a_payment_and_what_it_leaves_is_stopped() {
    on_postgres(async |db| {
        let store = &db.store;
        let account = tenant(store).await.id;
        let endpoint = register(store, account).await;
        let mut tx = store.invoicing.begin(account).await.unwrap();
        let event = paid(account, NOW);
        webhooks::publish(tx.events(), &*IDS, &event).await.unwrap();
        tx.jobs().queue(job_of(account)).await.unwrap();
        // The job is written after the deliveries, and waits here.
        let mut other = AsyncPgConnection::establish(&db.url).await.unwrap();
        other.batch_execute("BEGIN; LOCK TABLE jobs IN EXCLUSIVE MODE").await.unwrap();
        let switch = async {
            while !is_waited_for(&mut other).await {}
            let administration = administration(store);
            let off = administration.change(account, endpoint.id, EndpointChange::Disable);
            off.await.unwrap();
            assert_eq!(all(store, account).await, [], "it is committed already");
            other.batch_execute("ROLLBACK").await.unwrap();
        };
        let (committed, ()) = join(tx.commit(), switch).await;
        committed.unwrap();
        assert_eq!(only(store, account).await.state, DeliveryState::Pending);
        assert!(lease(store, NOW).await.is_empty());
        assert_eq!(store.delivery_queue.finish_lost(NOW, 5, 100).await.unwrap(), 1);
        assert_eq!(only(store, account).await.state, DeliveryState::Stopped);
    });
}
