//! Date-driven status changes: each invoice once, in its account's own time zone, whichever process runs and
//! however late.

use futures_util::future::join_all;
use invoices::{DueDates, Invoice, InvoiceFilter, InvoiceInput, InvoiceStatus, InvoiceTextsInput};
use kernel::{AccountScope, Field, FieldErrors, PageSize, SingleLine, TimeZone};
use store_diesel::Store;
use testkit::FixedClock;
use time::macros::{date, datetime};
use time::{Date, Duration, OffsetDateTime};

use crate::database::{TestDatabase, on_both, on_postgres};
use crate::fixtures::{fresh, input, invoice_at, invoicing, store_invoices, stored_contact, tenant};

fn due_dates(store: &Store, clock: &FixedClock) -> DueDates {
    DueDates { store: store.due_dates.clone(), clock: std::sync::Arc::new(clock.clone()) }
}

async fn account_in(db: &TestDatabase, zone: &str) -> AccountScope {
    let mut scope = tenant(&db.store).await;
    move_to(db, &mut scope, zone).await;
    scope
}

/// Sets the time zone of an account.
async fn move_to(db: &TestDatabase, scope: &mut AccountScope, zone: &str) {
    scope.time_zone = TimeZone::parse(zone).unwrap();
    let id = db.literal(scope.id);
    let update = format!("UPDATE accounts SET time_zone = '{zone}' WHERE id = {id}");
    db.execute(&update).await;
}

/// A number that changes when the invoice's row is locked or updated (PostgreSQL), or updated (SQLite).
async fn row_version(db: &TestDatabase, invoice: &Invoice) -> i64 {
    let version =
        if db.is_postgres() { "xmin::text::bigint * 4294967296 + xmax::text::bigint" } else { "updated_at" };
    let id = db.literal(invoice.id);
    let query = format!("SELECT {version} AS count FROM invoices WHERE id = {id}");
    db.count(&query).await
}

async fn dated(store: &Store, scope: &AccountScope, at: OffsetDateTime, from: Date, due: Date) -> Invoice {
    let contact = stored_contact(store, scope.id).await;
    let fields = InvoiceInput { invoice_date: Field::Value(from), due_date: Field::Value(due), ..input(1) };
    let invoice = invoice_at(at, scope, &format!("N-{}", fresh()), Some(contact), fields);
    store_invoices(store, scope.id, std::slice::from_ref(&invoice)).await;
    invoice
}

async fn status(store: &Store, invoice: &Invoice) -> InvoiceStatus {
    let read = store.invoice_reads.get(invoice.account, invoice.id).await;
    read.unwrap().unwrap().status
}

#[test]
fn days_begin_in_each_accounts_own_zone() {
    on_both(async |db| {
        let store = &db.store;
        let before = datetime!(2026-11-01 00:00 UTC);
        let day = date!(2026 - 11 - 20);
        let east = account_in(db, "Pacific/Kiritimati").await;
        let west = account_in(db, "Pacific/Niue").await;
        let (first, last) =
            (dated(store, &east, before, day, day).await, dated(store, &west, before, day, day).await);
        assert_eq!(
            (status(store, &first).await, status(store, &last).await),
            (InvoiceStatus::Scheduled, InvoiceStatus::Scheduled)
        );
        let clock = FixedClock::at(datetime!(2026-11-19 09:59:59 UTC));
        let worker = due_dates(store, &clock);
        assert_eq!(worker.apply().await.unwrap(), 0);
        clock.set(datetime!(2026-11-19 10:00 UTC));
        assert_eq!(worker.apply().await.unwrap(), 1);
        assert_eq!(
            (status(store, &first).await, status(store, &last).await),
            (InvoiceStatus::Unpaid, InvoiceStatus::Scheduled)
        );
        clock.set(datetime!(2026-11-20 10:59:59 UTC));
        // In the east the following day has begun; in the west the due day has not.
        assert_eq!(worker.apply().await.unwrap(), 1);
        assert_eq!(
            (status(store, &first).await, status(store, &last).await),
            (InvoiceStatus::Overdue, InvoiceStatus::Scheduled)
        );
        clock.set(datetime!(2026-11-20 11:00 UTC));
        assert_eq!(worker.apply().await.unwrap(), 1);
        assert_eq!(status(store, &last).await, InvoiceStatus::Unpaid);
        assert_eq!(worker.apply().await.unwrap(), 0);
    });
}

