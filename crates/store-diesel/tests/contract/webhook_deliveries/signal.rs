//! Delivery workers are woken by publications of their own process and of others.

use std::time::Duration;

use futures_util::FutureExt;
use store_diesel::{Announce, Store, StoreOptions};
use tokio::time::timeout;
use webhooks::{DeliveryOutcome, Replay};

use super::{lease, paid, publish, record, register, subscribed};
use crate::database::{TestDatabase, on_both, on_postgres, on_sqlite};
use crate::fixtures::{IDS, NOW, OPERATOR, id, tenant};

/// Generous: it elapses only in a failing test.
const DEADLINE: Duration = Duration::from_secs(30);

async fn woken(store: &Store, by: &str) {
    let woken = timeout(DEADLINE, store.delivery_signal.published()).await;
    assert!(woken.is_ok(), "not woken by {by}");
}

/// Starts listening, and consumes the wake-ups that this causes.
async fn listening(store: &Store) {
    woken(store, "its own start").await;
    while store.delivery_signal.published().now_or_never().is_some() {}
}

async fn announcing(db: &TestDatabase) -> Store {
    let options =
        StoreOptions { announce: Announce::Everywhere, layout: db.layout, ..StoreOptions::default() };
    store_diesel::open(&db.url, &options).await.unwrap()
}

#[test]
fn a_commit_wakes_this_process_even_between_two_waits() {
    on_both(async |db| {
        let store = &db.store;
        let account = tenant(store).await.id;
        publish(store, account).await;
        listening(store).await;
        register(store, account).await;
        let mut tx = store.invoicing.begin(account).await.unwrap();
        let event = paid(account, NOW);
        webhooks::publish(tx.events(), &*IDS, &event).await.unwrap();
        let waits = store.delivery_signal.published();
        assert!(waits.now_or_never().is_none(), "not before the commit");
        tx.commit().await.unwrap();
        woken(store, "the commit").await;
        let leased = lease(store, NOW).await;
        record(store, &leased[0], DeliveryOutcome::Abandoned(NOW)).await;
        let delivery_store = &store.delivery_store;
        let anew = delivery_store.replay(OPERATOR, leased[0].lease.id, id(), NOW);
        assert!(matches!(anew.await.unwrap(), Replay::Made(_)));
        woken(store, "the replay").await;
    });
}

#[test]
fn what_another_process_announces_wakes_this_one() {
    on_postgres(async |db| {
        let store = &db.store;
        let account = subscribed(store).await;
        let other = announcing(db).await;
        listening(store).await;
        publish(&other, account).await;
        woken(store, "the commit").await;
        let leased = lease(store, NOW).await;
        record(store, &leased[0], DeliveryOutcome::Abandoned(NOW)).await;
        let anew = other.delivery_store.replay(OPERATOR, leased[0].lease.id, id(), NOW);
        anew.await.unwrap();
        woken(store, "the replay").await;
    });
}

#[test]
fn a_listener_whose_connection_is_lost_listens_again() {
    on_postgres(async |db| {
        let store = &db.store;
        let account = subscribed(store).await;
        let other = announcing(db).await;
        listening(store).await;
        for _ in 0..2 {
            db.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
                     WHERE datname = current_database() AND query LIKE 'LISTEN %'",
            )
            .await;
            // A returning listener is woken once, since it may have missed something.
            woken(store, "its own return").await;
            publish(&other, account).await;
            woken(store, "the commit").await;
        }
    });
}

#[test]
fn what_another_process_commits_to_the_file_wakes_this_one() {
    on_sqlite(async |db| {
        let store = &db.store;
        let account = subscribed(store).await;
        let other = db.another_process().await;
        listening(store).await;
        publish(&other, account).await;
        woken(store, "the commit").await;
        assert_eq!(lease(store, NOW).await.len(), 1);
    });
}
