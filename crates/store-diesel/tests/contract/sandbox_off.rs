//! Payments that were begun in the sandbox, and the sandbox is off now.

use idempotency::{IdempotencyKey, StoredResponse};
use outbox::{Failure, JobHandler as _, Lease, Leased, NotDone};
use payments::{
    ChargeState, GatewayKind, GatewayTask, GatewayWorker, IntentState, RefundError, RefundRequest,
    RefundState, RefundView,
};

use crate::database::on_both;
use crate::fixtures::{NOW, id, job_context};
use crate::online_payments::Paying;

#[test]
fn payment_in_the_sandbox_that_is_off_ends_and_one_at_a_live_gateway_that_is_missing_waits() {
    on_both(async |db| {
        for (kind, expected) in [
            (GatewayKind::Sandbox, (IntentState::Ended, ChargeState::Failed)),
            (GatewayKind::Stripe, (IntentState::Open, ChargeState::Pending)),
        ] {
            for expires in [false, true] {
                let paying = Paying::at(&db.store, kind).await;
                let (account, payments) = (paying.scope.id, &paying.payments);
                paying.settle(&paying.charge("ch_1", 12_100, ChargeState::Pending)).await;
                let checked = match expires {
                    true => payments.expire(account, paying.intent.id).await,
                    false => payments.reconcile(&paying.intent).await.map(drop),
                };
                assert_eq!(checked.is_err(), kind.is_live(), "{checked:?}");
                let intent = payments.reads.intent(account, paying.intent.id).await.unwrap().unwrap();
                let found = payments.reads.of_invoice(account, paying.invoice.id).await.unwrap();
                assert_eq!((intent.state, found.charges[0].state), expected, "{kind:?} {expires}");
            }
        }
    });
}

#[test]
fn refund_in_the_sandbox_that_is_off_is_refused_and_one_that_waits_goes_on_without_a_mail() {
    on_both(async |db| {
        // A live gateway's owner is mailed about the refund.
        for (kind, queued) in [(GatewayKind::Sandbox, 1), (GatewayKind::Stripe, 2)] {
            let paying = Paying::at(&db.store, kind).await;
            let (account, payments) = (paying.scope.id, &paying.payments);
            let charge = paying.settle(&paying.charge("ch_1", 12_100, ChargeState::Succeeded)).await;
            paying.settle(&paying.charge("ch_2", 12_100, ChargeState::Succeeded)).await;
            let reversals =
                async || payments.reads.of_invoice(account, paying.invoice.id).await.unwrap().reversals;
            let waiting = reversals().await[0].id;

            let request = RefundRequest { payment: charge.payment.unwrap(), amount: "20".to_owned() };
            let key = IdempotencyKey::parse("once").unwrap();
            let present = |_: &RefundView| StoredResponse { status: 200, body: Vec::new() };
            let requested = payments.refund_once(account, &request, key, &present).await;
            let is_off = matches!(requested, Err(RefundError::SandboxOff));
            assert_eq!((is_off, requested.is_ok()), (!kind.is_live(), kind.is_live()), "{requested:?}");

            let worker = GatewayWorker { jobs: job_context(&db.store), payments: payments.clone() };
            let job = Leased {
                lease: Lease { account, id: id(), attempt: 1, ends_at: NOW },
                queued_at: NOW,
                letterhead: None,
                payload: GatewayTask::Refund { refund: waiting.uuid() },
            };
            let ended = worker.handle(&job).await;
            assert!(matches!(ended, Err(NotDone::Failed(Failure::Temporary(_)))), "{ended:?}");
            let jobs = async || {
                let of = "kind IN ('gateway', 'mail')";
                db.count(&format!("SELECT count(*) AS count FROM jobs WHERE {of}")).await
            };
            let before = jobs().await;
            worker.given_up(&job, "it was not made").await.unwrap();
            assert_eq!(jobs().await, before + queued, "{kind:?}");
            let refund = reversals().await.into_iter().find(|one| one.id == waiting).unwrap();
            assert_eq!(refund.state, RefundState::Pending, "{kind:?}");
        }
    });
}
