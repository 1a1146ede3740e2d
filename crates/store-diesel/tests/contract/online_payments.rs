//! Charges of gateways: settled once, in whatever order and however often they are reported.

use std::sync::Arc;

use invoices::{Invoice, InvoiceId, InvoiceStatus};
use kernel::{AccountId, AccountScope, Money};
use payments::{
    Charge, ChargeId, ChargeReport, ChargeState, CheckoutId, GatewayAccount, GatewayKind, GatewaySecret,
    Intent, IntentId, IntentState, MethodKind, OnlinePayments, OpenedCheckout, PaymentSettings,
    ReconcileError, RefundState, ReversalKind, ReversalReport, SealedGatewaySecret, Settled,
    StoredGatewayEvent, TermsChange, UnappliedMoney,
};
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use store_diesel::{Store, StoreOptions};
use testkit::FixedClock;
use time::Duration;

use crate::database::{on_both, on_postgres};
use crate::fixtures::{NOW, RANDOM, id, input, invoicing, stored_contact, stored_invoice, tenant};
use crate::round_trips::Relay;

pub(crate) fn online_payments(store: &Store) -> OnlinePayments {
    OnlinePayments {
        store: store.online_payments.clone(),
        reads: store.online_reads.clone(),
        invoicing: invoicing(store, FixedClock::default()),
        gateways: Vec::new(),
        keys: Arc::new(kernel::SealingKeys::new(&[7; 32], None)),
        random: Arc::new(kernel::SystemRandom::default()),
        delay: Duration::DAY,
    }
}

pub(crate) struct Paying {
    pub(crate) payments: OnlinePayments,
    pub(crate) scope: AccountScope,
    pub(crate) invoice: Invoice,
    pub(crate) gateway: GatewayAccount,
    pub(crate) intent: Intent,
}

impl Paying {
    /// An invoice of 121.00 that a payer begins to pay.
    pub(crate) async fn new(store: &Store) -> Self {
        Self::at(store, GatewayKind::Stripe).await
    }

    /// An invoice that a payer begins to pay at a gateway of some kind, which this process does not have.
    pub(crate) async fn at(store: &Store, kind: GatewayKind) -> Self {
        let payments = online_payments(store);
        let scope = tenant(store).await;
        let contact = stored_contact(store, scope.id).await;
        let raised = stored_invoice(store, &scope, "A-1", Some(contact), input(1)).await;
        let row = (scope.id, id());
        let secret = GatewaySecret::parse("sk_test_123").unwrap();
        let sealed = SealedGatewaySecret::seal(&secret, &payments.keys, &*RANDOM, row);
        let gateway = GatewayAccount::new(row.1, scope.id, kind, sealed, NOW);
        let intent = Intent {
            id: id(),
            account: scope.id,
            invoice: raised.id,
            gateway_account: gateway.id,
            amount: raised.amount_due(),
            state: IntentState::Open,
            opened_with: None,
            checkout: Some(OpenedCheckout { id: CheckoutId("cs_1".to_owned()), url: "https://x".to_owned() }),
            token: raised.pay_token.clone(),
            created_at: NOW,
            expires_at: NOW + Intent::LASTS,
        };
        let mut tx = store.online_payments.begin(scope.id).await.unwrap();
        tx.online().put_gateway(&gateway).await.unwrap();
        tx.online().put_intent(&intent).await.unwrap();
        tx.commit().await.unwrap();
        Self { payments, scope, invoice: raised, gateway, intent }
    }

    pub(crate) fn charge(&self, name: &str, minor: i64, state: ChargeState) -> ChargeReport {
        ChargeReport {
            id: ChargeId(name.to_owned()),
            intent: Some(self.intent.id),
            account: Some(self.scope.id),
            state,
            amount: Money::new(minor, self.invoice.currency),
            method: MethodKind::Card,
            captured_at: NOW,
            reversals: Vec::new(),
        }
    }

    pub(crate) async fn settle(&self, report: &ChargeReport) -> Charge {
        match self.payments.settle((self.scope.id, self.gateway.id), report).await.unwrap() {
            Settled::Stored(charge) => charge,
            Settled::NotOurs => panic!("it is ours"),
        }
    }

    pub(crate) async fn invoice(&self) -> Invoice {
        read(&self.payments, self.scope.id, self.invoice.id).await
    }

    /// The sums of all charges: applied, unapplied.
    async fn sums(&self) -> (i64, i64) {
        let charges = self.payments.reads.charges(self.scope.id, 1_000).await.unwrap();
        charges.iter().fold((0, 0), |(applied, unapplied), (charge, reversals)| {
            let figures = charge.figures(reversals);
            assert!(figures.are_conserved(), "{figures:?}");
            (applied + figures.applied.minor(), unapplied + figures.unapplied.minor())
        })
    }
}

