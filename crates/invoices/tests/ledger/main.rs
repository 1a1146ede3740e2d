//! What issuing and cancelling queue for the ledger, and how the ledger worker carries it out.
#![expect(clippy::unwrap_used, reason = "a test that is wrong should stop there")]

mod app;
#[path = "../../examples/ports/memory.rs"]
mod memory;
mod scripted;

use app::TestApp;
use invoices::ledger::Outcome;
use invoices::{InvoiceInput, InvoiceStatus, InvoiceTextsInput, LedgerError};
use kernel::{Clock, Field, SingleLine, StoreError};
use outbox::{Due, LEASE, Queue};
use scripted::{CallLimit, Script};
use testkit::FixedClock;
use time::Duration;

fn away() -> Script {
    Script::Fails(LedgerError::Temporary("the ledger answered 503".to_owned()))
}

fn issue() -> InvoiceInput {
    InvoiceInput { is_draft: Field::Value(false), ..InvoiceInput::default() }
}

fn rename() -> InvoiceInput {
    InvoiceInput {
        texts: InvoiceTextsInput {
            reference: Field::Value(SingleLine::parse("PO 7").unwrap()),
            ..InvoiceTextsInput::default()
        },
        ..InvoiceInput::default()
    }
}

#[tokio::test]
async fn an_issued_invoice_is_pushed_once_and_carries_the_ledgers_id() {
    let app = TestApp::new([Script::Takes("xero-7")]);
    let id = app.create(false).await;
    assert_eq!(app.ledger_id(id), None);
    app.clock.advance(Duration::minutes(1));
    assert_eq!(app.round().await, 1);
    assert_eq!(app.ledger_id(id).as_deref(), Some("xero-7"));
    assert_eq!(app.invoice(id).updated_at, app.clock.now());
    assert_eq!(app.round_after(Duration::days(4)).await, 0);
    assert_eq!(app.asked(), ["push INV-0001"]);
}

#[tokio::test]
async fn a_draft_is_pushed_when_it_is_issued_and_not_before_or_again() {
    let app = TestApp::new([]);
    let id = app.create(true).await;
    app.amend(id, rename()).await;
    assert_eq!(app.round().await, 0);
    app.amend(id, issue()).await;
    app.amend(id, rename()).await;
    assert_eq!(app.round().await, 1);
    assert_eq!(app.round().await, 0);
}

#[tokio::test]
async fn without_a_ledger_no_push_is_queued() {
    let app = TestApp::with_ledger(false, []);
    app.create(false).await;
    let draft = app.create(true).await;
    app.amend(draft, issue()).await;
    assert_eq!(app.memory.jobs.all(), []);
}

#[tokio::test]
async fn void_of_a_process_without_a_ledger_waits_for_one() {
    let mut app = TestApp::new([Script::Takes("xero-7")]);
    let id = app.create(false).await;
    app.round().await;
    app.invoicing.ledger = false;
    app.cancel(id).await;
    assert_eq!(app.round().await, 1);
    assert_eq!(app.asked(), ["push INV-0001", "void xero-7"]);
}

#[tokio::test]
async fn cancelling_what_the_ledger_has_voids_it_there() {
    let app = TestApp::new([Script::Takes("xero-7")]);
    let id = app.create(false).await;
    app.round().await;
    app.cancel(id).await;
    assert_eq!(app.round().await, 1);
    assert_eq!(app.asked(), ["push INV-0001", "void xero-7"]);
    assert_eq!(app.ledger_id(id).as_deref(), Some("xero-7"), "it stays known there");
}

