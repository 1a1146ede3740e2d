//! Refunds.

use payments::{GatewayError, PaymentGateway, RefundState, ReversalKind};
use time::Duration;

use crate::ground::{Ground, money};
use crate::stand_in::Mishap;

#[tokio::test]
async fn refund_of_one_id_is_made_once_also_after_stripe_forgot_the_key() {
    let ground = Ground::new().await;
    let charge = ground.paid().await;
    let new = ground.new_refund(&charge, "20.00 AUD");
    // Fails the refund itself, after the search for an earlier one.
    ground.stand_in.next(Mishap::Answers(500, serde_json::json!({})));
    assert!(ground.stripe.refund(&ground.access, &new).await.is_err());
    let first = ground.stripe.refund(&ground.access, &new).await.unwrap();
    assert_eq!(first.state, RefundState::Succeeded);
    for wait in [Duration::ZERO, Duration::days(3)] {
        ground.clock.advance(wait);
        assert_eq!(ground.stripe.refund(&ground.access, &new).await.unwrap(), first);
    }
    assert_eq!(ground.stand_in.world(|world| world.number_of_refunds(&charge.0)), 1);
    let reversal = &ground.charge(&charge).await.reversals[0];
    assert_eq!((reversal.kind, reversal.refund), (ReversalKind::Refund, Some(new.id)));
    assert_eq!((&reversal.id, reversal.amount), (&first.id, money("20.00 AUD")));
    ground.ends_well();
}

#[tokio::test]
async fn refund_whose_answer_was_lost_is_found_again() {
    let ground = Ground::new().await;
    let charge = ground.paid().await;
    let new = ground.new_refund(&charge, "20.00 AUD");
    let nothing = br#"{"data":[],"has_more":false}"#.to_vec();
    ground.stand_in.next(Mishap::AnswersRaw(200, nothing));
    ground.stand_in.next(Mishap::LosesTheAnswer);
    let lost = ground.stripe.refund(&ground.access, &new).await;
    assert!(matches!(lost, Err(GatewayError::Unreachable(_))), "{lost:?}");
    assert!(ground.stripe.refund(&ground.access, &new).await.is_ok());
    assert_eq!(ground.stand_in.world(|world| world.number_of_refunds(&charge.0)), 1);
    ground.ends_well();
}

#[tokio::test]
async fn refund_of_more_than_is_left_is_refused() {
    let ground = Ground::new().await;
    let charge = ground.paid().await;
    let most = ground.new_refund(&charge, "100.00 AUD");
    assert!(ground.stripe.refund(&ground.access, &most).await.is_ok());
    let more = ground.new_refund(&charge, "10.01 AUD");
    let refused = ground.stripe.refund(&ground.access, &more).await;
    assert!(matches!(refused, Err(GatewayError::Refused(_))), "{refused:?}");
    ground.ends_well();
}

#[tokio::test]
async fn refunds_made_elsewhere_and_failed_ones_are_reported_all_of_them() {
    let ground = Ground::new().await;
    let charge = ground.paid().await;
    for _ in 0..24 {
        ground.stand_in.world(|world| world.refund_elsewhere(&charge.0, 100));
    }
    let last = ground.stand_in.world(|world| world.refund_elsewhere(&charge.0, 100));
    for (status, state) in [
        ("pending", RefundState::Pending),
        ("requires_action", RefundState::Pending),
        ("failed", RefundState::Failed),
        ("canceled", RefundState::Failed),
    ] {
        ground.stand_in.world(|world| world.refund_becomes(&last, status));
        let reversals = ground.charge(&charge).await.reversals;
        assert_eq!(reversals.len(), 25);
        let of_last = reversals.iter().find(|reversal| reversal.id == last).unwrap();
        assert_eq!((of_last.state, of_last.refund), (state, None), "{status}");
    }
    ground.ends_well();
}
