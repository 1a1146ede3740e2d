//! Payers' actions on payment pages: promises, views, requests for links; and replaced tokens.

use std::sync::Arc;

use contacts::Contact;
use invoices::{
    Invoice, InvoiceNumber, NewPromise, PageView, PayLinkRequest, PayToken, Promise, PromiseError, PromisedBy,
};
use kernel::{AccountScope, EmailAddress, Field, TimeZone};
use payments::TermsChange;
use store_diesel::Store;
use testkit::FixedClock;
use time::{Date, Duration};

use crate::database::{TestDatabase, on_both};
use crate::fixtures::{
    NOW, email, input, invoicing, pay_link_worker, stored_contact, stored_invoice, tenant,
};
use crate::jobs::lease;
use crate::online_payments::online_payments;

/// An account with an unpaid invoice.
async fn invoiced(store: &Store) -> (AccountScope, Invoice) {
    let scope = tenant(store).await;
    let contact = stored_contact(store, scope.id).await;
    let created = stored_invoice(store, &scope, "A-1", Some(contact), input(2)).await;
    (scope, created)
}

fn day(days: i64) -> Date {
    NOW.date() + Duration::days(days)
}

async fn promise(
    store: &Store,
    clock: &FixedClock,
    invoice: &Invoice,
    made_by: PromisedBy,
    date: Date,
) -> Result<Promise, PromiseError> {
    // Promises are ordered by id, which contains the time of their creation.
    clock.advance(Duration::SECOND);
    let new = NewPromise { date, made_by, time_zone: TimeZone::utc(), most_days: 14 };
    invoicing(store, clock.clone()).promise_to_pay(invoice.account, invoice.id, &new).await
}

async fn shown(store: &Store, token: &PayToken) -> Option<Promise> {
    store.payer_reads.by_pay_token(token, NOW).await.unwrap().unwrap().promise
}

#[test]
fn promise_is_replaced_by_the_payer_once_and_then_by_the_owner_only() {
    on_both(async |db| {
        let (store, clock) = (&db.store, FixedClock::default());
        let (_, created) = invoiced(store).await;
        let first = promise(store, &clock, &created, PromisedBy::Payer, day(3)).await.unwrap();
        assert_eq!(shown(store, &created.pay_token).await, Some(first.clone()));
        let same = promise(store, &clock, &created, PromisedBy::Payer, day(3)).await.unwrap();
        assert_eq!(same, first);
        let second = promise(store, &clock, &created, PromisedBy::Payer, day(14)).await.unwrap();
        let third = promise(store, &clock, &created, PromisedBy::Payer, day(5)).await;
        assert!(matches!(third, Err(PromiseError::Final(open)) if *open == second));
        let owner = promise(store, &clock, &created, PromisedBy::Owner, day(6)).await.unwrap();
        let again = promise(store, &clock, &created, PromisedBy::Payer, day(7)).await;
        assert!(matches!(again, Err(PromiseError::Final(_))));
        assert_eq!(shown(store, &created.pay_token).await, Some(owner.clone()));
        // The promise ends with its day; then another one can be made.
        let later = FixedClock::default();
        later.advance(Duration::days(7));
        let next = promise(store, &later, &created, PromisedBy::Payer, day(8)).await.unwrap();
        assert!(!next.is_replacement);
        let history = &store.payment_page_history;
        let all = history.promises(created.account, created.id).await.unwrap();
        let dates: Vec<Date> = all.iter().map(|promise| promise.promised_on).collect();
        assert_eq!(dates, [day(3), day(14), day(6), day(8)]);
        assert!(all[..3].iter().all(|promise| promise.superseded_at.is_some()));
    });
}

