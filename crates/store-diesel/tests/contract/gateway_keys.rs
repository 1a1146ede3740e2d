//! Keys of gateways: one replaces another after a delay, and can be undone.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use kernel::TokenHash;
use payments::{
    ChargeId, ChargeReport, ChargeState, CheckoutError, CheckoutRequest, GatewayAccount, GatewayKind,
    GatewaySecret, GatewaySecrets, Intent, IntentState, KeyEntry, NextKey, RefundState, ReversalReason,
    SealedGatewaySecret,
};
use testkit::FixedClock;
use time::{Duration, OffsetDateTime};

use crate::database::on_both;
use crate::fixtures::{NOW, RANDOM, audit_entry, id, tenant};
use crate::online_payments::{Paying, online_payments};
use crate::stub_gateway::StubGateway;

#[test]
fn key_that_replaced_another_is_found_once_it_is_in_force_and_kept_while_an_intent_is_open() {
    on_both(async |db| {
        let paying = Paying::new(&db.store).await;
        let in_force_at = NOW + Duration::DAY;
        let mut gateway = paying.gateway.clone();
        gateway.next_key = Some(NextKey { key: gateway.key.clone(), in_force_at });
        let undo_token_hash = TokenHash::from_bytes([7; 32]);
        gateway.last_entry = Some(KeyEntry { undo_token_hash, entered_at: NOW });
        let undo_token_hash = TokenHash::from_bytes([8; 32]);
        gateway.earlier_entry = Some(KeyEntry { undo_token_hash, entered_at: in_force_at });
        gateway.undone_at = Some(NOW);
        let mut tx = paying.payments.store.begin(paying.scope.id).await.unwrap();
        tx.online().put_gateway(&gateway).await.unwrap();
        assert!(tx.online().has_open_intents(gateway.id, in_force_at).await.unwrap());
        assert!(!tx.online().has_open_intents(gateway.id, paying.intent.created_at).await.unwrap());
        let ended = Intent { state: IntentState::Ended, ..paying.intent.clone() };
        tx.online().put_intent(&ended).await.unwrap();
        assert!(!tx.online().has_open_intents(gateway.id, in_force_at).await.unwrap());
        tx.commit().await.unwrap();
        let reads = &paying.payments.reads;
        assert_eq!(reads.gateway(paying.scope.id, gateway.id).await.unwrap(), Some(gateway.clone()));
        let before = in_force_at - Duration::SECOND;
        let of = (paying.scope.id, gateway.id);
        assert_eq!(reads.replaced_keys(in_force_at, None, 1_000).await.unwrap(), [of]);
        assert_eq!(reads.replaced_keys(before, None, 1_000).await.unwrap(), []);
        assert_eq!(reads.replaced_keys(in_force_at, Some(of), 1_000).await.unwrap(), []);
    });
}

/// Stores money that goes back for a charge of the intent, which has ended, in a state.
async fn put_reversal(paying: &Paying, reason: ReversalReason, state: RefundState) {
    let charge = paying.settle(&paying.charge("ch_1", 12_100, ChargeState::Succeeded)).await;
    let ended = Intent { state: IntentState::Ended, ..paying.intent.clone() };
    let reversal = charge.reversal(id(), reason, charge.amount, NOW).in_state(state, NOW);
    let mut tx = paying.payments.store.begin(paying.scope.id).await.unwrap();
    tx.online().put_intent(&ended).await.unwrap();
    tx.online().put_reversal(&reversal).await.unwrap();
    tx.commit().await.unwrap();
}

#[test]
fn replaced_key_is_kept_for_thirty_days_while_money_is_to_go_back_through_it() {
    use RefundState::{Failed, Pending, Succeeded};
    use ReversalReason::{Dispute, Elsewhere, Refund, Return};
    on_both(async |db| {
        let kept = [(Return, Pending), (Return, Failed), (Refund, Pending), (Refund, Failed)];
        let removed = [(Return, Succeeded), (Refund, Succeeded), (Elsewhere, Pending), (Dispute, Failed)];
        for (reason, state) in kept.into_iter().chain(removed) {
            let mut paying = Paying::new(&db.store).await;
            put_reversal(&paying, reason, state).await;
            let gateway = GatewayAccount { next_key: Some(another_key(&paying)), ..paying.gateway.clone() };
            let mut tx = paying.payments.store.begin(paying.scope.id).await.unwrap();
            tx.online().put_gateway(&gateway).await.unwrap();
            tx.commit().await.unwrap();
            for (day, is_kept) in [(2, kept.contains(&(reason, state))), (31, false)] {
                let clock = FixedClock::at(NOW + Duration::days(day));
                paying.payments.invoicing.clock = Arc::new(clock);
                paying.payments.remove_replaced_keys().await.unwrap();
                let found = paying.payments.reads.gateway(paying.scope.id, gateway.id).await.unwrap();
                assert_eq!(found.unwrap().next_key.is_some(), is_kept, "{reason:?} {state:?}, day {day}");
            }
        }
    });
}

