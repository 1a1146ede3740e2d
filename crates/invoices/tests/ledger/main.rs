//! What issuing and cancelling queue for the ledger, and what the bookkeeper makes of it.
#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a test whose ground gives way should stop there"
)]

mod books;
mod house;
mod scripted;

use house::House;
use invoices::ledger::{Bookkeeper, Outcome};
use invoices::{InvoiceInput, LedgerError, LedgerWork, Status};
use kernel::{Clock, Field, Line, StoreError};
use outbox::Queue;
use scripted::Script;
use testkit::StillClock;
use time::Duration;

fn away() -> Script {
    Script::Fails(LedgerError::Temporary("the ledger answered 503".to_owned()))
}

fn issue() -> InvoiceInput {
    InvoiceInput {
        is_draft: Field::Value(false),
        ..InvoiceInput::default()
    }
}

fn rename() -> InvoiceInput {
    InvoiceInput {
        reference: Field::Value(Line::parse("PO 7").unwrap()),
        ..InvoiceInput::default()
    }
}

#[tokio::test]
async fn an_issued_invoice_is_pushed_once_and_carries_the_ledgers_id() {
    let house = House::new([Script::Takes("xero-7")]);
    let id = house.create(false).await;
    assert_eq!(house.ledger_id(id), None);
    house.clock.advance(Duration::minutes(1));
    assert_eq!(house.round().await, 1);
    assert_eq!(house.ledger_id(id).as_deref(), Some("xero-7"));
    assert_eq!(house.invoice(id).updated_at, house.clock.now());
    assert_eq!(house.round_after(Duration::days(4)).await, 0);
    assert_eq!(house.asked(), ["push INV-0001"]);
}

#[tokio::test]
async fn a_draft_is_pushed_when_it_is_issued_and_not_before_or_again() {
    let house = House::new([]);
    let id = house.create(true).await;
    house.amend(id, rename()).await;
    assert_eq!(house.round().await, 0);
    house.amend(id, issue()).await;
    house.amend(id, rename()).await;
    assert_eq!(house.round().await, 1);
    assert_eq!(house.round().await, 0);
}

#[tokio::test]
async fn without_a_ledger_nothing_is_queued() {
    let house = House::with_ledger(false, []);
    house.create(false).await;
    let draft = house.create(true).await;
    house.amend(draft, issue()).await;
    let had_one = House::new([]);
    let synced = had_one.create(false).await;
    had_one.round().await;
    let known = had_one.invoice(synced);
    house.books.invoices.lock().unwrap().insert(synced, known);
    house.cancel(synced).await;
    assert_eq!(house.books.tasks.all(), []);
}

#[tokio::test]
async fn cancelling_what_the_ledger_has_voids_it_there() {
    let house = House::new([Script::Takes("xero-7")]);
    let id = house.create(false).await;
    house.round().await;
    house.cancel(id).await;
    assert_eq!(house.round().await, 1);
    assert_eq!(house.asked(), ["push INV-0001", "void xero-7"]);
    assert_eq!(
        house.ledger_id(id).as_deref(),
        Some("xero-7"),
        "it stays known there"
    );
}

#[tokio::test]
async fn a_cancellation_stands_whatever_the_ledger_says() {
    let refusal = LedgerError::Permanent("the invoice\r\nhas payments".to_owned());
    let house = House::new([Script::Takes("xero-7"), Script::Fails(refusal)]);
    let id = house.create(false).await;
    house.round().await;
    house.cancel(id).await;
    assert_eq!(house.round().await, 1);
    assert_eq!(house.invoice(id).status, Status::Cancelled);
    let (task, last) = house.books.tasks.all().pop().unwrap();
    assert_eq!(task.what, LedgerWork::Void(Line::parse("xero-7").unwrap()));
    let reason = "the invoice has payments".to_owned();
    let at = StillClock::START;
    assert_eq!(last, Some(Outcome::GivenUp { at, reason }));
}

#[tokio::test]
async fn an_invoice_that_is_cancelled_before_its_push_is_never_pushed() {
    let house = House::new([]);
    let id = house.create(false).await;
    house.cancel(id).await;
    assert_eq!(house.round().await, 1);
    assert!(house.asked().is_empty());
    assert_eq!(house.ledger_id(id), None);
    assert_eq!(house.round().await, 0);
}

#[tokio::test]
async fn cancelling_while_the_push_is_under_way_voids_it_afterwards() {
    let house = House::new([Script::IsOvertakenByCancelling("xero-7")]);
    let id = house.create(false).await;
    assert_eq!(house.round().await, 1);
    assert_eq!(house.invoice(id).status, Status::Cancelled);
    assert_eq!(house.ledger_id(id).as_deref(), Some("xero-7"));
    assert_eq!(house.round().await, 1);
    assert_eq!(house.asked(), ["push INV-0001", "void xero-7"]);
}

