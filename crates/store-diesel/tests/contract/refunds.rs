//! Refunds of charges: as the gateway reports them, and retried until they succeed.

use std::num::NonZeroU32;
use std::sync::Arc;

use idempotency::{IdempotencyKey, IdempotentOutcome, StoredResponse};
use kernel::Money;
use outbox::{Handler as _, Lease, Leased};
use payments::{
    Charge, ChargeState, GatewayTask, GatewayWorker, ReconcileError, RefundId, RefundRequest, RefundState,
    RefundView, ReversalKind, ReversalReport,
};

use crate::database::on_both;
use crate::fixtures::NOW;
use crate::online_payments::Paying;
use crate::stub_gateway::{NOT_WRITABLE, Refunding, StubGateway};

#[test]
fn refund_made_at_the_gateway_is_not_pending_again_after_a_late_report() {
    on_both(async |db| {
        let paying = Paying::new(&db.store).await;
        let reported = |state| {
            let mut charge = paying.charge("ch_1", 12_100, ChargeState::Succeeded);
            charge.reversals = vec![ReversalReport {
                id: "re_1".to_owned(),
                kind: ReversalKind::Refund,
                refund: None,
                amount: charge.amount,
                state,
            }];
            charge
        };
        let (pending, succeeded, failed) =
            (RefundState::Pending, RefundState::Succeeded, RefundState::Failed);
        for (report, expected) in [
            // The money has not gone.
            (pending, None),
            (succeeded, Some(succeeded)),
            (pending, Some(succeeded)),
            (failed, Some(failed)),
            (pending, Some(failed)),
        ] {
            paying.settle(&reported(report)).await;
            let found = paying.payments.reads.of_invoice(paying.scope.id, paying.invoice.id).await.unwrap();
            assert_eq!(found.reversals.first().map(|one| one.state), expected);
        }
    });
}

#[test]
fn dispute_takes_money_back_when_it_is_opened_and_gives_it_back_when_it_is_won() {
    on_both(async |db| {
        let paying = Paying::new(&db.store).await;
        paying.settle(&paying.charge("ch_1", 12_100, ChargeState::Succeeded)).await;
        let mails = async || db.count("SELECT count(*) AS count FROM jobs WHERE kind = 'mail'").await;
        let before = mails().await;
        let (opened, won) = (RefundState::Succeeded, RefundState::Failed);
        // The last report was made before the dispute was won.
        for (state, reversed, notices) in
            [(opened, 12_100, 1), (opened, 12_100, 1), (won, 0, 2), (opened, 0, 2)]
        {
            let mut disputed = paying.charge("ch_1", 12_100, ChargeState::Succeeded);
            disputed.reversals = vec![ReversalReport {
                id: "dp_1".to_owned(),
                kind: ReversalKind::Dispute,
                refund: None,
                amount: disputed.amount,
                state,
            }];
            let charge = paying.settle(&disputed).await;
            let found = paying.payments.reads.of_invoice(paying.scope.id, paying.invoice.id).await.unwrap();
            let figures = charge.figures(&found.reversals);
            let refundable = charge.refundable(&found.reversals);
            assert_eq!((figures.reversed.minor(), refundable.minor()), (reversed, 12_100 - reversed));
            assert_eq!(mails().await - before, notices);
        }
    });
}

/// Requests a refund of 20.00; returns its id.
async fn request_refund(paying: &Paying, charge: &Charge) -> RefundId {
    let request = RefundRequest { payment: charge.payment.unwrap(), amount: "20".to_owned() };
    let key = IdempotencyKey::parse("once").unwrap();
    let present =
        |refund: &RefundView| StoredResponse { status: 200, body: refund.id.to_string().into_bytes() };
    let requested = paying.payments.refund_once(paying.scope.id, &request, key, &present).await.unwrap();
    let IdempotentOutcome::Fresh(stored) = requested else { panic!("{requested:?}") };
    RefundId::parse(&String::from_utf8(stored.body).unwrap()).unwrap()
}

#[test]
fn amount_that_the_gateway_cannot_refund_is_refused() {
    on_both(async |db| {
        let mut paying = Paying::new(&db.store).await;
        paying.payments.gateways = vec![Arc::new(StubGateway::default())];
        let charge = paying.settle(&paying.charge("ch_1", 12_100, ChargeState::Succeeded)).await;
        let amount = format!("0.{NOT_WRITABLE}");
        let request = RefundRequest { payment: charge.payment.unwrap(), amount };
        let key = IdempotencyKey::parse("once").unwrap();
        let present = |_: &RefundView| StoredResponse { status: 200, body: Vec::new() };
        let refused = paying.payments.refund_once(paying.scope.id, &request, key, &present).await;
        let said = refused.unwrap_err().to_string();
        assert_eq!(said, "the amount cannot be refunded to its last decimal in AUD");
    });
}

