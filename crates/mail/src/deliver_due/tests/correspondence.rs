//! What the mail worker tells the correspondence about mail to customers.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use kernel::{StoreError, StoreResult};
use outbox::{JobHandler as _, LEASE, Leased, NotDone};
use testkit::FixedClock;
use time::OffsetDateTime;

use super::{TestApp, busy};
use crate::{Correspondence, MailMessage, MailTransportError, QueuedMail, SendDecision};

fn sends() -> SendDecision {
    SendDecision::Send { reply_to: None, began_at: Some(FixedClock::START) }
}

#[derive(Default)]
struct Told {
    /// Moved on when an attempt begins, until its lease is over.
    clock: Option<FixedClock>,
    begun: AtomicUsize,
    failures: Mutex<Vec<String>>,
}

#[async_trait]
impl Correspondence for Told {
    async fn begin(&self, _: &QueuedMail, _: &MailMessage, _: &str) -> StoreResult<SendDecision> {
        self.begun.fetch_add(1, Ordering::SeqCst);
        if let Some(clock) = &self.clock {
            clock.advance(LEASE);
        }
        Ok(sends())
    }

    async fn sent(&self, _: &QueuedMail, _: &MailMessage) -> StoreResult<()> {
        Ok(())
    }

    async fn not_accepted(&self, _: &QueuedMail, _: OffsetDateTime) -> StoreResult<()> {
        self.failures.lock().unwrap().push("not accepted".to_owned());
        Ok(())
    }

    async fn failed(&self, _: &QueuedMail, reason: &str) -> StoreResult<()> {
        self.failures.lock().unwrap().push(reason.to_owned());
        Ok(())
    }
}

#[tokio::test]
async fn mail_to_a_customer_has_failed_once_it_is_given_up() {
    let unknown = Err(MailTransportError::Unknown("no answer to the content".to_owned()));
    let mut app = TestApp::new([unknown, busy()]);
    let told = Arc::new(Told::default());
    app.mail_worker.correspondence = Some(told.clone());
    app.queue_one();
    let leased = app.lease_one().await;
    let to_customer = Leased { letterhead: Some("{}".to_owned()), ..leased.clone() };
    assert!(app.mail_worker.handle(&to_customer).await.is_err());
    assert!(told.failures.lock().unwrap().is_empty(), "it may have been accepted");
    assert!(app.mail_worker.handle(&to_customer).await.is_err());
    app.mail_worker.given_up(&leased, "it is not to a customer").await.unwrap();
    assert_eq!(*told.failures.lock().unwrap(), ["not accepted"]);
    app.mail_worker.given_up(&to_customer, "550 no such mailbox").await.unwrap();
    assert_eq!(*told.failures.lock().unwrap(), ["not accepted", "550 no such mailbox"]);
}

#[tokio::test]
async fn attempt_has_not_begun_if_its_lease_ended_while_the_mail_waited() {
    let mut app = TestApp::new([]);
    let told = Arc::new(Told::default());
    app.mail_worker.correspondence = Some(told.clone());
    app.queue_one();
    let leased = app.lease_one().await;
    let to_customer = Leased { letterhead: Some("{}".to_owned()), ..leased };
    let is_paused = async { app.clock.advance(LEASE) };
    let (ended, ()) = tokio::join!(app.mail_worker.handle(&to_customer), is_paused);
    assert!(matches!(ended, Err(NotDone::LeaseEnded)));
    assert_eq!((told.begun.load(Ordering::SeqCst), app.sent().len()), (0, 0));
}

#[tokio::test]
async fn attempt_whose_lease_ends_before_anything_is_sent_is_taken_back() {
    let mut app = TestApp::new([]);
    let told = Arc::new(Told { clock: Some(app.clock.clone()), ..Told::default() });
    app.mail_worker.correspondence = Some(told.clone());
    app.queue_one();
    let leased = app.lease_one().await;
    let to_customer = Leased { letterhead: Some("{}".to_owned()), ..leased };
    let ended = app.mail_worker.handle(&to_customer).await;
    assert!(matches!(ended, Err(NotDone::LeaseEnded)), "{ended:?}");
    assert_eq!((&**told.failures.lock().unwrap(), app.sent().len()), (&["not accepted".to_owned()][..], 0));
}

/// A store that was away when the mail was accepted, and that says of another attempt what it says.
struct StoreWasAway {
    failures: AtomicUsize,
    decision: SendDecision,
    recorded: AtomicUsize,
}

#[async_trait]
impl Correspondence for StoreWasAway {
    async fn begin(&self, _: &QueuedMail, _: &MailMessage, _: &str) -> StoreResult<SendDecision> {
        Ok(self.decision.clone())
    }

    async fn sent(&self, _: &QueuedMail, _: &MailMessage) -> StoreResult<()> {
        if self.failures.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)).is_ok()
        {
            return Err(StoreError::Unavailable("away".into()));
        }
        self.recorded.fetch_add(1, Ordering::SeqCst);
        Ok(())
    }

    async fn not_accepted(&self, _: &QueuedMail, _: OffsetDateTime) -> StoreResult<()> {
        Ok(())
    }

    async fn failed(&self, _: &QueuedMail, _: &str) -> StoreResult<()> {
        Ok(())
    }
}

#[tokio::test(start_paused = true)]
async fn accepted_mail_is_recorded_when_the_store_is_back_and_is_not_sent_again() {
    for (decision, sent) in [(sends(), 1), (SendDecision::AlreadySent, 0)] {
        let mut app = TestApp::new([]);
        let failures = AtomicUsize::new(20);
        let store = Arc::new(StoreWasAway { failures, decision, recorded: AtomicUsize::new(0) });
        app.mail_worker.correspondence = Some(store.clone());
        app.queue_one();
        let leased = app.lease_one().await;
        let to_customer = Leased { letterhead: Some("{}".to_owned()), ..leased };
        app.mail_worker.handle(&to_customer).await.unwrap();
        assert_eq!((app.sent().len(), store.recorded.load(Ordering::SeqCst)), (sent, sent));
    }
}
