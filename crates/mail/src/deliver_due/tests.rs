//! The mail worker on a queue in memory and a scripted mail server.

mod correspondence;

use std::collections::VecDeque;
use std::num::{NonZeroU32, NonZeroUsize};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use kernel::{Clock, EmailAddress, Id, SingleLine, StoreError};
use outbox::{
    Due, JobContext, JobHandler as _, LEASE, Leased, MemoryQueue, NotDone, Queue as _, Task as _,
    WorkThrottle,
};
use serde_json::{Value, json};
use testkit::{CountingIds, FixedClock};
use time::Duration;
use tokio::sync::Barrier;

use super::MailWorker;
use crate::{
    Audience, EmailTemplate, MailId, MailMessage, MailTask, MailTransport, MailTransportError, NewMail,
    Outcome, QueuedMail, RenderError, RenderedMail,
};

/// Responds as scripted, then with `Ok`; counts how many mails it gets at a time.
#[derive(Default)]
struct Scripted {
    answers: Mutex<VecDeque<Result<(), MailTransportError>>>,
    sent: Mutex<Vec<RenderedMail>>,
    /// Makes each mail wait for others.
    together: Option<Barrier>,
    busy: AtomicUsize,
    busiest: AtomicUsize,
}

#[async_trait]
impl MailTransport for Scripted {
    fn message_id(&self, id: MailId) -> String {
        format!("{id}@example.com")
    }

    fn from_address(&self) -> String {
        "invoices@example.com".to_owned()
    }

    async fn send(&self, mail: &RenderedMail) -> Result<(), MailTransportError> {
        let busy = self.busy.fetch_add(1, Ordering::SeqCst) + 1;
        self.busiest.fetch_max(busy, Ordering::SeqCst);
        tokio::task::yield_now().await;
        if let Some(others) = &self.together {
            others.wait().await;
        }
        self.busy.fetch_sub(1, Ordering::SeqCst);
        self.sent.lock().unwrap().push(mail.clone());
        self.answers.lock().unwrap().pop_front().unwrap_or(Ok(()))
    }
}

/// Its payload is a text; anything else cannot be rendered. Counts how many mails are rendered at a time.
#[derive(Default)]
struct TextTemplate {
    busy: AtomicUsize,
    busiest: AtomicUsize,
    store_is_down: AtomicBool,
}

#[async_trait]
impl EmailTemplate for TextTemplate {
    fn name(&self) -> &'static str {
        "text"
    }

    async fn render(&self, mail: &QueuedMail) -> Result<MailMessage, RenderError> {
        let busy = self.busy.fetch_add(1, Ordering::SeqCst) + 1;
        self.busiest.fetch_max(busy, Ordering::SeqCst);
        tokio::task::yield_now().await;
        self.busy.fetch_sub(1, Ordering::SeqCst);
        if self.store_is_down.load(Ordering::SeqCst) {
            return Err(StoreError::Unavailable("the store is down".into()).into());
        }
        let text: String = mail.content("it is not a text")?;
        let subject = SingleLine::parse("Invoice INV-0001").unwrap();
        let html = format!("<p>{text}</p>");
        Ok(MailMessage::new(mail.to.clone(), subject, text, html))
    }
}

struct TestApp {
    queue: Arc<MemoryQueue>,
    server: Arc<Scripted>,
    template: Arc<TextTemplate>,
    clock: FixedClock,
    ids: CountingIds,
    mail_worker: MailWorker,
}

impl TestApp {
    fn new(answers: impl IntoIterator<Item = Result<(), MailTransportError>>) -> Self {
        Self::with(Scripted { answers: Mutex::new(answers.into_iter().collect()), ..Scripted::default() })
    }

    fn with(server: Scripted) -> Self {
        let (queue, clock) = (Arc::new(MemoryQueue::default()), FixedClock::default());
        let server = Arc::new(server);
        let template = Arc::new(TextTemplate::default());
        let templates: Arc<dyn EmailTemplate> = template.clone();
        let mail_worker = MailWorker {
            correspondence: None,
            jobs: JobContext {
                queue: queue.clone(),
                clock: Arc::new(clock.clone()),
                max_concurrent: NonZeroU32::new(3).unwrap(),
            },
            templates: [templates].into_iter().collect(),
            transport: server.clone(),
            throttle: WorkThrottle::at_most(NonZeroUsize::MIN),
        };
        Self { queue, server, template, clock, ids: CountingIds::default(), mail_worker }
    }

