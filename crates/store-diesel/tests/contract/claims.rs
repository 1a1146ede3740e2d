//! Claiming keys: which request holds a key, and what the others see.

use std::time::Duration;

use contacts::ContactReference;
use futures_util::future::join_all;
use idempotency::{Claim, IdempotentOperation, IdempotentOutcome, Ticket, store_error_response};
use kernel::AccountId;
use store_diesel::Store;

use crate::database::on_both;
use crate::fixtures::{stored_response, tenant, ticket};

async fn claim_alone(store: &Store, account: AccountId, ticket: &Ticket) -> Claim {
    let mut tx = store.stored_responses.begin(account).await.unwrap();
    tx.stored_responses().claim(ticket).await.unwrap()
}

async fn keep(store: &Store, account: AccountId, ticket: &Ticket, body: &str) {
    let mut tx = store.stored_responses.begin(account).await.unwrap();
    assert_eq!(tx.stored_responses().claim(ticket).await.unwrap(), Claim::Fresh);
    tx.stored_responses().store(ticket, &stored_response(body)).await.unwrap();
    tx.commit().await.unwrap();
}

#[test]
fn the_first_is_fresh_and_later_ones_are_replays_also_elsewhere() {
    on_both(async |db| {
        let store = &db.store;
        let account = tenant(store).await.id;
        let (mine, reused) = (ticket("k", "{}"), ticket("k", "{\"a\":1}"));
        keep(store, account, &mine, "first \u{0}\n'\"ü").await;
        let other = db.another_process().await;
        for store in [store, &other] {
            let again = claim_alone(store, account, &mine).await;
            let first = stored_response("first \u{0}\n'\"ü");
            assert_eq!(again, Claim::Taken(IdempotentOutcome::Replayed(first.clone())));
            let other_body = claim_alone(store, account, &reused).await;
            assert_eq!(other_body, Claim::Taken(IdempotentOutcome::KeyReused(first.clone())));
            let mut tx = store.contacts.begin(account).await.unwrap();
            let (with_contact, _) =
                tx.contacts().claim_and_lock(&reused, &ContactReference::default()).await.unwrap();
            assert_eq!(with_contact, Claim::Taken(IdempotentOutcome::KeyReused(first)));
        }
    });
}

#[test]
fn a_key_is_the_accounts_and_the_endpoints_own() {
    on_both(async |db| {
        let store = &db.store;
        let (one, other) = (tenant(store).await.id, tenant(store).await.id);
        let mine = ticket("k", "{}");
        keep(store, one, &mine, "first").await;
        assert_eq!(claim_alone(store, other, &mine).await, Claim::Fresh);
        let elsewhere = Ticket { operation: IdempotentOperation::CREATE_CONTACT, ..mine.clone() };
        assert_eq!(claim_alone(store, one, &elsewhere).await, Claim::Fresh);
        assert_eq!(claim_alone(store, one, &ticket("K", "{}")).await, Claim::Fresh);
    });
}

#[test]
fn concurrent_claim_of_any_process_is_in_flight() {
    on_both(async |db| {
        let store = &db.store;
        let account = tenant(store).await.id;
        let mine = ticket("k", "{}");
        let mut tx = store.stored_responses.begin(account).await.unwrap();
        assert_eq!(tx.stored_responses().claim(&mine).await.unwrap(), Claim::Fresh);
        let mut stores = vec![store.clone()];
        if db.is_postgres() {
            stores.push(db.another_process().await);
        }
        for store in &stores {
            let twin = claim_alone(store, account, &mine);
            let twin = tokio::time::timeout(Duration::from_secs(2), twin).await;
            assert_eq!(twin.unwrap(), Claim::Taken(IdempotentOutcome::InFlight));
        }
        tx.stored_responses().store(&mine, &stored_response("first")).await.unwrap();
        // Stored, but not yet visible.
        for store in &stores {
            let twin = claim_alone(store, account, &mine).await;
            assert_eq!(twin, Claim::Taken(IdempotentOutcome::InFlight));
        }
        tx.commit().await.unwrap();
        for store in &stores {
            let twin = claim_alone(store, account, &mine).await;
            assert_eq!(twin, Claim::Taken(IdempotentOutcome::Replayed(stored_response("first"))));
        }
    });
}