/// Stores the other key as in force since an instant, and has the gateway show a charge to one key alone.
async fn replace_key(paying: &mut Paying, in_force_at: OffsetDateTime, key: &'static str, undone: bool) {
    let report = paying.charge("ch_1", 12_100, ChargeState::Succeeded);
    let stub = StubGateway { reached_by: Some((key, report)), ..StubGateway::default() };
    paying.payments.gateways = vec![Arc::new(stub)];
    let undone_at = undone.then_some(NOW);
    let gateway = GatewayAccount {
        next_key: Some(NextKey { in_force_at, ..another_key(paying) }),
        undone_at,
        disconnected_at: undone_at,
        ..paying.gateway.clone()
    };
    let mut tx = paying.payments.store.begin(paying.scope.id).await.unwrap();
    tx.online().put_gateway(&gateway).await.unwrap();
    tx.commit().await.unwrap();
    paying.payments.invoicing.clock = Arc::new(FixedClock::at(NOW + Duration::days(2)));
}

async fn change_gateway(paying: &Paying, change: impl FnOnce(&mut GatewayAccount)) {
    let read = paying.payments.reads.gateway(paying.scope.id, paying.gateway.id).await.unwrap();
    let mut gateway = read.unwrap();
    change(&mut gateway);
    let mut tx = paying.payments.store.begin(paying.scope.id).await.unwrap();
    tx.online().put_gateway(&gateway).await.unwrap();
    tx.commit().await.unwrap();
}

/// Whether the charge is stored after an event about it.
async fn is_settled_by_event(paying: &Paying) -> bool {
    let (account, charge) = (paying.scope.id, ChargeId("ch_1".to_owned()));
    paying.payments.follow_up_charge(account, paying.gateway.id, &charge).await.unwrap();
    !paying.payments.reads.charges(account, 10).await.unwrap().is_empty()
}

/// A key that was entered again after another company's: the payment was begun before either.
#[test]
fn refund_is_made_with_the_key_in_force_if_that_alone_reaches_the_charge() {
    on_both(async |db| {
        let mut paying = Paying::new(&db.store).await;
        let charge = paying.settle(&paying.charge("ch_1", 12_100, ChargeState::Succeeded)).await;
        replace_key(&mut paying, NOW + Duration::DAY, "sk_test_other", false).await;
        let refund = charge.reversal(id(), ReversalReason::Refund, charge.amount, NOW);
        let mut tx = paying.payments.store.begin(paying.scope.id).await.unwrap();
        tx.online().put_reversal(&refund).await.unwrap();
        tx.commit().await.unwrap();
        paying.payments.carry_out_refund(paying.scope.id, refund.id).await.unwrap();
        let made = paying.payments.refund_view(paying.scope.id, refund.id).await.unwrap().unwrap();
        assert_eq!(made.state, RefundState::Succeeded);
    });
}

#[test]
fn replaced_key_settles_only_charges_of_payments_that_were_begun_with_it_unless_it_was_undone() {
    on_both(async |db| {
        for (in_force_at, undone, is_settled) in
            [(NOW + Duration::DAY, false, true), (NOW, false, false), (NOW + Duration::DAY, true, false)]
        {
            let mut paying = Paying::new(&db.store).await;
            replace_key(&mut paying, in_force_at, "sk_test_123", undone).await;
            assert_eq!(is_settled_by_event(&paying).await, is_settled, "{in_force_at} {undone}");
        }
    });
}

#[test]
fn money_of_a_payment_that_was_begun_with_the_key_in_force_keeps_no_replaced_key() {
    on_both(async |db| {
        let paying = Paying::new(&db.store).await;
        put_reversal(&paying, ReversalReason::Return, RefundState::Pending).await;
        let mut tx = paying.payments.store.begin(paying.scope.id).await.unwrap();
        let (gateway, begun_at) = (paying.gateway.id, paying.intent.created_at);
        assert!(!tx.online().has_waiting_refunds(gateway, begun_at, NOW).await.unwrap());
        let later = begun_at + Duration::SECOND;
        assert!(tx.online().has_waiting_refunds(gateway, later, NOW).await.unwrap());
        assert!(!tx.online().has_waiting_refunds(id(), later, NOW).await.unwrap());
    });
}

