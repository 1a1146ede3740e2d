//! Results of leases: recorded once, a success from any lease, anything else from the latest lease alone.

use kernel::{AccountId, SecureRandom};
use store_diesel::Store;
use testkit::FixedRandom;
use time::Duration;
use webhooks::{Delivery, DeliveryOutcome, DeliveryResult, DeliverySchedule, DeliveryState, LeasedDelivery};

use super::{lease, only, publish, record, settled, subscribed};
use crate::database::on_both;
use crate::fixtures::NOW;

const LATER: Duration = Duration::hours(20);

fn short(delivery: &Delivery) -> (DeliveryState, u32, usize) {
    (delivery.state, delivery.begun, delivery.attempts.len())
}

/// A delivery of an account with one endpoint, leased for its first attempt.
async fn leased_delivery(store: &Store) -> (AccountId, LeasedDelivery) {
    let account = subscribed(store).await;
    publish(store, account).await;
    (account, lease(store, NOW).await.remove(0))
}

#[test]
fn recording_the_same_again_changes_nothing() {
    on_both(async |db| {
        let store = &db.store;
        for outcome in [
            DeliveryOutcome::Succeeded(NOW),
            DeliveryOutcome::Retry(NOW + LATER),
            DeliveryOutcome::Abandoned(NOW),
            DeliveryOutcome::NotAttempted(NOW),
        ] {
            let account = subscribed(store).await;
            publish(store, account).await;
            let leased = lease(store, NOW).await;
            let mine = settled(&leased[0], outcome);
            let queue = &store.delivery_queue;
            queue.record(std::slice::from_ref(&mine)).await.unwrap();
            let first = only(store, account).await;
            assert_eq!(first.attempts, Vec::from_iter(mine.attempt.clone()));
            let (state, begun, due) = match outcome {
                DeliveryOutcome::Succeeded(_) => (DeliveryState::Succeeded, 1, None),
                DeliveryOutcome::Abandoned(_) => (DeliveryState::Abandoned, 1, None),
                DeliveryOutcome::Retry(at) => (DeliveryState::Pending, 1, Some(at)),
                DeliveryOutcome::NotAttempted(at) => (DeliveryState::Pending, 0, Some(at)),
            };
            assert_eq!((first.state, first.begun, first.next_attempt_at), (state, begun, due));
            queue.record(&[mine.clone(), mine]).await.unwrap();
            assert_eq!(only(store, account).await, first);
            queue.record(&[]).await.unwrap();
            // Finish the rest, so that it does not disturb the next round.
            let rest = lease(store, NOW + LATER).await;
            for one in &rest {
                record(store, one, DeliveryOutcome::Succeeded(NOW)).await;
            }
        }
    });
}

#[test]
fn a_late_success_counts_and_a_late_failure_does_not() {
    on_both(async |db| {
        let store = &db.store;
        let (account, first) = leased_delivery(store).await;
        let second = lease(store, NOW + LATER).await.remove(0);
        let due = only(store, account).await.next_attempt_at;
        for late in
            [DeliveryOutcome::Retry(NOW), DeliveryOutcome::Abandoned(NOW), DeliveryOutcome::NotAttempted(NOW)]
        {
            record(store, &first, late).await;
            let shown = only(store, account).await;
            assert_eq!((shown.state, shown.begun), (DeliveryState::Pending, 2));
            assert_eq!(shown.next_attempt_at, due);
        }
        record(store, &second, DeliveryOutcome::Abandoned(NOW)).await;
        let given_up = only(store, account).await;
        assert_eq!(short(&given_up), (DeliveryState::Abandoned, 2, 2));
        record(store, &first, DeliveryOutcome::Succeeded(NOW)).await;
        let shown = only(store, account).await;
        assert_eq!(short(&shown), (DeliveryState::Succeeded, 2, 2));
        record(store, &second, DeliveryOutcome::Retry(NOW)).await;
        record(store, &second, DeliveryOutcome::Abandoned(NOW)).await;
        assert_eq!(only(store, account).await, shown);
    });
}

#[test]
fn in_one_batch_a_success_beats_the_failure_of_a_later_lease() {
    on_both(async |db| {
        let store = &db.store;
        let (account, first) = leased_delivery(store).await;
        let second = lease(store, NOW + LATER).await.remove(0);
        let batch = [
            settled(&second, DeliveryOutcome::Retry(NOW + LATER)),
            settled(&first, DeliveryOutcome::Succeeded(NOW)),
        ];
        store.delivery_queue.record(&batch).await.unwrap();
        let shown = only(store, account).await;
        assert_eq!(short(&shown), (DeliveryState::Succeeded, 2, 2));
    });
}