/// Checks the table in this crate's README.
#[test]
fn settling_waits_for_the_database_no_more_often_than_it_may() {
    on_postgres(async |db| {
        let mut paying = Paying::new(&db.store).await;
        let relay = Relay::default();
        let options = StoreOptions { max_connections: 1, ..StoreOptions::default() };
        let store = store_diesel::open(&relay.start(&db.url).await, &options).await.unwrap();
        paying.payments = online_payments(&store);
        let mut round_trips = 0;
        // The first run prepares the statements.
        for name in ["ch_1", "ch_2", "ch_3"] {
            let captured = paying.charge(name, 100, ChargeState::Succeeded);
            round_trips = relay.count(&store, paying.settle(&captured)).await;
        }
        assert_eq!(round_trips, 4);
    });
}

async fn read(payments: &OnlinePayments, account: AccountId, id: InvoiceId) -> Invoice {
    payments.invoicing.reads.get(account, id).await.unwrap().unwrap()
}

#[test]
fn charge_is_applied_once_and_what_is_too_much_is_to_go_back() {
    on_both(async |db| {
        let paying = Paying::new(&db.store).await;
        let pending = paying.charge("ch_1", 12_100, ChargeState::Pending);
        assert!(paying.settle(&pending).await.applied.is_zero());
        assert_eq!(paying.invoice().await.status, InvoiceStatus::Unpaid);
        let captured = paying.charge("ch_1", 12_100, ChargeState::Succeeded);
        let first = paying.settle(&captured).await;
        for late in [&captured, &pending, &paying.charge("ch_1", 12_100, ChargeState::Failed)] {
            assert_eq!(paying.settle(late).await, first);
        }
        let paid = paying.invoice().await;
        assert_eq!((paid.status, paid.payments.len()), (InvoiceStatus::Paid, 1));
        assert_eq!(Some(paid.payments[0].id), first.payment);
        assert_eq!(paid.payments[0].reference.as_ref().unwrap().as_str(), "ch_1");
        let second = paying.settle(&paying.charge("ch_2", 12_100, ChargeState::Succeeded)).await;
        assert_eq!((second.applied.minor(), second.payment), (0, None));
        let found = paying.payments.reads.of_invoice(paying.scope.id, paid.id).await.unwrap();
        assert_eq!(found.reversals.len(), 1);
        assert_eq!(found.reversals[0].amount.minor(), 12_100);
        assert_eq!(paying.sums().await, (12_100, 12_100));
        // The gateway reports the reversal.
        let mut gone = paying.charge("ch_2", 12_100, ChargeState::Succeeded);
        gone.reversals = vec![ReversalReport {
            id: "re_1".to_owned(),
            kind: ReversalKind::Refund,
            refund: Some(found.reversals[0].gateway_refund_key),
            amount: gone.amount,
            state: RefundState::Succeeded,
        }];
        for _ in 0..2 {
            paying.settle(&gone).await;
        }
        let charges = paying.payments.reads.charges(paying.scope.id, 10).await.unwrap();
        let (charge, reversals) = charges.iter().find(|(charge, _)| charge.id == second.id).unwrap();
        let figures = charge.figures(reversals);
        assert_eq!((figures.returned.minor(), figures.to_return.minor()), (12_100, 0));
        let reads = &paying.payments.reads;
        let figures = reads.figures(paying.scope.id, NOW - Duration::DAY).await.unwrap();
        let figures = figures.iter().map(|one| (one.captured, one.refunded, one.processing, one.refunding));
        let minor = figures.map(|(a, b, c, d)| (a.minor(), b.minor(), c.minor(), d.minor()));
        assert_eq!(minor.collect::<Vec<_>>(), [(24_200, 12_100, 0, 0)]);
        assert_eq!(reads.figures(tenant(&db.store).await.id, NOW).await.unwrap(), []);
    });
}

/// Amounts of charges, each with whether it succeeds, and two orders of reports: in each, every charge is
/// reported with its final state at least once, and some are reported again, or as pending.
type History = (Vec<(i64, bool)>, [Vec<(usize, bool)>; 2]);

#[test]
fn payment_is_received_when_the_gateway_captured_it_and_never_in_the_future() {
    on_both(async |db| {
        let paying = Paying::new(&db.store).await;
        for (name, after) in [("ch_1", -Duration::HOUR), ("ch_2", Duration::HOUR)] {
            let captured = paying.charge(name, 100, ChargeState::Succeeded);
            paying.settle(&ChargeReport { captured_at: NOW + after, ..captured }).await;
        }
        let invoice = paying.invoice().await;
        let received: Vec<_> = invoice.payments.iter().map(|payment| payment.received_at).collect();
        assert_eq!(received, [NOW - Duration::HOUR, NOW]);
    });
}