#[test]
fn checkout_that_was_opened_with_an_undone_key_is_not_offered_once_another_is_in_force() {
    on_both(async |db| {
        let mut paying = Paying::new(&db.store).await;
        paying.payments.gateways = vec![Arc::new(StubGateway::default())];
        paying.payments.invoicing.clock = Arc::new(FixedClock::at(NOW + Duration::hours(2)));
        let undone_at = Some(NOW + Duration::MINUTE);
        let mut gateway = paying.gateway.clone();
        (gateway.undone_at, gateway.disconnected_at) = (undone_at, undone_at);
        gateway.next_key = Some(NextKey { in_force_at: NOW + Duration::HOUR, ..another_key(&paying) });
        let mut tx = paying.payments.store.begin(paying.scope.id).await.unwrap();
        tx.online().put_gateway(&gateway).await.unwrap();
        tx.commit().await.unwrap();
        let (invoice, token) = (paying.invoice.id, paying.invoice.pay_token.clone());
        let request = CheckoutRequest { invoice, token, amount: None, most: None };
        let url = paying.payments.check_out(paying.scope.id, &request).await.unwrap();
        assert_ne!(Some(url), paying.intent.checkout.map(|opened| opened.url));
    });
}

/// The payer's click at a time, which leads to a checkout of a key.
async fn key_of_checkout(paying: &mut Paying, now: OffsetDateTime) -> Result<String, CheckoutError> {
    paying.payments.invoicing.clock = Arc::new(FixedClock::at(now));
    let (invoice, token) = (paying.invoice.id, paying.invoice.pay_token.clone());
    let request = CheckoutRequest { invoice, token, amount: None, most: None };
    let url = paying.payments.check_out(paying.scope.id, &request).await?;
    Ok(url.rsplit('/').next().unwrap().to_owned())
}

#[test]
fn checkout_that_could_not_be_opened_with_the_key_before_is_opened_with_the_key_in_force() {
    on_both(async |db| {
        let mut paying = Paying::new(&db.store).await;
        let stub = Arc::new(StubGateway::default());
        paying.payments.gateways = vec![stub.clone()];
        let ended = Intent { state: IntentState::Ended, ..paying.intent.clone() };
        let gateway = GatewayAccount { next_key: Some(another_key(&paying)), ..paying.gateway.clone() };
        let mut tx = paying.payments.store.begin(paying.scope.id).await.unwrap();
        tx.online().put_intent(&ended).await.unwrap();
        tx.online().put_gateway(&gateway).await.unwrap();
        tx.commit().await.unwrap();
        stub.opens_none.store(true, Ordering::Relaxed);
        let unreachable = key_of_checkout(&mut paying, NOW + Duration::hours(20)).await;
        assert!(matches!(unreachable, Err(CheckoutError::Unreachable(_))));
        stub.opens_none.store(false, Ordering::Relaxed);
        let opened = key_of_checkout(&mut paying, NOW + Duration::hours(25)).await;
        assert_eq!(opened.unwrap(), "sk_test_other");
    });
}

#[test]
fn key_that_has_not_listed_charges_yet_lists_those_of_thirty_days() {
    on_both(async |db| {
        for is_removed in [false, true] {
            let mut paying = Paying::new(&db.store).await;
            let listed_until = Some(NOW + Duration::hours(23));
            let next_key = Some(another_key(&paying));
            let gateway = GatewayAccount { next_key, listed_until, ..paying.gateway.clone() };
            let ended = Intent { state: IntentState::Ended, ..paying.intent.clone() };
            let mut tx = paying.payments.store.begin(paying.scope.id).await.unwrap();
            tx.online().put_gateway(&gateway).await.unwrap();
            tx.online().put_intent(&ended).await.unwrap();
            tx.commit().await.unwrap();
            for (hour, since) in
                [(25, NOW + Duration::DAY - Duration::days(30)), (26, NOW + Duration::hours(25))]
            {
                let stub = Arc::new(StubGateway::default());
                paying.payments.gateways = vec![stub.clone()];
                paying.payments.invoicing.clock = Arc::new(FixedClock::at(NOW + Duration::hours(hour)));
                if is_removed {
                    paying.payments.remove_replaced_keys().await.unwrap();
                }
                paying.payments.poll_listed().await.unwrap();
                let asked = stub.listed_since.lock().unwrap().clone();
                assert!(asked.contains(&(since - Duration::minutes(10))), "{is_removed} {hour} {asked:?}");
            }
        }
    });
}

