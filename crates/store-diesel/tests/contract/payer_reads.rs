//! Reading invoices by the tokens of their payment pages.

use invoices::{Invoice, InvoiceForPayer, PayToken};
use kernel::{Field, SystemRandom, TimeZone};
use store_diesel::Store;

use crate::database::on_both;
use crate::fixtures::{
    NOW, input, invoice, new_account, partner, store_invoices, stored, stored_contact, stored_invoice,
    tenant, with_everything,
};
use crate::online_payments::Paying;

async fn found(store: &Store, token: &PayToken) -> Option<InvoiceForPayer> {
    store.payer_reads.by_pay_token(token, NOW).await.unwrap()
}

/// An invoice in an account of its own.
async fn created(store: &Store) -> Invoice {
    let scope = tenant(store).await;
    let contact = stored_contact(store, scope.id).await;
    stored_invoice(store, &scope, "A", Some(contact), input(1)).await
}

#[test]
fn invoice_is_found_with_the_letterhead_of_its_account() {
    on_both(async |db| {
        let store = &db.store;
        let partner = partner(store).await;
        let mut account = new_account(partner);
        account.profile = with_everything(account.profile);
        stored(store, partner, &account).await;
        let mut scope = tenant(store).await;
        scope.id = account.id;
        let contact = stored_contact(store, account.id).await;
        let one = invoice(&scope, "A", Some(contact.clone()), input(3));
        let other = invoice(&scope, "B", Some(contact), input(1));
        store_invoices(store, account.id, &[one.clone(), other]).await;
        let read = found(store, &one.pay_token).await.unwrap();
        assert_eq!(read.letterhead, store.invoice_reads.letterhead(account.id).await.unwrap());
        assert_eq!(read.letterhead.brand_color.as_deref(), Some("#1a2B3c"));
        assert_eq!(read.time_zone, TimeZone::parse("Australia/Sydney").unwrap());
        assert_eq!((read.invoice, read.account_is_active), (one, true));
    });
}

#[test]
fn unknown_token_is_not_found_nor_one_that_names_another_account() {
    on_both(async |db| {
        let store = &db.store;
        let (created, other) = (created(store).await, tenant(store).await);
        assert!(found(store, &created.pay_token).await.is_some());
        let random = SystemRandom::default();
        let unknown = PayToken::generate(created.account, &random);
        assert_eq!(found(store, &unknown).await, None);
        // Not found even with the full text of the stored token: the look-up is limited to the account.
        let text = created.pay_token.reveal().to_owned();
        assert_eq!(found(store, &PayToken::from_stored(other.id, text)).await, None);
    });
}

#[test]
fn gateway_is_seen_once_the_account_has_connected_one_and_afterwards() {
    on_both(async |db| {
        let store = &db.store;
        let created = created(store).await;
        // A gateway of another account does not count.
        let mut paying = Paying::new(store).await;
        assert!(!found(store, &created.pay_token).await.unwrap().ever_had_gateway);
        assert!(found(store, &paying.invoice.pay_token).await.unwrap().ever_had_gateway);
        paying.gateway.disconnected_at = Some(NOW);
        let mut tx = store.online_payments.begin(paying.scope.id).await.unwrap();
        tx.online().put_gateway(&paying.gateway).await.unwrap();
        tx.commit().await.unwrap();
        assert!(found(store, &paying.invoice.pay_token).await.unwrap().ever_had_gateway);
    });
}

#[test]
fn draft_is_found_as_a_draft() {
    on_both(async |db| {
        let store = &db.store;
        let scope = tenant(store).await;
        let mut input = input(1);
        input.is_draft = Field::Value(true);
        let draft = stored_invoice(store, &scope, "D", None, input).await;
        assert!(found(store, &draft.pay_token).await.unwrap().invoice.is_draft());
    });
}

#[test]
fn account_is_active_while_nobody_has_switched_it_off() {
    on_both(async |db| {
        let store = &db.store;
        let created = created(store).await;
        for (by_partner, by_operator) in [(true, false), (false, true), (true, true), (false, false)] {
            db.execute(&format!(
                "UPDATE accounts SET disabled_by_partner = {by_partner}, disabled_by_operator = {by_operator}"
            ))
            .await;
            let read = found(store, &created.pay_token).await.unwrap();
            assert_eq!(read.account_is_active, !by_partner && !by_operator);
        }
    });
}
