//! Refunds of charges: as the gateway reports them, and retried until they succeed.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use idempotency::{IdempotencyKey, IdempotentOutcome, StoredResponse};
use kernel::Money;
use outbox::{JobHandler as _, Lease, Leased};
use payments::{
    Charge, ChargeState, GatewayTask, GatewayWorker, ReconcileError, RefundKey, RefundRequest, RefundState,
    RefundView, Reversal, ReversalId, ReversalKind, ReversalReason, ReversalReport,
};
use testkit::FixedClock;
use time::Duration;

use crate::database::on_both;
use crate::fixtures::{NOW, invoicing, job_context};
use crate::online_payments::Paying;
use crate::stub_gateway::{NOT_WRITABLE, Refunding, StubGateway};

#[test]
fn list_of_charges_has_all_reversals_of_each() {
    on_both(async |db| {
        let paying = Paying::new(&db.store).await;
        paying.settle(&paying.charge("ch_1", 100, ChargeState::Succeeded)).await;
        let mut refunded = paying.charge("ch_2", 12_000, ChargeState::Succeeded);
        let refund = |id: &str| ReversalReport {
            id: id.to_owned(),
            kind: ReversalKind::Refund,
            refund: None,
            amount: Money::new(100, refunded.amount.currency()),
            state: RefundState::Succeeded,
        };
        refunded.reversals = ["re_1", "re_2", "re_3"].map(refund).into();
        paying.settle(&refunded).await;
        for (limit, expected) in [(1, vec![("ch_2", 3)]), (2, vec![("ch_2", 3), ("ch_1", 0)])] {
            let charges = paying.payments.reads.charges(paying.scope.id, limit).await.unwrap();
            let listed = charges.iter().map(|(charge, all)| (charge.gateway_id.0.as_str(), all.len()));
            assert_eq!(listed.collect::<Vec<_>>(), expected);
        }
    });
}

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
fn refund_is_dated_by_when_it_was_made_and_not_by_its_request() {
    on_both(async |db| {
        let mut paying = Paying::new(&db.store).await;
        let clock = FixedClock::default();
        paying.payments.invoicing = invoicing(&db.store, clock.clone());
        paying.settle(&paying.charge("ch_1", 12_100, ChargeState::Succeeded)).await;
        let mut twice = paying.charge("ch_2", 12_100, ChargeState::Succeeded);
        paying.settle(&twice).await;
        let found =
            async || paying.payments.reads.of_invoice(paying.scope.id, paying.invoice.id).await.unwrap();
        let key = found().await.reversals[0].gateway_refund_key;
        clock.advance(Duration::days(32));
        for (state, made_at) in
            [(RefundState::Succeeded, Some(NOW + Duration::days(32))), (RefundState::Failed, None)]
        {
            twice.reversals = vec![ReversalReport {
                id: "re_1".to_owned(),
                kind: ReversalKind::Refund,
                refund: Some(key),
                amount: twice.amount,
                state,
            }];
            paying.settle(&twice).await;
            let found = found().await;
            assert_eq!(found.reversals[0].succeeded_at, made_at);
            assert_eq!(found.timeline().first().map(|entry| entry.at), made_at);
            let since = NOW + Duration::DAY;
            let figures = paying.payments.reads.figures(paying.scope.id, since).await.unwrap();
            let refunded: i64 = figures.iter().map(|one| one.refunded.minor()).sum();
            assert_eq!(refunded, if made_at.is_some() { 12_100 } else { 0 }, "{state:?}");
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
async fn request_refund(paying: &Paying, charge: &Charge) -> ReversalId {
    request_refund_of(paying, charge, "20").await
}

/// Requests a refund of an amount, with the amount as the key; returns its id.
async fn request_refund_of(paying: &Paying, charge: &Charge, amount: &str) -> ReversalId {
    let request = RefundRequest { payment: charge.payment.unwrap(), amount: amount.to_owned() };
    let key = IdempotencyKey::parse(amount).unwrap();
    let present =
        |refund: &RefundView| StoredResponse { status: 200, body: refund.id.to_string().into_bytes() };
    let requested = paying.payments.refund_once(paying.scope.id, &request, key, &present).await.unwrap();
    let IdempotentOutcome::Fresh(stored) = requested else { panic!("{requested:?}") };
    ReversalId::parse(&String::from_utf8(stored.body).unwrap()).unwrap()
}

/// Settles a charge that was captured, with a reversal that the gateway reports.
async fn report(
    paying: &Paying,
    captured: i64,
    (id, kind, refund): (&str, ReversalKind, Option<RefundKey>),
    (minor, state): (i64, RefundState),
) -> (Charge, Vec<Reversal>) {
    let mut report = paying.charge("ch_1", captured, ChargeState::Succeeded);
    let amount = Money::new(minor, report.amount.currency());
    report.reversals = vec![ReversalReport { id: id.to_owned(), kind, refund, amount, state }];
    let charge = paying.settle(&report).await;
    (charge, paying.payments.reads.of_invoice(paying.scope.id, paying.invoice.id).await.unwrap().reversals)
}

#[test]
fn refund_at_the_gateway_that_fails_gives_back_whatever_it_stood_for() {
    on_both(async |db| {
        let (made, failed) = (RefundState::Succeeded, RefundState::Failed);
        // More than the return, the return, and a part of it: what counts as returned and as reversed.
        for (minor, returned, reversed) in [(10_000, 7_900, 2_100), (7_900, 7_900, 0), (5_000, 5_000, 0)] {
            let paying = Paying::new(&db.store).await;
            paying.settle(&paying.charge("ch_1", 20_000, ChargeState::Succeeded)).await;
            let of = ("re_1", ReversalKind::Refund, None);
            let tasks = async || db.count("SELECT count(*) AS count FROM jobs WHERE kind = 'gateway'").await;
            let mut before = tasks().await;
            for (state, expected, is_queued) in [
                (made, (returned, reversed, 7_900 - returned), false),
                (failed, (0, 0, 7_900), true),
                (failed, (0, 0, 7_900), false),
            ] {
                let (charge, reversals) = report(&paying, 20_000, of, (minor, state)).await;
                let figures = charge.figures(&reversals);
                let shown = [figures.returned, figures.reversed, figures.to_return].map(Money::minor);
                assert_eq!(shown, <[i64; 3]>::from(expected), "{minor} {state:?}");
                assert!(charge.covers_own(&reversals));
                assert_eq!(tasks().await > before, is_queued, "{minor} {state:?}");
                before = tasks().await;
            }
        }
    });
}

#[test]
fn return_that_is_on_its_way_keeps_its_amount_when_the_bank_takes_money_back() {
    on_both(async |db| {
        let mut paying = Paying::new(&db.store).await;
        let refunding = Arc::new(Refunding::default());
        let gateway = StubGateway { refunding: Some(refunding.clone()), ..StubGateway::default() };
        paying.payments.gateways = vec![Arc::new(gateway)];
        paying.settle(&paying.charge("ch_1", 20_000, ChargeState::Succeeded)).await;
        let reads = &paying.payments.reads;
        let return_of_excess = async || {
            let found = reads.of_invoice(paying.scope.id, paying.invoice.id).await.unwrap().reversals;
            found.into_iter().find(|one| one.reason == ReversalReason::Return).unwrap()
        };
        let attempt = async |pends| {
            refunding.pends.store(pends, Ordering::Relaxed);
            refunding.respond.notify_one();
            paying.payments.carry_out_refund(paying.scope.id, return_of_excess().await.id).await
        };
        assert!(attempt(true).await.is_err(), "the gateway has only accepted it");
        let dispute = ("dp_1", ReversalKind::Dispute, None);
        report(&paying, 20_000, dispute, (1_000, RefundState::Succeeded)).await;
        attempt(false).await.unwrap();
        let made = return_of_excess().await;
        assert_eq!((made.amount.minor(), made.state), (7_900, RefundState::Succeeded));
    });
}

#[test]
fn return_that_the_gateway_cannot_write_is_made_as_far_as_it_can() {
    on_both(async |db| {
        let mut paying = Paying::new(&db.store).await;
        let refunding = Arc::new(Refunding::default());
        refunding.respond.notify_one();
        let gateway = StubGateway { refunding: Some(refunding), ..StubGateway::default() };
        paying.payments.gateways = vec![Arc::new(gateway)];
        let charge = paying.charge("ch_1", 12_100 + NOT_WRITABLE, ChargeState::Succeeded);
        let charge = paying.settle(&charge).await;
        let (account, payments) = (paying.scope.id, &paying.payments);
        let returns = async || payments.reads.of_invoice(account, paying.invoice.id).await.unwrap().reversals;
        let tasks = async || db.count("SELECT count(*) AS count FROM jobs WHERE kind = 'gateway'").await;
        let before = tasks().await;
        payments.carry_out_refund(account, returns().await[0].id).await.unwrap();
        let mut after = returns().await;
        after.sort_by_key(|one| one.amount.minor());
        let shown: Vec<_> = after.iter().map(|one| (one.amount.minor(), one.state)).collect();
        assert_eq!(shown, [(3, RefundState::Pending), (10, RefundState::Succeeded)]);
        assert_eq!(tasks().await, before + 1, "the rest is a return of its own");
        // A later report of the charge adds nothing to what waits.
        paying.settle(&paying.charge("ch_1", 12_100 + NOT_WRITABLE, ChargeState::Succeeded)).await;
        assert_eq!(returns().await.len(), 2);
        assert_eq!(charge.figures(&returns().await).to_return.minor(), 3);
    });
}

#[test]
fn refund_that_waits_is_made_when_a_later_one_fails_and_leaves_enough() {
    on_both(async |db| {
        let mut paying = Paying::new(&db.store).await;
        paying.payments.gateways = vec![Arc::new(StubGateway::default())];
        let charge = paying.settle(&paying.charge("ch_1", 12_100, ChargeState::Succeeded)).await;
        let (account, payments) = (paying.scope.id, &paying.payments);
        let waiting = request_refund_of(&paying, &charge, "40").await;
        let later = request_refund_of(&paying, &charge, "60").await;
        let made = ("re_1", ReversalKind::Refund, Some(Reversal::first_key(later)));
        report(&paying, 12_100, made, (6_000, RefundState::Succeeded)).await;
        let dispute = ("dp_1", ReversalKind::Dispute, None);
        report(&paying, 12_100, dispute, (3_000, RefundState::Succeeded)).await;
        payments.carry_out_refund(account, waiting).await.unwrap();
        let state = payments.refund_view(account, waiting).await.unwrap().unwrap().state;
        assert_eq!(state, RefundState::Failed, "31.00 are left");
        let tasks = async || db.count("SELECT count(*) AS count FROM jobs WHERE kind = 'gateway'").await;
        let before = tasks().await;
        report(&paying, 12_100, made, (6_000, RefundState::Failed)).await;
        assert_eq!(tasks().await, before + 2, "both are tried again");
    });
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
            let made = format!("re_{id}");
            let of = (&*made, ReversalKind::Refund, Some(Reversal::first_key(id)));
            report(&paying, 12_100, of, (2_000, RefundState::Failed)).await;
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
        assert!(refund.has_another_key(), "the gateway repeats its response to a repeated key");
    });
}

#[test]
fn refund_that_fails_until_its_job_ends_is_queued_anew_and_the_owner_is_told() {
    on_both(async |db| {
        let mut paying = Paying::new(&db.store).await;
        paying.payments.gateways = vec![Arc::new(StubGateway::default())];
        let charge = paying.settle(&paying.charge("ch_1", 12_100, ChargeState::Succeeded)).await;
        let id = request_refund(&paying, &charge).await;
        let worker = GatewayWorker { jobs: job_context(&db.store), payments: paying.payments.clone() };
        let job = Leased {
            lease: Lease { account: paying.scope.id, id: crate::fixtures::id(), attempt: 9, ends_at: NOW },
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
