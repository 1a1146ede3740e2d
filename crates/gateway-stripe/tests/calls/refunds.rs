//! Refunds.

use payments::{GatewayError, PaymentGateway, RefundState, ReversalKind};
use time::Duration;

use crate::fixture::{Fixture, money};
use crate::stand_in::InjectedFault;

#[tokio::test]
async fn refund_of_one_id_is_made_once_also_after_stripe_forgot_the_key() {
    let fixture = Fixture::new().await;
    let charge = fixture.paid().await;
    let new = fixture.new_refund(&charge, "20.00 AUD");
    // Fails the refund itself, after the search for an earlier one.
    fixture.stand_in.next(InjectedFault::Respond(500, serde_json::json!({})));
    assert!(fixture.stripe.refund(&fixture.access, &new).await.is_err());
    let first = fixture.stripe.refund(&fixture.access, &new).await.unwrap();
    assert_eq!(first.state, RefundState::Succeeded);
    for wait in [Duration::ZERO, Duration::days(3)] {
        fixture.clock.advance(wait);
        assert_eq!(fixture.stripe.refund(&fixture.access, &new).await.unwrap(), first);
    }
    assert_eq!(fixture.stand_in.world(|world| world.number_of_refunds(&charge.0)), 1);
    let reversal = &fixture.charge(&charge).await.reversals[0];
    assert_eq!((reversal.kind, reversal.refund), (ReversalKind::Refund, Some(new.key)));
    assert_eq!((&reversal.id, reversal.amount), (&first.id, money("20.00 AUD")));
    fixture.assert_no_faults();
}

#[tokio::test]
async fn refund_whose_answer_was_lost_is_found_again() {
    let fixture = Fixture::new().await;
    let charge = fixture.paid().await;
    let new = fixture.new_refund(&charge, "20.00 AUD");
    let nothing = br#"{"data":[],"has_more":false}"#.to_vec();
    fixture.stand_in.next(InjectedFault::RespondRaw(200, nothing));
    fixture.stand_in.next(InjectedFault::LoseResponse);
    let lost = fixture.stripe.refund(&fixture.access, &new).await;
    assert!(matches!(lost, Err(GatewayError::Unreachable(_))), "{lost:?}");
    assert!(fixture.stripe.refund(&fixture.access, &new).await.is_ok());
    assert_eq!(fixture.stand_in.world(|world| world.number_of_refunds(&charge.0)), 1);
    fixture.assert_no_faults();
}

#[tokio::test]
async fn refund_of_more_than_is_left_is_refused() {
    let fixture = Fixture::new().await;
    let charge = fixture.paid().await;
    let most = fixture.new_refund(&charge, "100.00 AUD");
    assert!(fixture.stripe.refund(&fixture.access, &most).await.is_ok());
    let more = fixture.new_refund(&charge, "10.01 AUD");
    let refused = fixture.stripe.refund(&fixture.access, &more).await;
    assert!(matches!(refused, Err(GatewayError::Refused(_))), "{refused:?}");
    fixture.assert_no_faults();
}

#[tokio::test]
async fn refunds_made_elsewhere_and_failed_ones_are_reported_all_of_them() {
    let fixture = Fixture::new().await;
    let charge = fixture.paid().await;
    for _ in 0..24 {
        fixture.stand_in.world(|world| world.refund_elsewhere(&charge.0, 100));
    }
    let last = fixture.stand_in.world(|world| world.refund_elsewhere(&charge.0, 100));
    for (status, state) in [
        ("pending", RefundState::Pending),
        ("requires_action", RefundState::Pending),
        ("failed", RefundState::Failed),
        ("canceled", RefundState::Failed),
    ] {
        fixture.stand_in.world(|world| world.refund_becomes(&last, status));
        let reversals = fixture.charge(&charge).await.reversals;
        assert_eq!(reversals.len(), 25);
        let of_last = reversals.iter().find(|reversal| reversal.id == last).unwrap();
        assert_eq!((of_last.state, of_last.refund), (state, None), "{status}");
    }
    fixture.assert_no_faults();
}