fn histories() -> impl Strategy<Value = History> {
    prop::collection::vec((1..9_000_i64, any::<bool>()), 1..5).prop_flat_map(|charges| {
        let many = charges.len();
        let order = || {
            prop::collection::vec((0..many, any::<bool>()), 0..6)
                .prop_map(move |again| (0..many).map(|one| (one, true)).chain(again).collect::<Vec<_>>())
                .prop_shuffle()
        };
        (Just(charges), [order(), order()])
    })
}

#[test]
fn charges_in_any_order_and_number_end_in_the_same_state() {
    on_both(async |db| {
        let mut runner = TestRunner::default();
        for _ in 0..12 {
            let (charges, orders) = histories().new_tree(&mut runner).unwrap().current();
            let captured: i64 =
                charges.iter().filter(|(_, succeeds)| *succeeds).map(|(minor, _)| minor).sum();
            let applied = captured.min(12_100);
            let status = match applied {
                0 => InvoiceStatus::Unpaid,
                12_100 => InvoiceStatus::Paid,
                _ => InvoiceStatus::PartiallyPaid,
            };
            for order in orders {
                let paying = Paying::new(&db.store).await;
                for (index, has_ended) in &order {
                    let (minor, succeeds) = charges[*index];
                    let state = match (has_ended, succeeds) {
                        (false, _) => ChargeState::Pending,
                        (true, true) => ChargeState::Succeeded,
                        (true, false) => ChargeState::Failed,
                    };
                    paying.settle(&paying.charge(&format!("ch_{index}"), minor, state)).await;
                }
                let invoice = paying.invoice().await;
                let end = (invoice.status, invoice.amount_paid.minor(), paying.sums().await);
                let right = (status, applied, (applied, captured - applied));
                assert_eq!(end, right, "{charges:?} {order:?}");
            }
        }
    });
}

#[test]
fn charges_settled_at_once_are_applied_once_each() {
    on_both(async |db| {
        let paying = Arc::new(Paying::new(&db.store).await);
        let mut tasks = tokio::task::JoinSet::new();
        for n in 0..12 {
            let paying = paying.clone();
            tasks.spawn(async move {
                let report = paying.charge(&format!("ch_{}", n % 3), 5_000, ChargeState::Succeeded);
                paying.settle(&report).await;
            });
        }
        while let Some(done) = tasks.join_next().await {
            done.unwrap();
        }
        let invoice = paying.invoice().await;
        assert_eq!((invoice.status, invoice.payments.len()), (InvoiceStatus::Paid, 3));
        assert_eq!(paying.sums().await, (12_100, 2_900));
    });
}

#[test]
fn money_for_a_cancelled_or_otherwise_priced_invoice_is_kept_or_goes_back() {
    on_both(async |db| {
        let paying = Paying::new(&db.store).await;
        let keep = PaymentSettings { minimum_percent: 1, unapplied: UnappliedMoney::Keep };
        paying.payments.change_terms(paying.scope.id, TermsChange::Online(keep), None).await.unwrap();
        assert_eq!(paying.payments.reads.settings(paying.scope.id).await.unwrap(), keep);
        // A charge in another currency than the invoice's present one is not applied.
        let mut other = paying.charge("ch_1", 700, ChargeState::Succeeded);
        other.amount = Money::new(700, kernel::Currency::parse("JPY").unwrap());
        let charge = paying.settle(&other).await;
        let figures = charge.figures(&[]);
        assert_eq!((figures.kept.minor(), figures.to_return.minor()), (700, 0));
        paying.payments.invoicing.cancel(&paying.scope, paying.invoice.id, None).await.unwrap();
        let open = paying.payments.reads.intent(paying.scope.id, paying.intent.id).await.unwrap().unwrap();
        assert_eq!(open.state, IntentState::Expiring, "its checkout is to be expired");
        let charge = paying.settle(&paying.charge("ch_2", 12_100, ChargeState::Succeeded)).await;
        assert_eq!((charge.applied.minor(), charge.figures(&[]).kept.minor()), (0, 12_100));
        assert_eq!(paying.invoice().await.status, InvoiceStatus::Cancelled);
    });
}