#[test]
fn refund_of_a_charge_that_the_gateway_does_not_have_fails_and_is_retried() {
    on_both(async |db| {
        let mut paying = Paying::new(&db.store).await;
        paying.payments.gateways = vec![Arc::new(StubGateway::default())];
        let charge = paying.settle(&paying.charge("ch_1", 12_100, ChargeState::Succeeded)).await;
        let (account, payments) = (paying.scope.id, &paying.payments);
        let id = request_refund(&paying, &charge).await;
        let carried_out = payments.carry_out_refund(account, id).await;
        assert!(matches!(carried_out, Err(ReconcileError::Gateway(error)) if error.may_pass()));
        let refund = payments.refund_view(account, id).await.unwrap().unwrap();
        assert_eq!(refund.state, RefundState::Failed, "of which the owner is told");
    });
}

#[test]
fn refund_that_the_bank_sends_back_before_the_response_is_stored_is_requested_anew() {
    on_both(async |db| {
        let mut paying = Paying::new(&db.store).await;
        let refunding = Arc::new(Refunding::default());
        let gateway = StubGateway { refunding: Some(refunding.clone()), ..StubGateway::default() };
        paying.payments.gateways = vec![Arc::new(gateway)];
        let charge = paying.settle(&paying.charge("ch_1", 12_100, ChargeState::Succeeded)).await;
        let (account, payments) = (paying.scope.id, &paying.payments);
        let id = request_refund(&paying, &charge).await;
        let count =
            async |kind| db.count(&format!("SELECT count(*) AS count FROM jobs WHERE kind = '{kind}'")).await;
        let before = (count("gateway").await, count("mail").await);
        let sent_back = async {
            refunding.made.notified().await;
            let mut report = paying.charge("ch_1", 12_100, ChargeState::Succeeded);
            report.reversals = vec![ReversalReport {
                id: format!("re_{id}"),
                kind: ReversalKind::Refund,
                refund: Some(id),
                amount: Money::new(2_000, charge.amount.currency()),
                state: RefundState::Failed,
            }];
            paying.settle(&report).await;
            refunding.respond.notify_one();
        };
        let (attempt, ()) = tokio::join!(payments.carry_out_refund(account, id), sent_back);
        assert!(matches!(attempt, Err(ReconcileError::Gateway(error)) if error.may_pass()));
        let state = async || payments.refund_view(account, id).await.unwrap().unwrap().state;
        assert_eq!(state().await, RefundState::Failed);
        // The attempt is repeated by its own job, and the owner is told.
        assert_eq!((count("gateway").await, count("mail").await), (before.0, before.1 + 1));
        refunding.respond.notify_one();
        payments.carry_out_refund(account, id).await.unwrap();
        let (_, refund) = payments.reads.reversal(account, id).await.unwrap().unwrap();
        assert_eq!(refund.state, RefundState::Succeeded);
        assert_ne!(refund.gateway_refund_key, id, "the gateway repeats its response to a repeated key");
    });
}

#[test]
fn refund_that_fails_until_its_job_ends_is_queued_anew_and_the_owner_is_told() {
    on_both(async |db| {
        let mut paying = Paying::new(&db.store).await;
        paying.payments.gateways = vec![Arc::new(StubGateway::default())];
        let charge = paying.settle(&paying.charge("ch_1", 12_100, ChargeState::Succeeded)).await;
        let id = request_refund(&paying, &charge).await;
        let worker = GatewayWorker {
            queue: db.store.jobs.clone(),
            payments: paying.payments.clone(),
            max_concurrent: NonZeroU32::MIN,
        };
        let job = Leased {
            lease: Lease { account: paying.scope.id, id: crate::fixtures::id(), attempt: 9 },
            queued_at: NOW,
            letterhead: None,
            payload: GatewayTask::Refund { refund: id.uuid() },
        };
        let count = async || {
            let of = async |kind: &str| {
                db.count(&format!("SELECT count(*) AS count FROM jobs WHERE kind = '{kind}'")).await
            };
            (of("gateway").await, of("mail").await)
        };
        assert!(worker.handle(&job).await.is_err());
        let (tasks, mails) = count().await;
        assert!(worker.handle(&job).await.is_err());
        assert_eq!(count().await, (tasks, mails), "its job is repeated");
        worker.given_up(&job, "the gateway did not do it within 14 days").await.unwrap();
        assert_eq!(count().await, (tasks + 1, mails + 1));
    });
}