#[tokio::test]
async fn refused_void_leaves_the_invoice_cancelled() {
    let refusal = LedgerError::Permanent("the invoice\r\nhas payments".to_owned());
    let app = TestApp::new([Script::Takes("xero-7"), Script::Fails(refusal)]);
    let id = app.create(false).await;
    app.round().await;
    app.cancel(id).await;
    assert_eq!(app.round().await, 1);
    assert_eq!(app.invoice(id).status, InvoiceStatus::Cancelled);
    let (task, last) = app.memory.jobs.all().pop().unwrap();
    assert_eq!(task.payload, r#"{"operation":"void","ledger_invoice_id":"xero-7"}"#);
    let reason = "the invoice has payments".to_owned();
    let at = FixedClock::START;
    assert_eq!(last, Some(Outcome::GivenUp { at, reason }));
}

#[tokio::test]
async fn an_invoice_that_is_cancelled_before_its_push_is_never_pushed() {
    let app = TestApp::new([]);
    let id = app.create(false).await;
    app.cancel(id).await;
    assert_eq!(app.round().await, 1);
    assert!(app.asked().is_empty());
    assert_eq!(app.ledger_id(id), None);
    assert_eq!(app.round().await, 0);
}

#[tokio::test]
async fn cancelling_while_the_push_is_under_way_voids_it_afterwards() {
    let app = TestApp::new([Script::IsOvertakenByCancelling("xero-7")]);
    let id = app.create(false).await;
    assert_eq!(app.round().await, 1);
    assert_eq!(app.invoice(id).status, InvoiceStatus::Cancelled);
    assert_eq!(app.ledger_id(id).as_deref(), Some("xero-7"));
    assert_eq!(app.round().await, 1);
    assert_eq!(app.asked(), ["push INV-0001", "void xero-7"]);
}

#[tokio::test]
async fn a_push_whose_answer_was_lost_is_found_and_voided_when_the_invoice_is_cancelled() {
    for (entered, calls) in [
        (None, &["push INV-0001", "find INV-0001"][..]),
        (Some("xero-7"), &["push INV-0001", "find INV-0001", "void xero-7"]),
    ] {
        let app = TestApp::new([away()]);
        let id = app.create(false).await;
        app.round().await;
        *app.ledger.entered.lock().unwrap() = entered;
        app.cancel(id).await;
        app.round_after(Duration::minutes(1)).await;
        app.round().await;
        assert_eq!(app.asked(), calls);
    }
}

#[tokio::test]
async fn a_push_whose_answer_was_lost_is_found_before_it_is_repeated() {
    let app = TestApp::new([away()]);
    let id = app.create(false).await;
    app.round().await;
    *app.ledger.entered.lock().unwrap() = Some("xero-7");
    app.round_after(Duration::minutes(1)).await;
    assert_eq!(app.asked(), ["push INV-0001", "find INV-0001"]);
    assert_eq!(app.ledger_id(id).as_deref(), Some("xero-7"));
}

#[tokio::test]
async fn a_ledger_that_is_away_is_asked_again_after_growing_waits() {
    let app = TestApp::new([away(), away()]);
    let id = app.create(false).await;
    assert_eq!(app.round().await, 1);
    let (_, last) = app.memory.jobs.all().pop().unwrap();
    assert_eq!(
        last,
        Some(Outcome::Retry {
            at: FixedClock::START,
            next_attempt_at: FixedClock::START + Duration::minutes(1),
            reason: "the ledger answered 503".to_owned(),
        })
    );
    assert_eq!(app.round_after(Duration::seconds(59)).await, 0);
    assert_eq!(app.round_after(Duration::seconds(1)).await, 1);
    assert_eq!(app.round_after(Duration::seconds(299)).await, 0);
    assert_eq!(app.round_after(Duration::seconds(1)).await, 1);
    assert!(app.ledger_id(id).is_some());
}

#[tokio::test]
async fn a_ledger_that_stays_away_is_given_up_after_three_days_with_the_last_reason() {
    let app = TestApp::new((0..100).map(|_| away()));
    let id = app.create(false).await;
    let mut attempts = app.round().await;
    for _ in 0..4 * 24 * 12 {
        attempts += app.round_after(Duration::minutes(5)).await;
    }
    assert!((16..=19).contains(&attempts), "{attempts}");
    let (_, last) = app.memory.jobs.all().pop().unwrap();
    let Some(Outcome::GivenUp { at, reason }) = last else { panic!("{last:?}") };
    assert!(at - FixedClock::START >= Duration::days(3));
    assert_eq!(reason, "not done within 3 days; the last attempt: the ledger answered 503");
    assert_eq!(app.invoice(id).status, InvoiceStatus::Unpaid);
}

#[tokio::test]
async fn burst_beyond_the_ledgers_limit_of_calls_is_entered_with_one_push_for_each_invoice() {
    let app = TestApp::new([]);
    let minute_ends_at = app.clock.now();
    let clock = app.clock.clone();
    let limit = CallLimit { per_minute: 10, clock, minute_ends_at, taken: 0, refused: 0 };
    *app.ledger.limit.lock().unwrap() = Some(limit);
    let mut ids = Vec::new();
    for _ in 0..150 {
        ids.push(app.create(false).await);
    }
    app.clock.advance(Duration::days(4));
    let mut attempts = app.round().await;
    for _ in 1..15 {
        attempts += app.round_after(Duration::minutes(1)).await;
    }
    assert!(ids.iter().all(|id| app.ledger_id(*id).is_some()));
    assert_eq!(app.asked().len(), 150, "no invoice is searched for");
    // Several attempts are made at once. Nothing is leased after a refusal.
    assert!(attempts <= 150 + 14 * 3, "{attempts}");
}

#[tokio::test]
async fn what_a_lost_process_had_leased_is_taken_over_when_the_lease_runs_out() {
    let app = TestApp::new([]);
    app.create(false).await;
    let due = Due { kind: "ledger", now: app.clock.now(), lease_for: LEASE, limit: 1, held_at_most: None };
    assert_eq!(app.memory.jobs.lease_due(due).await.unwrap().len(), 1);
    assert_eq!(app.round().await, 0);
    assert_eq!(app.round_after(LEASE).await, 1);
}

#[tokio::test]
async fn an_id_that_could_not_be_stored_is_asked_for_again() {
    let app = TestApp::new([Script::Takes("xero-7"), Script::Takes("xero-7")]);
    let id = app.create(false).await;
    let down = StoreError::Unavailable("connection refused".into());
    app.memory.commit_errors.lock().unwrap().push(down);
    assert_eq!(app.round().await, 1);
    let outcome = app.memory.jobs.all()[0].1.clone();
    assert!(matches!(outcome, Some(Outcome::Retry { .. })), "{outcome:?}");
    assert_eq!(app.ledger_id(id), None);
    assert_eq!(app.round_after(Duration::seconds(5)).await, 1);
    assert_eq!(app.ledger_id(id).as_deref(), Some("xero-7"));
    let keys = app.ledger.keys.lock().unwrap();
    assert_eq!(keys.len(), 2);
    assert_eq!(keys[0], keys[1], "the ledger enters one invoice for one key");
}

#[tokio::test]
async fn contended_transaction_is_repeated_without_another_ledger_call() {
    let app = TestApp::new([Script::Takes("xero-7")]);
    let id = app.create(false).await;
    let contended = StoreError::contended("deadlock");
    app.memory.commit_errors.lock().unwrap().push(contended);
    assert_eq!(app.round().await, 1);
    assert_eq!(app.ledger_id(id).as_deref(), Some("xero-7"));
    assert_eq!(app.asked(), ["push INV-0001"]);
}

#[tokio::test]
async fn two_ledger_workers_share_the_work_and_call_nothing_twice() {
    let app = TestApp::new([]);
    for _ in 0..5 {
        app.create(false).await;
    }
    let (one, two) = tokio::join!(app.round(), app.round());
    assert_eq!(one + two, 5);
    let mut asked = app.asked();
    asked.sort();
    asked.dedup();
    assert_eq!(asked.len(), 5);
}
