//! Looking up keys.

use access::{KeySpace, SwitchedOffBy};
use kernel::Currency;
use partner_accounts::AccountChange;

use crate::database::on_both;
use crate::fixtures::{NOW, OPERATOR, key, new_account, partner, stored, with_everything};

#[test]
fn a_key_leads_to_its_account_with_all_that_a_request_needs() {
    on_both(async |db| {
        let store = &db.store;
        let partner = partner(store).await;
        let mut account = new_account(partner);
        account.profile = with_everything(account.profile);
        account.monthly_invoice_limit = Some(7);
        let secret = stored(store, partner, &account).await;

        let found = store.credentials.account_key(&secret.hash()).await.unwrap();
        let key_record = found.unwrap();
        assert_eq!(key_record.scope.id, account.id);
        assert_eq!(key_record.scope.time_zone.name(), "Australia/Sydney");
        assert_eq!(key_record.scope.currency, Currency::parse("AUD").unwrap());
        assert_eq!(key_record.scope.invoice_prefix.as_deref(), Some("ACME-"));
        assert!(!key_record.scope.communications_enabled);
        assert_eq!(key_record.scope.monthly_invoice_limit, Some(7));
        assert_eq!(key_record.switched_off_by, None);
    });
}

#[test]
fn key_is_found_in_its_own_space_until_it_is_revoked() {
    on_both(async |db| {
        let store = &db.store;
        let partner = partner(store).await;
        let account = new_account(partner);
        let first = stored(store, partner, &account).await;
        let (unknown, _) = key(KeySpace::Account);
        for hash in [unknown.hash()] {
            assert_eq!(store.credentials.account_key(&hash).await.unwrap(), None);
            assert_eq!(store.credentials.partner_key(&hash).await.unwrap(), None);
        }
        let elsewhere = store.credentials.partner_key(&first.hash()).await.unwrap();
        assert_eq!(elsewhere, None);

        let (second, record) = key(KeySpace::Account);
        let put = store.operator.put_account_key(OPERATOR, account.id, &record);
        assert!(put.await.unwrap());
        let revoked = store.credentials.account_key(&first.hash()).await.unwrap();
        assert_eq!(revoked, None);
        let live = store.credentials.account_key(&second.hash()).await.unwrap();
        assert_eq!(live.unwrap().key, record.id);
    });
}

#[test]
fn partner_key_shows_the_disabled_state_and_is_replaceable() {
    on_both(async |db| {
        let (store, operator) = (&db.store, &db.store.operator);
        let partner = partner(store).await;
        let (first, record) = key(KeySpace::Partner);
        let put = operator.put_partner_key(OPERATOR, partner.id, &record).await;
        assert!(put.unwrap());
        let key_record = store.credentials.partner_key(&first.hash()).await.unwrap();
        let key_record = key_record.unwrap();
        assert_eq!((key_record.key, key_record.scope), (record.id, partner));
        assert!(!key_record.switched_off);

        let disabled = operator.set_partner_disabled(OPERATOR, partner.id, true);
        assert!(disabled.await.unwrap().unwrap().disabled);
        let key_record = store.credentials.partner_key(&first.hash()).await.unwrap();
        assert!(key_record.unwrap().switched_off);

        let (_, record) = key(KeySpace::Partner);
        let put = operator.put_partner_key(OPERATOR, partner.id, &record).await;
        assert!(put.unwrap());
        let revoked = store.credentials.partner_key(&first.hash()).await.unwrap();
        assert_eq!(revoked, None);
    });
}

#[test]
fn a_switch_is_seen_by_the_next_request_of_any_process() {
    on_both(async |db| {
        let store = &db.store;
        let partner = partner(store).await;
        let mut account = new_account(partner);
        account.switches.disabled_by_partner = true;
        let secret = stored(store, partner, &account).await;
        let other = db.another_process().await;
        let seen = async || {
            let found = other.credentials.account_key(&secret.hash()).await.unwrap();
            found.unwrap().switched_off_by
        };
        assert_eq!(seen().await, Some(SwitchedOffBy::Partner));
        for (off, by) in [(true, SwitchedOffBy::Operator), (false, SwitchedOffBy::Partner)] {
            let change = AccountChange::OffByOperator(off);
            let changed = store.operator.change_account(OPERATOR, account.id, change, NOW);
            changed.await.unwrap().unwrap();
            assert_eq!(seen().await, Some(by));
        }
    });
}