#[tokio::test]
async fn a_push_whose_answer_was_lost_is_found_and_voided_when_the_invoice_is_cancelled() {
    for (entered, calls) in [
        (None, &["push INV-0001", "find INV-0001"][..]),
        (
            Some("xero-7"),
            &["push INV-0001", "find INV-0001", "void xero-7"],
        ),
    ] {
        let house = House::new([away()]);
        let id = house.create(false).await;
        house.round().await;
        *house.ledger.entered.lock().unwrap() = entered;
        house.cancel(id).await;
        house.round_after(Duration::minutes(1)).await;
        house.round().await;
        assert_eq!(house.asked(), calls);
    }
}

#[tokio::test]
async fn a_ledger_that_is_away_is_asked_again_after_growing_waits() {
    let house = House::new([away(), away()]);
    let id = house.create(false).await;
    assert_eq!(house.round().await, 1);
    let (_, last) = house.books.tasks.all().pop().unwrap();
    assert_eq!(
        last,
        Some(Outcome::Retry {
            at: StillClock::START,
            next_attempt_at: StillClock::START + Duration::minutes(1),
            reason: "the ledger answered 503".to_owned(),
        })
    );
    assert_eq!(house.round_after(Duration::seconds(59)).await, 0);
    assert_eq!(house.round_after(Duration::seconds(1)).await, 1);
    assert_eq!(house.round_after(Duration::seconds(299)).await, 0);
    assert_eq!(house.round_after(Duration::seconds(1)).await, 1);
    assert!(house.ledger_id(id).is_some());
}

#[tokio::test]
async fn a_ledger_that_stays_away_is_given_up_after_three_days_with_the_last_reason() {
    let house = House::new((0..100).map(|_| away()));
    let id = house.create(false).await;
    let mut attempts = house.round().await;
    for _ in 0..4 * 24 * 12 {
        attempts += house.round_after(Duration::minutes(5)).await;
    }
    assert!((16..=19).contains(&attempts), "{attempts}");
    let (_, last) = house.books.tasks.all().pop().unwrap();
    let Some(Outcome::GivenUp { at, reason }) = last else {
        panic!("{last:?}")
    };
    assert!(at - StillClock::START >= Duration::days(3));
    assert_eq!(
        reason,
        "not done within 3 days; the last attempt: the ledger answered 503"
    );
    assert_eq!(house.invoice(id).status, Status::Unpaid);
}

#[tokio::test]
async fn what_a_lost_process_had_leased_is_taken_over_when_the_lease_runs_out() {
    let house = House::new([]);
    house.create(false).await;
    let tasks = &house.books.tasks;
    let lost = tasks.lease_due(house.clock.now(), Bookkeeper::LEASE, 1);
    assert_eq!(lost.await.unwrap().len(), 1);
    assert_eq!(house.round().await, 0);
    assert_eq!(house.round_after(Bookkeeper::LEASE).await, 1);
}

#[tokio::test]
async fn an_id_that_could_not_be_stored_is_asked_for_again() {
    let house = House::new([Script::Takes("xero-7"), Script::Takes("xero-7")]);
    let id = house.create(false).await;
    let down = StoreError::Unavailable("connection refused".into());
    house.books.commits_fail.lock().unwrap().push(down);
    let round = house.bookkeeper.work_off().await.unwrap();
    assert!(round.attempts[0].outcome.is_none() && round.attempts[0].recorded.is_err());
    assert_eq!(house.ledger_id(id), None);
    assert_eq!(house.round_after(Bookkeeper::LEASE).await, 1);
    assert_eq!(house.ledger_id(id).as_deref(), Some("xero-7"));
    let keys = house.ledger.keys.lock().unwrap();
    assert_eq!(keys.len(), 2);
    assert_eq!(
        keys[0], keys[1],
        "the ledger enters one invoice for one key"
    );
}

#[tokio::test]
async fn a_transaction_that_ran_into_another_is_done_again_without_another_call() {
    let house = House::new([Script::Takes("xero-7")]);
    let id = house.create(false).await;
    let contended = StoreError::Contended("deadlock".into());
    house.books.commits_fail.lock().unwrap().push(contended);
    assert_eq!(house.round().await, 1);
    assert_eq!(house.ledger_id(id).as_deref(), Some("xero-7"));
    assert_eq!(house.asked(), ["push INV-0001"]);
}

#[tokio::test]
async fn two_bookkeepers_share_the_work_and_call_nothing_twice() {
    let house = House::new([]);
    for _ in 0..5 {
        house.create(false).await;
    }
    let other = house.bookkeeper.clone();
    let (one, two) = tokio::join!(house.bookkeeper.work_off(), other.work_off());
    let (one, two) = (one.unwrap(), two.unwrap());
    assert_eq!((one.attempts.len(), two.attempts.len()), (3, 2));
    assert!(one.more && !two.more);
    let mut asked = house.asked();
    asked.sort();
    asked.dedup();
    assert_eq!(asked.len(), 5);
}