    fn queue_one(&self) -> MailId {
        self.queue_mail("text", json!("Hello Ada"))
    }

    async fn lease_one(&self) -> Leased<MailTask> {
        let now = self.clock.now();
        let due = Due { kind: MailTask::KIND, now, lease_for: LEASE, limit: 1, held_at_most: None };
        let Leased { lease, queued_at, letterhead, payload } =
            self.queue.lease_due(due).await.unwrap().remove(0);
        Leased { lease, queued_at, letterhead, payload: serde_json::from_str(&payload).unwrap() }
    }

    fn queue_mail(&self, template: &'static str, payload: Value) -> MailId {
        let now = self.clock.now();
        let mail = NewMail {
            id: Id::new(&self.ids, now),
            account: Id::new(&self.ids, now),
            resource_id: None,
            template,
            audience: Audience::Customer,
            to: EmailAddress::parse("ada@example.com").unwrap(),
            payload,
            queued_at: now,
        };
        let id = mail.id;
        self.queue.put(mail.into_job());
        id
    }

    fn sent(&self) -> Vec<RenderedMail> {
        self.server.sent.lock().unwrap().clone()
    }

    /// Sends what is due and returns how many attempts it made.
    async fn round(&self) -> usize {
        outbox::run_until_idle(Arc::new(self.mail_worker.clone())).await
    }

    async fn round_after(&self, wait: Duration) -> usize {
        self.clock.advance(wait);
        self.round().await
    }
}

fn busy() -> Result<(), MailTransportError> {
    Err(MailTransportError::Temporary("451 try again later".to_owned()))
}

#[tokio::test]
async fn sent_mail_is_not_sent_again() {
    let app = TestApp::new([]);
    let id = app.queue_one();
    assert_eq!(app.round().await, 1);
    let at = FixedClock::START;
    assert_eq!(app.queue.last_outcome(id), Some(Outcome::Done { at }));
    assert_eq!(app.round_after(Duration::days(2)).await, 0);
    let sent: Vec<_> = app.sent().iter().map(|mail| mail.id).collect();
    assert_eq!(sent, [id]);
}

#[tokio::test]
async fn busy_server_is_tried_again_after_each_wait() {
    let app = TestApp::new([busy(), busy()]);
    let id = app.queue_one();
    assert_eq!(app.round().await, 1);
    assert_eq!(
        app.queue.last_outcome(id),
        Some(Outcome::Retry {
            at: FixedClock::START,
            next_attempt_at: FixedClock::START + Duration::seconds(10),
            reason: "451 try again later".to_owned(),
        })
    );
    assert_eq!(app.round_after(Duration::seconds(9)).await, 0);
    assert_eq!(app.round_after(Duration::seconds(1)).await, 1);
    assert_eq!(app.round_after(Duration::seconds(59)).await, 0);
    assert_eq!(app.round_after(Duration::seconds(1)).await, 1);
    let at = FixedClock::START + Duration::seconds(70);
    assert_eq!(app.queue.last_outcome(id), Some(Outcome::Done { at }));
}

#[tokio::test]
async fn permanent_refusal_ends_the_attempts_and_keeps_the_reason() {
    let refusal = MailTransportError::Permanent("550 5.1.1 no such\r\nmailbox".to_owned());
    let app = TestApp::new([Err(refusal)]);
    let id = app.queue_one();
    assert_eq!(app.round().await, 1);
    assert_eq!(
        app.queue.last_outcome(id),
        Some(Outcome::GivenUp { at: FixedClock::START, reason: "550 5.1.1 no such mailbox".to_owned() })
    );
    assert_eq!(app.round_after(Duration::days(2)).await, 0);
}

#[tokio::test]
async fn outage_of_more_than_a_day_gives_up_with_the_last_reason() {
    let app = TestApp::new((0..200).map(|_| busy()));
    let id = app.queue_one();
    let mut attempts = app.round().await;
    for _ in 0..30 * 60 {
        attempts += app.round_after(Duration::minutes(1)).await;
    }
    assert!((25..=31).contains(&attempts), "{attempts}");
    let Some(Outcome::GivenUp { at, reason }) = app.queue.last_outcome(id) else {
        panic!("{:?}", app.queue.last_outcome(id))
    };
    let age = at - FixedClock::START;
    assert!(age >= Duration::hours(24) && age < Duration::hours(25), "{age}");
    assert_eq!(reason, "not delivered within 24 hours; the last attempt: 451 try again later");
}