#[test]
fn event_about_a_charge_that_an_undone_key_may_not_settle_is_followed_up_with_the_key_before_it() {
    on_both(async |db| {
        let mut paying = Paying::new(&db.store).await;
        replace_key(&mut paying, NOW + Duration::HOUR, "sk_test_123", false).await;
        let charge = paying.charge("ch_1", 12_100, ChargeState::Succeeded);
        let is_of_both = StubGateway { shown_to_all: Some(charge), ..StubGateway::default() };
        paying.payments.gateways = vec![Arc::new(is_of_both)];
        change_gateway(&paying, |gateway| {
            gateway.undone_at = Some(NOW + Duration::hours(2));
            gateway.disconnected_at = gateway.undone_at;
        })
        .await;
        assert!(is_settled_by_event(&paying).await);
    });
}

#[test]
fn undone_key_settles_only_charges_captured_before_of_payments_that_were_begun_with_it() {
    on_both(async |db| {
        let undone_at = NOW + Duration::hours(2);
        let before = undone_at - Duration::SECOND;
        for (in_force_at, captured_at, is_settled) in
            [(NOW, before, true), (NOW, undone_at, false), (NOW + Duration::HOUR, before, false)]
        {
            let mut paying = Paying::new(&db.store).await;
            replace_key(&mut paying, in_force_at, "sk_test_other", false).await;
            let charge = paying.charge("ch_1", 12_100, ChargeState::Succeeded);
            let charge = ChargeReport { captured_at, ..charge };
            let stub = StubGateway {
                charges: vec![(paying.gateway.id, charge.clone())],
                reached_by: Some(("sk_test_other", charge)),
                ..StubGateway::default()
            };
            paying.payments.gateways = vec![Arc::new(stub)];
            let gone = GatewaySecret::parse("sk_test_gone").unwrap();
            let row = (paying.scope.id, paying.gateway.id);
            change_gateway(&paying, |gateway| {
                gateway.undone_at = Some(undone_at);
                gateway.disconnected_at = gateway.undone_at;
                gateway.key = SealedGatewaySecret::seal(&gone, &paying.payments.keys, &*RANDOM, row);
            })
            .await;
            assert_eq!(is_settled_by_event(&paying).await, is_settled, "{in_force_at} {captured_at}");
        }
    });
}

/// A key that waits.
fn another_key(paying: &Paying) -> NextKey {
    let secret = GatewaySecret::parse("sk_test_other").unwrap();
    let row = (paying.scope.id, paying.gateway.id);
    let key = SealedGatewaySecret::seal(&secret, &paying.payments.keys, &*RANDOM, row);
    NextKey { key, in_force_at: NOW + Duration::DAY }
}

#[test]
fn gateway_that_is_connected_or_disconnected_again_is_audited_once() {
    on_both(async |db| {
        let store = &db.store;
        let scope = tenant(store).await;
        let payments = |action| {
            let mut payments = online_payments(&store.audited(audit_entry(scope.id, action)));
            payments.gateways = vec![Arc::new(StubGateway::default())];
            payments
        };
        let secret = |text| GatewaySecret::parse(text).ok();
        let secrets = GatewaySecrets { key: secret("sk_test_123"), webhook_secret: secret("whsec_123") };
        for _ in 0..2 {
            payments("connected").connect(scope.id, GatewayKind::Stripe, &secrets).await.unwrap();
        }
        let other = GatewaySecrets { key: None, webhook_secret: secret("whsec_456") };
        let connected = payments("replaced").connect(scope.id, GatewayKind::Stripe, &other).await.unwrap();
        for _ in 0..2 {
            payments("disconnected").disconnect(scope.id, connected.gateway.id).await.unwrap().unwrap();
        }
        let entries = store.audit.list(scope.id, None, 10).await.unwrap();
        let actions: Vec<_> = entries.into_iter().map(|entry| entry.action).collect();
        assert_eq!(actions, ["disconnected", "replaced", "connected"]);
    });
}

#[test]
fn key_of_a_disconnected_gateway_connects_it_again_though_another_waits() {
    on_both(async |db| {
        let mut paying = Paying::new(&db.store).await;
        paying.payments.gateways = vec![Arc::new(StubGateway::default())];
        let waits = Some(another_key(&paying));
        let gateway =
            GatewayAccount { disconnected_at: Some(NOW), next_key: waits, ..paying.gateway.clone() };
        let mut tx = paying.payments.store.begin(paying.scope.id).await.unwrap();
        tx.online().put_gateway(&gateway).await.unwrap();
        tx.commit().await.unwrap();
        let key = GatewaySecret::parse("sk_test_123").ok();
        let secrets = GatewaySecrets { key, webhook_secret: None };
        let connected = paying.payments.connect(paying.scope.id, GatewayKind::Stripe, &secrets).await;
        let connected = connected.unwrap();
        assert!(connected.gateway.is_connected(NOW) && connected.in_force_at.is_none(), "{connected:?}");
    });
}