#[test]
fn what_is_stored_of_gateways_is_read_back_and_events_are_kept_once() {
    on_both(async |db| {
        let paying = Paying::new(&db.store).await;
        let (reads, account) = (&paying.payments.reads, paying.scope.id);
        assert_eq!(reads.gateway_by_id(paying.gateway.id).await.unwrap(), Some(paying.gateway.clone()));
        assert_eq!(reads.gateways(account).await.unwrap(), std::slice::from_ref(&paying.gateway));
        let other = tenant(&db.store).await.id;
        assert_eq!(reads.gateway(other, paying.gateway.id).await.unwrap(), None);
        assert_eq!(reads.intent(other, paying.intent.id).await.unwrap(), None);
        let checkout = paying.intent.checkout_id().unwrap();
        assert_eq!(
            reads.intent_of(account, paying.gateway.id, checkout).await.unwrap(),
            Some(paying.intent.clone())
        );
        assert_eq!(reads.latest_intent(&paying.intent.token).await.unwrap(), Some(paying.intent.clone()));
        let open = reads.open_intents(None, 10_000).await.unwrap();
        assert!(open.into_iter().any(|(_, intent)| intent.unwrap() == paying.intent));
        let event = StoredGatewayEvent {
            account,
            gateway_account: paying.gateway.id,
            id: "evt_1".to_owned(),
            received_at: NOW,
        };
        for is_new in [true, false] {
            let mut tx = db.store.online_payments.begin(account).await.unwrap();
            assert_eq!(tx.online().store_event(&event).await.unwrap(), is_new);
            tx.commit().await.unwrap();
        }
        let prune = async |before| db.store.online_payments.prune_events(before, 1_000).await.unwrap();
        assert_eq!(prune(NOW).await, 0, "it was received then");
        assert_eq!(prune(NOW + Duration::SECOND).await, 1);
        let unknown: IntentId = id();
        let stray =
            ChargeReport { intent: Some(unknown), ..paying.charge("ch_9", 100, ChargeState::Succeeded) };
        let settled = paying.payments.settle((account, paying.gateway.id), &stray).await.unwrap();
        assert_eq!(settled, Settled::NotOurs);
    });
}

#[test]
fn expired_intent_whose_checkout_is_still_being_opened_ends() {
    on_both(async |db| {
        let paying = Paying::new(&db.store).await;
        let (account, payments) = (paying.scope.id, &paying.payments);
        let opening =
            Intent { id: id(), state: IntentState::Opening, checkout: None, ..paying.intent.clone() };
        let mut tx = payments.store.begin(account).await.unwrap();
        tx.online().put_intent(&opening).await.unwrap();
        tx.commit().await.unwrap();
        payments.expire(account, opening.id).await.unwrap();
        // The payer is not sent to a checkout of an intent that has ended.
        let ended = payments.reads.intent(account, opening.id).await.unwrap().unwrap();
        assert_eq!(ended.state, IntentState::Ended);
    });
}

#[test]
fn intent_whose_checkout_is_stored_meanwhile_is_not_ended_without_it() {
    on_both(async |db| {
        let paying = Paying::new(&db.store).await;
        // What a worker read before the checkout was stored.
        let read = Intent { state: IntentState::Expiring, checkout: None, ..paying.intent.clone() };
        let asked = paying.payments.reconcile(&read).await;
        assert!(matches!(asked, Err(ReconcileError::NoGateway)), "the gateway tells whether it is paid");
        let stored = paying.payments.reads.intent(paying.scope.id, read.id).await.unwrap();
        assert_eq!(stored, Some(paying.intent));
    });
}

#[test]
fn charge_whose_payment_or_event_is_missing_or_differs_is_found() {
    on_both(async |db| {
        let paying = Paying::new(&db.store).await;
        paying.settle(&paying.charge("ch_1", 12_100, ChargeState::Succeeded)).await;
        let found =
            async || paying.payments.reads.unaccounted(paying.scope.id, NOW - Duration::DAY).await.unwrap();
        assert_eq!(found().await, [""; 0]);
        let none = tenant(&db.store).await;
        assert_eq!(paying.payments.reads.unaccounted(none.id, NOW).await.unwrap(), [""; 0]);
        let of_reference = "WHERE reference = 'ch_1' AND recorded_by = 'payment_page'";
        db.execute(&format!("UPDATE payments SET amount = amount - 1 {of_reference}")).await;
        assert_eq!(found().await, ["ch_1"]);
        db.execute(&format!("UPDATE payments SET amount = amount + 1 {of_reference}")).await;
        assert_eq!(found().await, [""; 0]);
        db.execute("UPDATE events SET kind = 'lost' WHERE kind = 'invoice.payment_recorded'").await;
        assert_eq!(found().await, ["ch_1"]);
        db.execute("UPDATE events SET kind = 'invoice.payment_recorded' WHERE kind = 'lost'").await;
        db.execute("UPDATE charges SET applied = 0, payment_id = NULL WHERE gateway_id = 'ch_1'").await;
        assert_eq!(found().await, ["ch_1"]);
        db.execute(&format!("DELETE FROM payments {of_reference}")).await;
        assert_eq!(found().await, [""; 0], "no payment, no applied part");
    });
}