#[test]
fn promise_outside_the_period_or_for_what_is_not_payable_is_refused() {
    on_both(async |db| {
        let (store, clock) = (&db.store, FixedClock::default());
        let (scope, created) = invoiced(store).await;
        for date in [day(-1), day(15)] {
            let refused = promise(store, &clock, &created, PromisedBy::Payer, date).await;
            assert!(matches!(refused, Err(PromiseError::Date(period)) if period.last == day(14)));
        }
        let (other, _) = invoiced(store).await;
        let new = NewPromise {
            date: day(1),
            made_by: PromisedBy::Owner,
            time_zone: TimeZone::utc(),
            most_days: 14,
        };
        let invoicing = invoicing(store, clock.clone());
        let foreign = invoicing.promise_to_pay(other.id, created.id, &new).await;
        assert!(matches!(foreign, Err(PromiseError::NotFound)));
        invoicing.cancel(&scope, created.id, None).await.unwrap();
        let cancelled = promise(store, &clock, &created, PromisedBy::Payer, day(1)).await;
        assert!(matches!(cancelled, Err(PromiseError::NotPayable(_))));
        assert_eq!(shown(store, &created.pay_token).await, None);
    });
}

#[test]
fn concurrent_promises_leave_one_latest() {
    on_both(async |db| {
        let (store, clock) = (&db.store, FixedClock::default());
        let (_, created) = invoiced(store).await;
        let all = (1..=8)
            .map(async |days| promise(store, &clock, &created, PromisedBy::Owner, day(days)).await.unwrap());
        futures_util::future::join_all(all).await;
        let promises = store.payment_page_history.promises(created.account, created.id).await.unwrap();
        let latest = promises.iter().filter(|promise| promise.superseded_at.is_none()).count();
        assert_eq!((promises.len(), latest), (8, 1));
    });
}

#[test]
fn limit_of_promises_is_the_accounts_own() {
    on_both(async |db| {
        let store = &db.store;
        let ((scope, created), (other, _)) = (invoiced(store).await, invoiced(store).await);
        let limits = &store.promise_limits;
        assert_eq!(limits.promise_days(scope.id).await.unwrap(), 14);
        let payments = online_payments(store);
        payments.change_terms(scope.id, TermsChange::PromiseDays(30), None).await.unwrap();
        assert_eq!(limits.promise_days(scope.id).await.unwrap(), 30);
        assert_eq!(limits.promise_days(other.id).await.unwrap(), 14);
        let read = store.payer_reads.by_pay_token(&created.pay_token, NOW).await.unwrap().unwrap();
        assert_eq!(read.promise_days, 30);
    });
}

#[test]
fn replaced_token_shows_nothing_and_names_the_accounts_page() {
    on_both(async |db| {
        let store = &db.store;
        let ((scope, created), (other, _)) = (invoiced(store).await, invoiced(store).await);
        let invoicing = invoicing(store, FixedClock::default());
        let replaced = invoicing.replace_pay_link(&scope, created.id, None).await.unwrap();
        let reads = &store.payer_reads;
        assert!(replaced.pay_token != created.pay_token);
        assert_eq!(reads.by_pay_token(&created.pay_token, NOW).await.unwrap(), None);
        let found = reads.by_pay_token(&replaced.pay_token, NOW).await.unwrap().unwrap();
        assert_eq!(found.invoice.id, created.id);
        let slug = reads.replaced_pay_token(&created.pay_token).await.unwrap().unwrap();
        let account = reads.account_by_slug(&slug).await.unwrap().unwrap();
        assert_eq!((account.id, account.is_active), (scope.id, true));
        assert_eq!(reads.replaced_pay_token(&replaced.pay_token).await.unwrap(), None);
        let moved = PayToken::from_stored(other.id, created.pay_token.reveal().to_owned());
        assert_eq!(reads.replaced_pay_token(&moved).await.unwrap(), None);
        assert_eq!(reads.account_by_slug("no-such-account").await.unwrap(), None);
        assert!(invoicing.replace_pay_link(&other, created.id, None).await.is_err());
    });
}

