//! Idempotency keys that a process is working on.

use idempotency::Fingerprint;
use idempotency::IdempotentOperation;
use idempotency::{IdempotencyKey, Ticket};
use store_schema::in_flight_keys::InFlightKeys;
use store_schema::types::RowId;
use uuid::Uuid;

fn ticket() -> Ticket {
    Ticket {
        operation: IdempotentOperation::CREATE_CONTACT,
        key: IdempotencyKey::parse("k").unwrap(),
        fingerprint: Fingerprint::of(b"{}"),
    }
}

#[tokio::test]
async fn second_claim_fails_at_once_and_waits_only_for_a_roll_back() {
    let (in_flight_keys, account) = (InFlightKeys::default(), RowId(Uuid::from_u128(1)));
    let first = in_flight_keys.take(account, &ticket()).await.unwrap();
    assert!(in_flight_keys.take(account, &ticket()).await.is_none());
    let other = RowId(Uuid::from_u128(2));
    assert!(in_flight_keys.take(other, &ticket()).await.is_some());

    first.is_ending();
    let next = tokio::spawn({
        let in_flight_keys = in_flight_keys.clone();
        async move { in_flight_keys.take(account, &ticket()).await.is_some() }
    });
    tokio::task::yield_now().await;
    drop(first);
    assert!(next.await.unwrap());
    assert!(in_flight_keys.take(account, &ticket()).await.is_some());
}
