//! Polling the gateways of all accounts while a row of one account is damaged.

use std::sync::Arc;

use invoices::InvoiceStatus;
use kernel::{StoreError, StoreResult};
use payments::{ChargeState, CheckoutState, IntentState, NextKey, OnlinePayments, PaymentGateway};
use time::Duration;

use crate::database::{TestDatabase, on_both};
use crate::fixtures::NOW;
use crate::online_payments::{Paying, online_payments};
use crate::stub_gateway::StubGateway;

/// A column of an account's rows, its stored value, and one that cannot be read.
type Damage = (&'static str, &'static str, &'static str, &'static str);

const DAMAGED_GATEWAY: Damage = ("gateway_accounts", "kind", "stripe", "none");
const DAMAGED_INTENT: Damage = ("payment_intents", "currency", "EUR", "???");

/// Polls two accounts while the rows of one of them are damaged, and passes the other one to a check:
/// whichever of them comes first in the database, the whole one does not wait for the damaged one.
async fn with_one_damaged(
    db: &TestDatabase,
    (table, column, stored, damaged): Damage,
    stub: impl Fn(&[Paying; 2]) -> StubGateway,
    poll: impl AsyncFn(&OnlinePayments) -> StoreResult<()>,
    check: impl AsyncFn(&Paying),
) {
    for broken in [0, 1] {
        let accounts = [Paying::new(&db.store).await, Paying::new(&db.store).await];
        let gateways: Vec<Arc<dyn PaymentGateway>> = vec![Arc::new(stub(&accounts))];
        let payments = OnlinePayments { gateways, ..online_payments(&db.store) };
        for account in &accounts {
            replace_key(account).await;
        }
        let id = db.literal(accounts[broken].scope.id);
        let set = |value| format!("UPDATE {table} SET {column} = '{value}' WHERE account_id = {id}");
        db.execute(&set(damaged)).await;
        let polled = poll(&payments).await;
        assert!(matches!(polled, Err(StoreError::Inconsistent { .. })), "{table} {broken}: {polled:?}");
        check(&accounts[1 - broken]).await;
        db.execute(&set(stored)).await;
    }
}

/// Stores a key that replaced the one before it, which is the same, a day ago.
async fn replace_key(of: &Paying) {
    let mut gateway = of.gateway.clone();
    gateway.next_key = Some(NextKey { key: gateway.key.clone(), in_force_at: NOW - Duration::DAY });
    let mut tx = of.payments.store.begin(of.scope.id).await.unwrap();
    tx.online().put_gateway(&gateway).await.unwrap();
    tx.commit().await.unwrap();
}

#[test]
fn listed_charges_of_other_accounts_are_settled() {
    on_both(async |db| {
        let stub = |accounts: &[Paying; 2]| {
            let charges = accounts.iter().zip(["ch_1", "ch_2"]).map(|(of, name)| {
                let charge = of.charge(name, 12_100, ChargeState::Succeeded);
                (of.gateway.id, charge)
            });
            StubGateway { charges: charges.collect(), ..StubGateway::default() }
        };
        let check = async |whole: &Paying| assert_eq!(whole.invoice().await.status, InvoiceStatus::Paid);
        for damage in [DAMAGED_GATEWAY, DAMAGED_INTENT] {
            with_one_damaged(db, damage, stub, OnlinePayments::poll_listed, check).await;
        }
    });
}

#[test]
fn open_checkouts_of_other_accounts_are_reconciled() {
    on_both(async |db| {
        let checkouts = Some(CheckoutState::Expired);
        let stub = |_: &_| StubGateway { checkouts, ..StubGateway::default() };
        let poll = async |payments: &OnlinePayments| payments.poll_open().await.map(drop);
        let check = async |whole: &Paying| {
            let intent = whole.payments.reads.intent(whole.scope.id, whole.intent.id).await.unwrap();
            assert_eq!(intent.unwrap().state, IntentState::Ended);
        };
        for damage in [DAMAGED_GATEWAY, DAMAGED_INTENT] {
            with_one_damaged(db, damage, stub, poll, check).await;
        }
    });
}

#[test]
fn replaced_keys_of_other_accounts_are_removed() {
    on_both(async |db| {
        let poll = async |payments: &OnlinePayments| payments.remove_replaced_keys().await.map(drop);
        let check = async |whole: &Paying| {
            let gateway = whole.payments.reads.gateway(whole.scope.id, whole.gateway.id).await.unwrap();
            assert_eq!(gateway.unwrap().next_key, None);
        };
        with_one_damaged(db, DAMAGED_GATEWAY, |_| StubGateway::default(), poll, check).await;
    });
}