#[test]
fn clock_change_moves_the_beginning_of_the_day() {
    on_both(async |db| {
        let store = &db.store;
        // In Santiago, 6 September 2026 begins at one o'clock, 04:00 UTC; 5 September also began at 04:00
        // UTC.
        let scope = account_in(db, "America/Santiago").await;
        let at = datetime!(2026-09-01 00:00 UTC);
        let due = dated(store, &scope, at, date!(2026 - 09 - 01), date!(2026 - 09 - 05)).await;
        let clock = FixedClock::at(datetime!(2026-09-06 03:59:59 UTC));
        let worker = due_dates(store, &clock);
        assert_eq!(worker.apply().await.unwrap(), 0);
        clock.set(datetime!(2026-09-06 04:00 UTC));
        assert_eq!(worker.apply().await.unwrap(), 1);
        assert_eq!(status(store, &due).await, InvoiceStatus::Overdue);
    });
}

#[test]
fn an_outage_is_caught_up_with_and_the_zone_is_the_one_of_now() {
    on_both(async |db| {
        let store = &db.store;
        let mut scope = account_in(db, "UTC").await;
        let at = datetime!(2026-11-01 00:00 UTC);
        let missed = dated(store, &scope, at, date!(2026 - 11 - 05), date!(2026 - 11 - 10)).await;
        let clock = FixedClock::at(datetime!(2026-12-24 00:00 UTC));
        let worker = due_dates(store, &clock);
        assert_eq!(worker.apply().await.unwrap(), 1, "from scheduled to overdue in one step");
        assert_eq!(status(store, &missed).await, InvoiceStatus::Overdue);
        let tomorrow =
            dated(store, &scope, clock_now(&clock), date!(2026 - 12 - 25), date!(2026 - 12 - 26)).await;
        move_to(db, &mut scope, "Pacific/Kiritimati").await;
        clock.advance(Duration::hours(10));
        assert_eq!(worker.apply().await.unwrap(), 1);
        assert_eq!(status(store, &tomorrow).await, InvoiceStatus::Unpaid);
    });
}

fn clock_now(clock: &FixedClock) -> OffsetDateTime {
    kernel::Clock::now(clock)
}

#[test]
fn several_processes_move_each_invoice_once() {
    on_both(async |db| {
        let store = &db.store;
        let other = db.another_process().await;
        let scope = account_in(db, "UTC").await;
        let contact = stored_contact(store, scope.id).await;
        let at = datetime!(2026-11-01 00:00 UTC);
        let fields = InvoiceInput {
            invoice_date: Field::Value(date!(2026 - 11 - 02)),
            due_date: Field::Value(date!(2026 - 11 - 30)),
            ..input(1)
        };
        let invoices: Vec<Invoice> = (0..1_200)
            .map(|n| invoice_at(at, &scope, &format!("N-{n}"), Some(contact.clone()), fields.clone()))
            .collect();
        store.bulk.invoices(&invoices).await.unwrap();
        let clock = FixedClock::at(datetime!(2026-11-03 00:00 UTC));
        let workers = [store, &other, store, &other].map(|store| due_dates(store, &clock));
        let mut moved: u64 =
            join_all(workers.iter().map(DueDates::apply)).await.into_iter().map(Result::unwrap).sum();
        // A worker skips rows that another one has locked, and they may be skipped until its next run.
        moved += due_dates(store, &clock).apply().await.unwrap();
        assert_eq!(moved, 1_200);
        for invoice in [&invoices[0], &invoices[599], &invoices[1_199]] {
            assert_eq!(status(store, invoice).await, InvoiceStatus::Unpaid);
        }
        let read = store.invoice_reads.get(scope.id, invoices[7].id).await.unwrap().unwrap();
        assert_eq!(read.updated_at, clock_now(&clock));
    });
}