#[test]
fn lease_returned_twice_does_not_affect_the_next() {
    on_both(async |db| {
        let store = &db.store;
        let (account, first) = leased_delivery(store).await;
        let back = settled(&first, DeliveryOutcome::NotAttempted(NOW));
        let queue = &store.delivery_queue;
        queue.record(std::slice::from_ref(&back)).await.unwrap();
        let next = lease(store, NOW + Duration::SECOND).await.remove(0);
        assert_eq!(next.lease.attempt, 1, "no attempt was made");
        // The response to the first recording was lost, so the same is recorded again.
        queue.record(&[back]).await.unwrap();
        assert!(lease(store, NOW + Duration::SECOND).await.is_empty());
        record(store, &next, DeliveryOutcome::Succeeded(NOW)).await;
        let shown = only(store, account).await;
        assert_eq!(short(&shown), (DeliveryState::Succeeded, 1, 1));
    });
}

#[test]
fn outcome_recorded_after_pruning_adds_no_attempt() {
    on_both(async |db| {
        let store = &db.store;
        let (_account, leased) = leased_delivery(store).await;
        record(store, &leased, DeliveryOutcome::Succeeded(NOW)).await;
        let pruned = store.delivery_queue.prune(NOW + super::DAY, 10).await.unwrap();
        assert_eq!(pruned, 2, "the delivery and its event");
        record(store, &leased, DeliveryOutcome::Succeeded(NOW)).await;
        let no_attempt = "INSERT INTO webhook_attempts (account_id, delivery_id, number, attempted_at) \
            SELECT account_id, delivery_id, -1, attempted_at FROM webhook_attempts";
        // This would be refused if there were a row to copy.
        db.execute(no_attempt).await;
    });
}

/// Whatever the order of leases, losses and reports: at most five attempts, a success stays a success, and a
/// final state stays final.
#[test]
fn outcomes_recorded_in_any_order_leave_a_valid_delivery() {
    on_both(async |db| {
        let store = &db.store;
        let random = FixedRandom::default();
        let draw = || {
            let mut bytes = [0; 4];
            random.fill(&mut bytes);
            u32::from_be_bytes(bytes)
        };
        for _ in 0..12 {
            let account = subscribed(store).await;
            publish(store, account).await;
            let mut now = NOW;
            let mut leases: Vec<LeasedDelivery> = Vec::new();
            let mut succeeded = false;
            for _ in 0..14 {
                let lot = draw();
                now += Duration::hours(i64::from(lot % 9));
                let before = only(store, account).await;
                if lot.is_multiple_of(3) {
                    leases.extend(lease(store, now).await);
                } else if lot % 3 == 1 && !leases.is_empty() {
                    let which = usize::try_from(lot >> 16).unwrap() % leases.len();
                    let outcome = match (lot >> 8) % 5 {
                        0 => DeliveryOutcome::Succeeded(now),
                        1 => DeliveryOutcome::NotAttempted(now),
                        2 => DeliveryOutcome::Abandoned(now),
                        _ => DeliveryOutcome::Retry(now + Duration::MINUTE),
                    };
                    succeeded |= matches!(outcome, DeliveryOutcome::Succeeded(_));
                    record(store, &leases[which], outcome).await;
                } else {
                    store.delivery_queue.finish_lost(now, 5, 10).await.unwrap();
                }
                let after = only(store, account).await;
                assert!(after.begun <= DeliverySchedule::MAX_ATTEMPTS);
                assert!(after.attempts.len() <= 5);
                assert_eq!(succeeded, after.state == DeliveryState::Succeeded);
                let was_final = before.state != DeliveryState::Pending;
                assert!(!was_final || after.state == before.state || succeeded);
            }
            record_all(store, account, &leases).await;
        }
    });
}

/// Finishes the delivery, so that the next round finds nothing due.
async fn record_all(store: &store_diesel::Store, account: kernel::AccountId, leases: &[LeasedDelivery]) {
    let told: Vec<DeliveryResult> =
        leases.iter().map(|leased| settled(leased, DeliveryOutcome::Succeeded(NOW))).collect();
    store.delivery_queue.record(&told).await.unwrap();
    if only(store, account).await.state == DeliveryState::Pending {
        for one in lease(store, NOW + LATER * 10).await {
            record(store, &one, DeliveryOutcome::Succeeded(NOW)).await;
        }
    }
}
