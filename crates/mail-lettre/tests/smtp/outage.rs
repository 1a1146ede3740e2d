//! The mail worker while the mail server is down.

use std::num::{NonZeroU32, NonZeroUsize};
use std::sync::Arc;

use async_trait::async_trait;
use kernel::{EmailAddress, Id, SingleLine};
use mail::{
    Audience, EmailTemplate, MailId, MailMessage, MailWorker, NewMail, Outcome, QueuedMail, RenderError,
};
use outbox::{JobContext, MemoryQueue, WorkThrottle};
use testkit::{CountingIds, FixedClock};
use time::Duration;

use super::server::{Server, Taken};
use super::transport;

/// A template that says hello.
struct Hello;

#[async_trait]
impl EmailTemplate for Hello {
    fn name(&self) -> &'static str {
        "hello"
    }

    async fn render(&self, mail: &QueuedMail) -> Result<MailMessage, RenderError> {
        let subject = SingleLine::parse("Hello").expect("a short line");
        Ok(MailMessage::new(mail.to.clone(), subject, "Hello".to_owned(), "<p>Hello</p>".to_owned()))
    }
}

struct Run {
    queue: Arc<MemoryQueue>,
    clock: FixedClock,
    mail_worker: MailWorker,
    mail: MailId,
    ids: CountingIds,
}

fn queue_mail(queue: &MemoryQueue, ids: &CountingIds, to: &str) -> MailId {
    let id = Id::new(ids, FixedClock::START);
    let mail = NewMail {
        id,
        account: Id::new(ids, FixedClock::START),
        resource_id: None,
        template: "hello",
        audience: Audience::Customer,
        to: EmailAddress::parse(to).expect("an address"),
        payload: mail::payload(&()),
        queued_at: FixedClock::START,
    };
    queue.put(mail.into_job());
    id
}

impl Run {
    /// A queue with one mail, for a server that is at this port at times.
    async fn before(port: u16) -> Self {
        let (queue, clock) = (Arc::new(MemoryQueue::default()), FixedClock::default());
        let ids = CountingIds::default();
        let mail = queue_mail(&queue, &ids, "ada@example.com");
        let template: Arc<dyn EmailTemplate> = Arc::new(Hello);
        let mail_worker = MailWorker {
            correspondence: None,
            jobs: JobContext {
                queue: queue.clone(),
                clock: Arc::new(clock.clone()),
                max_concurrent: NonZeroU32::MIN,
            },
            templates: [template].into_iter().collect(),
            transport: Arc::new(transport(&format!("smtp://127.0.0.1:{port}"))),
            throttle: WorkThrottle::at_most(NonZeroUsize::MIN),
        };
        Self { queue, clock, mail_worker, mail, ids }
    }

    /// Lets time pass, sends what is due and returns how many attempts it made.
    async fn round_after(&self, wait: Duration) -> usize {
        self.clock.advance(wait);
        outbox::run_until_idle(Arc::new(self.mail_worker.clone())).await
    }

    fn outcome(&self) -> Outcome {
        self.queue.last_outcome(self.mail).expect("there was an attempt")
    }
}

/// A port on which nothing listens, since its server has ended.
fn free_port(taken: &Taken) -> u16 {
    Server::start(taken.folder(), 0, &[]).port
}

#[tokio::test]
async fn a_mail_outlasts_an_outage_and_arrives_once() {
    let Some(taken) = Taken::if_there_is_a_server() else {
        return;
    };
    let port = free_port(&taken);
    let run = Run::before(port).await;
    for wait in [Duration::ZERO, Duration::seconds(10), Duration::minutes(1)] {
        assert_eq!(run.round_after(wait).await, 1);
        let Outcome::Retry { reason, .. } = run.outcome() else { panic!("{:?}", run.outcome()) };
        assert!(reason.contains("refused"), "{reason}");
    }
    let _server = Server::start(taken.folder(), port, &[]);
    // That the server is back is noticed when the next attempt is due, not before.
    assert_eq!(run.round_after(Duration::minutes(4)).await, 0);
    assert_eq!(run.round_after(Duration::minutes(1)).await, 1);
    assert!(matches!(run.outcome(), Outcome::Done { .. }));
    assert_eq!(run.round_after(Duration::days(1)).await, 0);
    let arrived = taken.mails();
    assert_eq!(arrived.len(), 1);
    let message_id = format!("\r\nMessage-ID: <{}@example.com>\r\n", run.mail);
    assert!(arrived[0].contains(&message_id));
}

#[tokio::test]
async fn a_server_that_goes_and_comes_back_is_met_on_a_new_connection() {
    let Some(taken) = Taken::if_there_is_a_server() else {
        return;
    };
    let server = Server::start(taken.folder(), 0, &[]);
    let port = server.port;
    let run = Run::before(port).await;
    assert_eq!(run.round_after(Duration::ZERO).await, 1);
    drop(server);
    // The connection of the first mail is kept and dead by now.
    let second = queue_mail(&run.queue, &run.ids, "grace@example.com");
    assert_eq!(run.round_after(Duration::ZERO).await, 1);
    let outcome = run.queue.last_outcome(second);
    assert!(matches!(outcome, Some(Outcome::Retry { .. })), "{outcome:?}");
    let _server = Server::start(taken.folder(), port, &[]);
    assert_eq!(run.round_after(Duration::seconds(10)).await, 1);
    let outcome = run.queue.last_outcome(second);
    assert!(matches!(outcome, Some(Outcome::Done { .. })), "{outcome:?}");
}
