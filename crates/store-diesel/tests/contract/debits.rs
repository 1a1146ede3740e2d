//! Debits, which are processed for days between their order and the money or its refusal.

use std::sync::Arc;

use payments::{ChargeState, CheckoutError, CheckoutRequest, CheckoutState, IntentState};

use crate::database::on_both;
use crate::fixtures::NOW;
use crate::online_payments::Paying;
use crate::stub_gateway::StubGateway;

#[test]
fn payment_online_is_offered_until_all_that_is_due_is_being_processed() {
    on_both(async |db| {
        let mut paying = Paying::new(&db.store).await;
        paying.payments.gateways = vec![Arc::new(StubGateway::default())];
        for (charge, minor, is_offered) in [("ch_1", 12_000, true), ("ch_2", 100, false)] {
            paying.settle(&paying.charge(charge, minor, ChargeState::Pending)).await;
            assert_eq!(paying.payments.is_offered(&paying.invoice).await.unwrap(), is_offered, "{charge}");
        }
    });
}

#[test]
fn payment_that_was_ordered_and_has_no_charge_yet_is_being_processed() {
    on_both(async |db| {
        let store = &db.store;
        let mut paying = Paying::new(store).await;
        let gateway = |state| Arc::new(StubGateway { checkouts: Some(state), ..StubGateway::default() });
        for (state, becomes, due) in [
            (CheckoutState::Ordered, IntentState::Pending, 0),
            (CheckoutState::Complete, IntentState::Ended, 12_100),
        ] {
            paying.payments.gateways = vec![gateway(state)];
            let intent = paying.payments.reconcile(&paying.intent).await.unwrap();
            assert_eq!(intent.state, becomes);
            let is_offered = paying.payments.is_offered(&paying.invoice).await.unwrap();
            assert_eq!(is_offered, due > 0, "{state:?}");
            let request = CheckoutRequest {
                invoice: paying.invoice.id,
                token: paying.invoice.pay_token.clone(),
                amount: None,
                most: None,
            };
            for (amount, most) in [(None, "AUD 1.00"), (Some("7.00".to_owned()), "EUR 121.00")] {
                let request = CheckoutRequest { amount, most: Some(most.to_owned()), ..request.clone() };
                let refused = paying.payments.check_out(paying.scope.id, &request).await;
                assert_eq!(matches!(refused, Err(CheckoutError::Changed)), due > 0, "{refused:?}");
            }
            let begun = paying.payments.check_out(paying.scope.id, &request).await;
            assert_eq!(matches!(begun, Err(CheckoutError::BeingProcessed)), due == 0, "{begun:?}");
            let figures = paying.payments.reads.figures(paying.scope.id, NOW).await.unwrap();
            let processing: i64 = figures.iter().map(|one| one.processing.minor()).sum();
            assert_eq!(processing, 12_100 - due, "{state:?}");
            let contact = paying.invoice.contact.as_ref().unwrap().id;
            let mut tx = store.communications.begin(paying.scope.id).await.unwrap();
            let (_, locked) = tx.reminders().lock_all(&[contact], None, NOW).await.unwrap().unwrap();
            assert_eq!(locked[0].invoices[0].payment_pending, due == 0, "{state:?}");
        }
    });
}

#[test]
fn invoice_can_be_paid_again_at_once_when_its_last_debit_fails() {
    on_both(async |db| {
        let mut paying = Paying::new(&db.store).await;
        let ordered = StubGateway { checkouts: Some(CheckoutState::Ordered), ..StubGateway::default() };
        paying.payments.gateways = vec![Arc::new(ordered)];
        let ordered = paying.payments.reconcile(&paying.intent).await.unwrap();
        assert_eq!(ordered.state, IntentState::Pending);
        for (charge, state, is_offered) in [
            ("ch_1", ChargeState::Pending, false),
            ("ch_2", ChargeState::Pending, false),
            ("ch_1", ChargeState::Failed, false),
            ("ch_2", ChargeState::Failed, true),
        ] {
            paying.settle(&paying.charge(charge, 12_100, state)).await;
            let offered = paying.payments.is_offered(&paying.invoice).await.unwrap();
            assert_eq!(offered, is_offered, "{charge} {state:?}");
        }
        let intent = paying.payments.reads.intent(paying.scope.id, paying.intent.id).await.unwrap().unwrap();
        assert_eq!(intent.state, IntentState::Ended);
    });
}