#[test]
fn a_dropped_transaction_keeps_nothing_and_frees_the_key_before_the_next_claim() {
    on_both(async |db| {
        let store = &db.store;
        let account = tenant(store).await.id;
        let mine = ticket("k", "{}");
        for _ in 0..20 {
            let mut tx = store.stored_responses.begin(account).await.unwrap();
            // Never in flight: the previous transaction was dropped, even if its roll-back has not finished.
            assert_eq!(tx.stored_responses().claim(&mine).await.unwrap(), Claim::Fresh);
            tx.stored_responses().store(&mine, &stored_response("never")).await.unwrap();
            drop(tx);
        }
        let kept =
            store_error_response(&*store.stored_responses, account, &mine, stored_response("refused")).await;
        assert_eq!(kept.unwrap(), IdempotentOutcome::Fresh(stored_response("refused")));
        let again =
            store_error_response(&*store.stored_responses, account, &mine, stored_response("other")).await;
        assert_eq!(again.unwrap(), IdempotentOutcome::Replayed(stored_response("refused")));
    });
}

#[test]
fn once_roll_backs_have_ended_the_key_is_free_in_every_process() {
    on_both(async |db| {
        let (store, other) = (&db.store, db.another_process().await);
        let account = tenant(store).await.id;
        let mine = ticket("k", "{}");
        for _ in 0..50 {
            let mut tx = store.stored_responses.begin(account).await.unwrap();
            assert_eq!(tx.stored_responses().claim(&mine).await.unwrap(), Claim::Fresh);
            drop(tx);
            store.upkeep.roll_backs_ended().await;
            assert_eq!(claim_alone(&other, account, &mine).await, Claim::Fresh);
            other.upkeep.roll_backs_ended().await;
        }
    });
}

#[test]
fn a_claim_that_is_given_up_in_the_middle_frees_the_key() {
    on_both(async |db| {
        let store = &db.store;
        let account = tenant(store).await.id;
        let mine = ticket("k", "{}");
        for _ in 0..5 {
            let mut tx = store.stored_responses.begin(account).await.unwrap();
            // One poll sends the statement; then the caller is cancelled.
            let claim = tx.stored_responses().claim(&mine);
            let gone = tokio::time::timeout(Duration::ZERO, claim).await;
            drop((gone, tx));
        }
        let settled = tokio::time::timeout(Duration::from_secs(10), async {
            // The database notices by itself that the client is gone.
            while claim_alone(store, account, &mine).await != Claim::Fresh {
                tokio::task::yield_now().await;
            }
        });
        settled.await.unwrap();
    });
}

#[test]
fn twenty_concurrent_claims_have_one_fresh() {
    on_both(async |db| {
        let store = &db.store;
        let account = tenant(store).await.id;
        let mine = ticket("k", "{}");
        let twins = (0..20).map(async |_| {
            let mut tx = store.stored_responses.begin(account).await.unwrap();
            let claim = tx.stored_responses().claim(&mine).await.unwrap();
            if claim == Claim::Fresh {
                tokio::time::sleep(Duration::from_millis(20)).await;
                tx.stored_responses().store(&mine, &stored_response("first")).await.unwrap();
                tx.commit().await.unwrap();
            }
            claim
        });
        let claims = join_all(twins).await;
        let fresh = claims.iter().filter(|claim| **claim == Claim::Fresh);
        assert_eq!(fresh.count(), 1);
        let settled = claims.iter().all(|claim| {
            let replayed = Claim::Taken(IdempotentOutcome::Replayed(stored_response("first")));
            [Claim::Fresh, Claim::Taken(IdempotentOutcome::InFlight), replayed].contains(claim)
        });
        assert!(settled, "{claims:?}");
        // A replay is never reported as in flight, however many run concurrently.
        let replays = (0..20).map(async |_| claim_alone(store, account, &mine).await);
        for replay in join_all(replays).await {
            assert_eq!(replay, Claim::Taken(IdempotentOutcome::Replayed(stored_response("first"))));
        }
    });
}