#[test]
fn invoice_due_on_the_last_day_of_the_calendar_stays_readable() {
    on_both(async |db| {
        let store = &db.store;
        let mut scope = account_in(db, "Pacific/Niue").await;
        let at = datetime!(2026-11-20 02:00 UTC);
        // In Niue it is still the 19th.
        let (tomorrow, last_day) = (date!(2026 - 11 - 20), date!(9999 - 12 - 31));
        let one = dated(store, &scope, at - Duration::DAY, tomorrow, last_day).await;
        assert_eq!(status(store, &one).await, InvoiceStatus::Scheduled);
        move_to(db, &mut scope, "Pacific/Kiritimati").await;
        let clock = FixedClock::at(at);
        let worker = due_dates(store, &clock);
        assert_eq!(worker.apply().await.unwrap(), 1);
        assert_eq!(status(store, &one).await, InvoiceStatus::Unpaid);
        assert_eq!(worker.apply().await.unwrap(), 0);

        let reads = &store.invoice_reads;
        let all = InvoiceFilter::default();
        let page = reads.list(scope.id, &all, PageSize::MAX, None).await;
        assert_eq!(page.unwrap().items[0].due_date, last_day);
        let invoicing = invoicing(store, clock);
        let notes = InvoiceInput {
            texts: InvoiceTextsInput {
                reference: Field::Value(SingleLine::parse("amended").unwrap()),
                ..InvoiceTextsInput::default()
            },
            ..InvoiceInput::default()
        };
        let amended = invoicing.amend(&scope, one.id, None, notes, FieldErrors::default());
        assert_eq!(amended.await.unwrap().due_date, last_day);
        let cancelled = invoicing.cancel(&scope, one.id, None).await.unwrap();
        assert_eq!(cancelled.status, InvoiceStatus::Cancelled);
    });
}

#[test]
fn invoices_whose_day_has_not_come_are_neither_locked_nor_updated() {
    on_both(async |db| {
        let store = &db.store;
        let before = datetime!(2026-11-01 00:00 UTC);
        let day = date!(2026 - 11 - 20);
        let east = account_in(db, "Pacific/Kiritimati").await;
        let west = account_in(db, "Pacific/Niue").await;
        let due = dated(store, &east, before, day, day).await;
        let not_due = dated(store, &west, before, day, day).await;
        let version = row_version(db, &not_due).await;
        let clock = FixedClock::at(datetime!(2026-11-19 10:00 UTC));
        let worker = due_dates(store, &clock);
        assert_eq!(worker.apply().await.unwrap(), 1);
        assert_eq!(status(store, &due).await, InvoiceStatus::Unpaid);
        assert_eq!(row_version(db, &not_due).await, version);
        // A run with nothing to change takes no lock: on SQLite this transaction is the only writer.
        let mut tx = store.invoicing.begin(west.id).await.unwrap();
        tx.invoices().lock(not_due.id).await.unwrap().unwrap();
        assert_eq!(worker.apply().await.unwrap(), 0);
    });
}

#[test]
fn invoices_locked_by_another_transaction_are_left_to_the_next_run() {
    on_postgres(async |db| {
        let store = &db.store;
        let scope = account_in(db, "UTC").await;
        let before = datetime!(2026-11-01 00:00 UTC);
        let day = date!(2026 - 11 - 20);
        let one = dated(store, &scope, before, day, day).await;
        let clock = FixedClock::at(datetime!(2026-11-20 00:00 UTC));
        let worker = due_dates(store, &clock);
        let mut tx = store.invoicing.begin(scope.id).await.unwrap();
        tx.invoices().lock(one.id).await.unwrap().unwrap();
        assert_eq!(worker.apply().await.unwrap(), 0);
        tx.commit().await.unwrap();
        assert_eq!(worker.apply().await.unwrap(), 1);
    });
}