#[tokio::test]
async fn mail_older_than_a_day_gets_one_attempt() {
    let app = TestApp::new([]);
    let id = app.queue_one();
    assert_eq!(app.round_after(Duration::days(3)).await, 1);
    assert!(matches!(app.queue.last_outcome(id), Some(Outcome::Done { .. })));
}

#[tokio::test]
async fn mails_are_prepared_one_at_a_time_while_others_are_at_the_server() {
    let app = TestApp::with(Scripted { together: Some(Barrier::new(3)), ..Scripted::default() });
    for _ in 0..9 {
        app.queue_one();
    }
    assert_eq!(app.round().await, 9);
    let busiest = [&app.template.busiest, &app.server.busiest].map(|most| most.load(Ordering::SeqCst));
    assert_eq!(busiest, [1, 3]);
}

#[tokio::test]
async fn every_attempt_at_a_mail_sends_the_same_message() {
    let app = TestApp::new([busy(), busy()]);
    app.queue_one();
    for wait in [0, 10, 60] {
        app.round_after(Duration::seconds(wait)).await;
    }
    let sent = app.sent();
    assert_eq!(sent.len(), 3);
    assert!(sent.iter().all(|mail| *mail == sent[0]));
}

#[tokio::test]
async fn mail_that_cannot_be_rendered_is_given_up_and_the_others_are_sent() {
    let app = TestApp::new([]);
    let broken = app.queue_mail("text", json!({"no": "text"}));
    let unknown = app.queue_mail("birthday", json!({}));
    let good = app.queue_one();
    assert_eq!(app.round().await, 3);
    let at = FixedClock::START;
    let reason = "the stored payload cannot be read: it is not a text".to_owned();
    assert_eq!(app.queue.last_outcome(broken), Some(Outcome::GivenUp { at, reason }));
    // A later version of the service may know the template.
    let (next_attempt_at, reason) =
        (at + Duration::seconds(10), "there is no template with the name birthday".to_owned());
    assert_eq!(app.queue.last_outcome(unknown), Some(Outcome::Retry { at, next_attempt_at, reason }));
    assert_eq!(app.queue.last_outcome(good), Some(Outcome::Done { at }));
    assert_eq!(app.sent().len(), 1);
}

#[tokio::test]
async fn mail_is_rendered_again_when_the_store_had_failed() {
    let app = TestApp::new([]);
    app.template.store_is_down.store(true, Ordering::SeqCst);
    let id = app.queue_one();
    app.round().await;
    let outcome = app.queue.last_outcome(id);
    assert!(matches!(outcome, Some(Outcome::Retry { .. })), "{outcome:?}");
    assert_eq!(app.sent().len(), 0);
    app.template.store_is_down.store(false, Ordering::SeqCst);
    app.round_after(Duration::seconds(5)).await;
    let at = FixedClock::START + Duration::seconds(5);
    assert_eq!((app.queue.last_outcome(id), app.sent().len()), (Some(Outcome::Done { at }), 1));
}

/// Keeps what is recorded of mails that were not sent.
#[tokio::test]
async fn mail_whose_account_is_switched_off_while_it_waits_for_its_turn_is_not_sent() {
    let app = TestApp::new([]);
    app.queue_one();
    let leased = app.lease_one().await;
    app.queue.hold_customers();
    let waits = async { app.clock.advance(super::RECHECK_AFTER) };
    let (held, ()) = tokio::join!(app.mail_worker.handle(&leased), waits);
    assert!(matches!(held, Err(NotDone::Held)));
    assert_eq!(app.sent(), []);
}

#[tokio::test]
async fn mail_is_not_sent_after_its_lease_has_ended() {
    let app = TestApp::new([]);
    app.queue_one();
    let leased = app.lease_one().await;
    let is_paused = async { app.clock.advance(outbox::LEASE) };
    let (ended, ()) = tokio::join!(app.mail_worker.handle(&leased), is_paused);
    assert!(matches!(ended, Err(NotDone::LeaseEnded)));
    assert_eq!(app.sent(), []);
}
