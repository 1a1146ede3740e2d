//! What the operator sees and changes.

use futures_util::future::join_all;
use kernel::Currency;
use partner_accounts::{AccountChange, AccountStatus};
use testkit::FixedClock;
use time::Duration;

use crate::database::on_both;
use crate::fixtures::{NOW, OPERATOR, assert_unbroken, audit_entry, id, new_account, partner, stored};
use crate::own_account::own_accounts;

#[test]
fn every_partner_and_every_account_newest_first() {
    on_both(async |db| {
        let (store, operator) = (&db.store, &db.store.operator);
        let (one, other) = (partner(store).await, partner(store).await);
        let partners = operator.partners(OPERATOR).await.unwrap();
        let ids: Vec<_> = partners.iter().map(|partner| partner.id).collect();
        assert_eq!(ids, [other.id, one.id]);

        let mut made = Vec::new();
        for partner in [one, other, one] {
            let account = new_account(partner);
            stored(store, partner, &account).await;
            made.insert(0, account.id);
        }
        let listed = async |partner, before, limit| {
            let accounts = operator.accounts(OPERATOR, partner, before, limit).await;
            let ids = accounts.unwrap().into_iter().map(|account| account.id);
            ids.collect::<Vec<_>>()
        };
        assert_eq!(listed(None, None, 10).await, made);
        assert_eq!(listed(None, None, 2).await, made[..2]);
        assert_eq!(listed(None, Some(made[1]), 10).await, made[2..]);
        assert_eq!(listed(Some(one.id), None, 10).await, [made[0], made[2]]);
        let seen = operator.account(OPERATOR, made[1]).await.unwrap().unwrap();
        assert_eq!(seen.partner, other.id);
    });
}

#[test]
fn changes_are_made_and_shown() {
    on_both(async |db| {
        let (store, operator) = (&db.store, &db.store.operator);
        let partner = partner(store).await;
        let account = new_account(partner);
        stored(store, partner, &account).await;
        let later = NOW + Duration::hours(1);
        let change = async |change| {
            let changed = operator.change_account(OPERATOR, account.id, change, later);
            changed.await.unwrap().unwrap()
        };
        let off = change(AccountChange::OffByOperator(true)).await;
        assert_eq!((off.status(), off.updated_at), (AccountStatus::Inactive, later));
        let limited = change(AccountChange::MonthlyInvoiceLimit(Some(3))).await;
        assert_eq!(limited.monthly_invoice_limit, Some(3));
        let free = change(AccountChange::MonthlyInvoiceLimit(None)).await;
        assert_eq!(free.monthly_invoice_limit, None);
        let yen = Currency::parse("JPY").unwrap();
        let changed = change(AccountChange::Currency(yen)).await;
        assert_eq!(changed.currency, yen);
        let read = store.account_reads.get(partner, account.id).await.unwrap();
        assert_eq!(read, Some(changed));
    });
}

#[test]
fn change_that_an_account_has_already_is_neither_made_nor_audited() {
    on_both(async |db| {
        let store = &db.store;
        let partner = partner(store).await;
        let account = new_account(partner);
        stored(store, partner, &account).await;
        let change = async |hours, change| {
            let audited = store.audited(audit_entry(account.id, &format!("{change:?}")));
            let now = NOW + Duration::hours(hours);
            let changed = audited.operator.change_account(OPERATOR, account.id, change, now).await;
            changed.unwrap().unwrap()
        };
        let mut expected = Vec::new();
        let currency = |code| AccountChange::Currency(Currency::parse(code).unwrap());
        for (hour, (made, unmade)) in (1..).zip([
            (AccountChange::OffByOperator(true), AccountChange::OffByOperator(false)),
            (AccountChange::MonthlyInvoiceLimit(Some(3)), AccountChange::MonthlyInvoiceLimit(None)),
            (AccountChange::MonthlyMessageLimit(Some(3)), AccountChange::MonthlyMessageLimit(None)),
            (currency("JPY"), currency("AUD")),
        ]) {
            let untouched = change(4 * hour, unmade).await;
            assert!(untouched.updated_at < NOW + Duration::hours(4 * hour), "{unmade:?} from the start");
            let first = change(4 * hour + 1, made).await;
            assert_eq!(first.updated_at, NOW + Duration::hours(4 * hour + 1), "{made:?}");
            assert_eq!(change(4 * hour + 2, made).await, first, "{made:?} again");
            let back = change(4 * hour + 3, unmade).await;
            assert_eq!(back.updated_at, NOW + Duration::hours(4 * hour + 3), "{unmade:?}");
            expected.extend([format!("{made:?}"), format!("{unmade:?}")]);
        }
        let mut entries = store.audit.list(account.id, None, 100).await.unwrap();
        entries.reverse();
        let actions: Vec<_> = entries.into_iter().map(|entry| entry.action).collect();
        assert_eq!(actions, expected);
    });
}

#[test]
fn concurrent_changes_are_audited_with_what_each_of_them_replaced() {
    on_both(async |db| {
        let store = &db.store;
        let partner = partner(store).await;
        let account = new_account(partner);
        stored(store, partner, &account).await;
        let changing = (1..=6_u64).map(async |limit| {
            let change = AccountChange::MonthlyInvoiceLimit(Some(limit));
            let audited = store.audited(audit_entry(account.id, "account.invoice_limit_set"));
            audited.operator.change_account(OPERATOR, account.id, change, NOW).await.unwrap().unwrap();
        });
        join_all(changing).await;
        assert_unbroken(store, account.id, "account.invoice_limit_set", 6, None).await;
        let own = own_accounts(store, FixedClock::default());
        let first = own.get(account.id).await.unwrap().key.map(|key| key.masked().into());
        let rotating = (0..6).map(async |n| {
            let audited = store.audited(audit_entry(account.id, "api_key.rotated"));
            let (_, key) = own.new_key();
            if n % 2 == 0 {
                assert!(audited.operator.put_account_key(OPERATOR, account.id, &key).await.unwrap());
            } else {
                own_accounts(&audited, FixedClock::default()).put_key(account.id, &key, None).await.unwrap();
            }
        });
        join_all(rotating).await;
        assert_unbroken(store, account.id, "api_key.rotated", 6, first).await;
    });
}

#[test]
fn unknown_account_and_partner_are_not_found() {
    on_both(async |db| {
        let operator = &db.store.operator;
        let change = AccountChange::OffByOperator(true);
        let changed = operator.change_account(OPERATOR, id(), change, NOW).await;
        assert_eq!(changed.unwrap(), None);
        assert_eq!(operator.account(OPERATOR, id()).await.unwrap(), None);
        let disabled = operator.set_partner_disabled(OPERATOR, id(), true).await;
        assert_eq!(disabled.unwrap(), None);
        assert!(operator.partners(OPERATOR).await.unwrap().is_empty());
    });
}
