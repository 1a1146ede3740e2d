//! The mail worker on a queue in memory and a scripted mail server.

use std::collections::VecDeque;
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use kernel::{Clock, EmailAddress, Id, SingleLine};
use testkit::{CountingIds, StillClock};
use time::Duration;

use super::MailWorker;
use crate::memory::MemoryQueue;
use crate::{
    MailId, MailTransport, MailTransportError, Message, Outcome, OutgoingMail, QueuedMail,
};

/// Answers as scripted, then with `Ok`; counts how many mails are at it at a time.
#[derive(Default)]
struct Scripted {
    answers: Mutex<VecDeque<Result<(), MailTransportError>>>,
    sent: Mutex<Vec<MailId>>,
    busy: AtomicUsize,
    busiest: AtomicUsize,
}

#[async_trait]
impl MailTransport for Scripted {
    async fn send(&self, mail: &QueuedMail) -> Result<(), MailTransportError> {
        let busy = self.busy.fetch_add(1, Ordering::SeqCst) + 1;
        self.busiest.fetch_max(busy, Ordering::SeqCst);
        tokio::task::yield_now().await;
        self.busy.fetch_sub(1, Ordering::SeqCst);
        self.sent.lock().unwrap().push(mail.id);
        self.answers.lock().unwrap().pop_front().unwrap_or(Ok(()))
    }
}

struct House {
    queue: Arc<MemoryQueue>,
    server: Arc<Scripted>,
    clock: StillClock,
    ids: CountingIds,
    mail_worker: MailWorker,
}

impl House {
    fn new(answers: impl IntoIterator<Item = Result<(), MailTransportError>>) -> Self {
        let (queue, clock) = (Arc::new(MemoryQueue::default()), StillClock::default());
        let server = Arc::new(Scripted {
            answers: Mutex::new(answers.into_iter().collect()),
            ..Scripted::default()
        });
        let mail_worker = MailWorker {
            queue: queue.clone(),
            transport: server.clone(),
            clock: Arc::new(clock.clone()),
            max_concurrent: NonZeroU32::new(3).unwrap(),
        };
        Self {
            queue,
            server,
            clock,
            ids: CountingIds::default(),
            mail_worker,
        }
    }

    async fn queue_one(&self) -> MailId {
        let now = self.clock.now();
        let message = Message::new(
            EmailAddress::parse("ada@example.com").unwrap(),
            SingleLine::parse("Invoice INV-0001").unwrap(),
            "Hello Ada".to_owned(),
            "<p>Hello Ada</p>".to_owned(),
        );
        let mail = QueuedMail {
            id: Id::new(&self.ids, now),
            account: Id::new(&self.ids, now),
            about: None,
            message,
            queued_at: now,
        };
        (&*self.queue).queue(&mail).await.unwrap();
        mail.id
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
    Err(MailTransportError::Temporary(
        "451 try again later".to_owned(),
    ))
}

#[tokio::test]
async fn a_mail_is_sent_once_and_then_left_alone() {
    let house = House::new([]);
    let id = house.queue_one().await;
    assert_eq!(house.round().await, 1);
    let at = StillClock::START;
    assert_eq!(house.queue.last_outcome(id), Some(Outcome::Done { at }));
    assert_eq!(house.round_after(Duration::days(2)).await, 0);
    assert_eq!(*house.server.sent.lock().unwrap(), [id]);
}

#[tokio::test]
async fn a_server_that_is_busy_gets_the_mail_when_the_waits_are_over() {
    let house = House::new([busy(), busy()]);
    let id = house.queue_one().await;
    assert_eq!(house.round().await, 1);
    assert_eq!(
        house.queue.last_outcome(id),
        Some(Outcome::Retry {
            at: StillClock::START,
            next_attempt_at: StillClock::START + Duration::seconds(10),
            reason: "451 try again later".to_owned(),
        })
    );
    assert_eq!(house.round_after(Duration::seconds(9)).await, 0);
    assert_eq!(house.round_after(Duration::seconds(1)).await, 1);
    assert_eq!(house.round_after(Duration::seconds(59)).await, 0);
    assert_eq!(house.round_after(Duration::seconds(1)).await, 1);
    let at = StillClock::START + Duration::seconds(70);
    assert_eq!(house.queue.last_outcome(id), Some(Outcome::Done { at }));
}

#[tokio::test]
async fn a_refusal_for_good_is_the_end_and_its_reason_is_kept() {
    let refusal = MailTransportError::Permanent("550 5.1.1 no such\r\nmailbox".to_owned());
    let house = House::new([Err(refusal)]);
    let id = house.queue_one().await;
    assert_eq!(house.round().await, 1);
    assert_eq!(
        house.queue.last_outcome(id),
        Some(Outcome::GivenUp {
            at: StillClock::START,
            reason: "550 5.1.1 no such mailbox".to_owned(),
        })
    );
    assert_eq!(house.round_after(Duration::days(2)).await, 0);
}

#[tokio::test]
async fn an_outage_of_more_than_a_day_ends_in_giving_up_with_the_last_reason() {
    let house = House::new((0..200).map(|_| busy()));
    let id = house.queue_one().await;
    let mut attempts = house.round().await;
    for _ in 0..30 * 60 {
        attempts += house.round_after(Duration::minutes(1)).await;
    }
    assert!((25..=31).contains(&attempts), "{attempts}");
    let Some(Outcome::GivenUp { at, reason }) = house.queue.last_outcome(id) else {
        panic!("{:?}", house.queue.last_outcome(id))
    };
    let age = at - StillClock::START;
    assert!(
        age >= Duration::hours(24) && age < Duration::hours(25),
        "{age}"
    );
    assert_eq!(
        reason,
        "not delivered within 24 hours; the last attempt: 451 try again later"
    );
}

#[tokio::test]
async fn a_service_that_was_down_for_days_still_tries_once() {
    let house = House::new([]);
    let id = house.queue_one().await;
    assert_eq!(house.round_after(Duration::days(3)).await, 1);
    assert!(matches!(
        house.queue.last_outcome(id),
        Some(Outcome::Done { .. })
    ));
}

#[tokio::test]
async fn no_more_mails_are_under_way_at_a_time_than_allowed() {
    let house = House::new([]);
    for _ in 0..10 {
        house.queue_one().await;
    }
    assert_eq!(house.round().await, 10);
    assert_eq!(house.server.busiest.load(Ordering::SeqCst), 3);
}