#[test]
fn first_view_of_each_day_is_kept() {
    on_both(async |db| {
        let store = &db.store;
        let ((scope, created), (other, _)) = (invoiced(store).await, invoiced(store).await);
        let history = &store.payment_page_history;
        let view = |days: i64, minutes: i64| PageView {
            account: scope.id,
            invoice: created.id,
            day: day(days),
            first_at: NOW + Duration::days(days) + Duration::minutes(minutes),
        };
        for view in [view(0, 0), view(0, 5), view(1, 0)] {
            history.record_view(&view).await.unwrap();
        }
        assert_eq!(history.views(scope.id, created.id).await.unwrap(), [view(0, 0), view(1, 0)]);
        assert_eq!(history.views(other.id, created.id).await.unwrap(), []);
    });
}

/// Requests a link and returns how many mails were queued.
async fn mails(db: &TestDatabase, scope: &AccountScope, number: &str, to: &str) -> usize {
    let (store, clock) = (&db.store, FixedClock::default());
    let request = PayLinkRequest { invoice_number: InvoiceNumber::parse(number).unwrap(), email: email(to) };
    invoicing(store, clock.clone()).request_pay_link(scope.id, &request).await.unwrap();
    let worker = Arc::new(pay_link_worker(store, clock));
    assert_eq!(outbox::run_until_idle(worker).await, 1);
    lease(store, NOW, 10).await.len()
}

#[test]
fn link_is_mailed_where_number_and_address_match_and_nowhere_else() {
    on_both(async |db| {
        let store = &db.store;
        let (scope, created) = invoiced(store).await;
        let own = created.contact.as_ref().unwrap().email.clone().unwrap();
        let own = own.as_str().to_uppercase();
        let (other, _) = invoiced(store).await;
        for (scope, number, to) in [
            (&scope, "A-2", &*own),
            (&scope, "a-1", &*own),
            (&scope, "A-1", "eve@example.com"),
            (&other, "A-1", &*own),
        ] {
            assert_eq!(mails(db, scope, number, to).await, 0, "{number} {to}");
        }
        for switch in
            ["communications_enabled = FALSE", "disabled_by_partner = TRUE", "disabled_by_operator = TRUE"]
        {
            db.execute(&format!("UPDATE accounts SET {switch}")).await;
            assert_eq!(mails(db, &scope, "A-1", &own).await, 0, "{switch}");
            db.execute(
                "UPDATE accounts SET communications_enabled = TRUE, disabled_by_partner = FALSE, \
                 disabled_by_operator = FALSE",
            )
            .await;
        }
        assert_eq!(mails(db, &scope, "A-1", &own).await, 1);
        let contact = stored_contact(store, scope.id).await;
        let to = contact.email.clone().unwrap();
        let mut draft = input(1);
        draft.is_draft = Field::Value(true);
        stored_invoice(store, &scope, "D-1", Some(contact), draft).await;
        assert_eq!(mails(db, &scope, "D-1", to.as_str()).await, 0);
    });
}

#[test]
fn link_is_mailed_to_the_address_that_the_contact_has_now() {
    on_both(async |db| {
        let store = &db.store;
        let scope = tenant(store).await;
        let before = stored_contact(store, scope.id).await;
        stored_invoice(store, &scope, "A-1", Some(before.clone()), input(1)).await;
        let [then, now] = [before.email.clone().unwrap(), email("moved@example.com")];
        let moved = Contact { email: Some(now.clone()), ..before.clone() };
        let erased = Contact { email: None, ..before.clone() };
        for (before, after, mailed) in [(&before, &moved, [0, 1]), (&moved, &erased, [0, 0])] {
            let mut tx = store.contacts.begin(scope.id).await.unwrap();
            tx.contacts().lock(before.id).await.unwrap();
            assert!(tx.contacts().update(before, after).await.unwrap());
            tx.commit().await.unwrap();
            let count = async |to: &EmailAddress| mails(db, &scope, "A-1", to.as_str()).await;
            assert_eq!([count(&then).await, count(&now).await], mailed, "{:?}", after.email);
        }
    });
}
