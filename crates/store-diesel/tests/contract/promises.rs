//! Promises to pay of several messages, and which one holds when a message is found to promise nothing.

use communications::MessageId;
use invoices::{
    Invoice, NewPromise, Promise, PromiseError, PromisedBy, TimelineEntry, TimelineKind, Timelines,
};
use kernel::{AccountScope, TimeZone};
use store_diesel::Store;
use testkit::FixedClock;
use time::{Date, Duration};

use crate::database::on_both;
use crate::fixtures::{NOW, id, input, invoicing, stored_contact, stored_invoice, tenant};

/// An invoice, and what is promised for it.
struct Promised<'a> {
    store: &'a Store,
    clock: FixedClock,
    scope: AccountScope,
    invoice: Invoice,
}

impl<'a> Promised<'a> {
    async fn new(store: &'a Store) -> Self {
        let scope = tenant(store).await;
        let contact = stored_contact(store, scope.id).await;
        let invoice = stored_invoice(store, &scope, "A-1", Some(contact), input(2)).await;
        Self { store, clock: FixedClock::default(), scope, invoice }
    }

    /// The promise of a message.
    async fn read(&self, message: MessageId, made_by: PromisedBy, days: i64) -> Promise {
        self.clock.advance(Duration::SECOND);
        let new = new(made_by, days);
        let mut tx = self.store.invoicing.begin(self.invoice.account).await.unwrap();
        let invoicing = invoicing(self.store, self.clock.clone());
        let made =
            invoicing.promise_in_message(&mut *tx, self.invoice.id, &new, message.uuid()).await.unwrap();
        tx.commit().await.unwrap();
        made
    }

    /// The promise that somebody enters on a page.
    async fn enter(&self, made_by: PromisedBy, days: i64) -> Result<Promise, PromiseError> {
        self.clock.advance(Duration::SECOND);
        let invoicing = invoicing(self.store, self.clock.clone());
        invoicing.promise_to_pay(self.invoice.account, self.invoice.id, &new(made_by, days)).await
    }

    /// The owner says that a message is no promise. Returns the day that is promised then.
    async fn withdraw(&self, message: MessageId) -> Option<Date> {
        self.clock.advance(Duration::SECOND);
        let mut tx = self.store.invoicing.begin(self.invoice.account).await.unwrap();
        let invoicing = invoicing(self.store, self.clock.clone());
        invoicing.withdraw_promise_in(&mut *tx, self.invoice.id, message.uuid()).await.unwrap();
        tx.commit().await.unwrap();
        let seen = self.store.payer_reads.by_pay_token(&self.invoice.pay_token, NOW).await.unwrap();
        seen.unwrap().promise.map(|promise| promise.promised_on)
    }

    /// The days in the history of the invoice.
    async fn days_in_history(&self) -> Vec<Date> {
        let (reads, history) = (self.store.timelines.clone(), self.store.payment_page_history.clone());
        let entries = Timelines { reads, history }.of(&self.scope, &self.invoice).await.unwrap();
        let day = |entry: TimelineEntry| match entry.kind {
            TimelineKind::Promised { by } => Some(by),
            _ => None,
        };
        entries.into_iter().filter_map(day).collect()
    }
}

fn new(made_by: PromisedBy, days: i64) -> NewPromise {
    NewPromise { date: day(days), made_by, time_zone: TimeZone::utc(), most_days: 14 }
}

fn day(days: i64) -> Date {
    NOW.date() + Duration::days(days)
}

#[test]
fn day_stays_promised_until_every_message_that_names_it_is_withdrawn() {
    on_both(async |db| {
        for (first, second) in [
            (PromisedBy::Payer, PromisedBy::Payer),
            (PromisedBy::Payer, PromisedBy::Owner),
            (PromisedBy::Owner, PromisedBy::Payer),
            (PromisedBy::Owner, PromisedBy::Owner),
        ] {
            let [mail, later_mail] = [id(), id()];
            for order in [[mail, later_mail], [later_mail, mail]] {
                let promised = Promised::new(&db.store).await;
                promised.read(mail, first, 5).await;
                promised.read(later_mail, second, 5).await;
                let [then, at_last] = order;
                assert_eq!(promised.withdraw(then).await, Some(day(5)), "{first:?} {second:?}");
                assert_eq!(promised.withdraw(at_last).await, None, "{first:?} {second:?}");
            }
        }
    });
}

#[test]
fn day_that_the_owner_enters_is_the_owners_even_if_a_message_or_the_payer_named_it_before() {
    on_both(async |db| {
        let (promised, mail) = (Promised::new(&db.store).await, id());
        promised.read(mail, PromisedBy::Payer, 5).await;
        let entered = promised.enter(PromisedBy::Owner, 5).await.unwrap();
        assert_eq!((entered.made_by, entered.message), (PromisedBy::Owner, None));
        let changed = promised.enter(PromisedBy::Payer, 6).await;
        assert!(matches!(changed, Err(PromiseError::Final(_))), "{changed:?}");
        assert_eq!(promised.withdraw(mail).await, Some(day(5)));
    });
}

#[test]
fn day_that_the_payer_entered_beside_a_message_stays_and_can_be_changed_once() {
    on_both(async |db| {
        let (promised, mail) = (Promised::new(&db.store).await, id());
        promised.read(mail, PromisedBy::Owner, 5).await;
        promised.enter(PromisedBy::Payer, 5).await.unwrap();
        assert_eq!(promised.withdraw(mail).await, Some(day(5)));
        assert_eq!(promised.days_in_history().await, [day(5)]);
        promised.enter(PromisedBy::Payer, 6).await.unwrap();
        let changed = promised.enter(PromisedBy::Payer, 7).await;
        assert!(matches!(changed, Err(PromiseError::Final(_))), "{changed:?}");
    });
}

#[test]
fn promise_that_was_withdrawn_while_another_one_held_does_not_come_back() {
    on_both(async |db| {
        let (promised, [mail, later_mail]) = (Promised::new(&db.store).await, [id(), id()]);
        promised.enter(PromisedBy::Payer, 2).await.unwrap();
        promised.read(mail, PromisedBy::Owner, 3).await;
        promised.read(later_mail, PromisedBy::Owner, 5).await;
        assert_eq!(promised.withdraw(mail).await, Some(day(5)));
        assert_eq!(promised.withdraw(later_mail).await, Some(day(2)), "the payer's own is not withdrawn");
        assert_eq!(promised.withdraw(mail).await, Some(day(2)));
    });
}
