//! Outgoing mail: templates, the queue, the schedule of its attempts.
//!
//! A transaction queues a [`NewMail`] as a job: the name of a template, the recipient, and a payload with a
//! snapshot of what may change. Nothing is rendered in the transaction. Afterwards a [`MailWorker`] leases
//! what is due, renders it with the [`EmailTemplate`] of that name, hands it to a [`MailTransport`], and
//! records the outcome. Several processes share one queue; if one is killed, its attempts are lost but never
//! a mail (see the crate [`outbox`]). So a mail is delivered at least once. Every attempt has the same
//! `Message-ID` and the same content, so that mail programs drop a second copy.
//!
//! ```
//! use std::num::{NonZeroU32, NonZeroUsize};
//! use std::sync::Arc;
//!
//! use kernel::{Clock, EmailAddress, Id, SingleLine, SystemClock, SystemIds};
//! use mail::{
//!     Audience, EmailTemplate, MailId, MailMessage, MailTransport, MailTransportError, MailWorker, NewMail,
//!     Outcome, QueuedMail, RenderError, RenderedMail, Templates,
//! };
//! use outbox::{JobContext, MemoryQueue, WorkThrottle};
//!
//! struct Greeting;
//!
//! #[async_trait::async_trait]
//! impl EmailTemplate for Greeting {
//!     fn name(&self) -> &'static str {
//!         "greeting"
//!     }
//!     async fn render(&self, mail: &QueuedMail) -> Result<MailMessage, RenderError> {
//!         let name: String = mail.content("it is not a text")?;
//!         let subject = SingleLine::parse("Hello")?;
//!         let (text, html) = (format!("Hello {name}"), format!("<p>Hello {name}</p>"));
//!         Ok(MailMessage::new(mail.to.clone(), subject, text, html))
//!     }
//! }
//!
//! struct Printer;
//!
//! #[async_trait::async_trait]
//! impl MailTransport for Printer {
//!     fn message_id(&self, id: MailId) -> String {
//!         format!("{id}@example.com")
//!     }
//!     fn from_address(&self) -> String {
//!         "invoices@example.com".to_owned()
//!     }
//!     async fn send(&self, mail: &RenderedMail) -> Result<(), MailTransportError> {
//!         println!("To: {}\nSubject: {}\n\n{}", mail.message.to, mail.message.subject, mail.message.text);
//!         Ok(())
//!     }
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let (ids, now) = (SystemIds::default(), SystemClock.now());
//! let queue = Arc::new(MemoryQueue::default());
//! let mail = NewMail {
//!     id: Id::new(&ids, now),
//!     account: Id::new(&ids, now),
//!     resource_id: None,
//!     template: "greeting",
//!     audience: Audience::Customer,
//!     to: EmailAddress::parse("ada@example.com")?,
//!     payload: mail::payload(&"Ada"),
//!     queued_at: now,
//! };
//! let id = mail.id;
//! queue.put(mail.into_job());
//!
//! let worker = MailWorker {
//!     jobs: JobContext {
//!         queue: queue.clone(),
//!         clock: Arc::new(SystemClock),
//!         max_concurrent: NonZeroU32::MIN,
//!     },
//!     templates: [Arc::new(Greeting) as Arc<dyn EmailTemplate>].into_iter().collect::<Templates>(),
//!     transport: Arc::new(Printer),
//!     correspondence: None,
//!     throttle: WorkThrottle::at_most(NonZeroUsize::MIN),
//! };
//! outbox::run_until_idle(Arc::new(worker)).await;
//! assert!(matches!(queue.last_outcome(id), Some(Outcome::Done { .. })));
//! # Ok(())
//! # }
//! ```

pub mod attachment;
pub mod correspondence;
mod deliver_due;
pub mod message;
pub mod notice;
pub mod owner;
mod payload;
pub mod ports;
pub mod queued;
pub mod schedule;
pub mod sealed;
pub mod template;

pub use attachment::{Attachment, FileName, MediaType};
pub use correspondence::{Correspondence, SendDecision};
pub use deliver_due::MailWorker;
pub use message::{DisplayName, MailMessage, Subject, greeting};
pub use notice::{Notice, NoticeEmail};
pub use outbox::{Outcome, Recorded};
pub use owner::{NoticeRecipient, OwnerNotice, SilencedNotices};
pub use payload::{MailTask, payload};
pub use ports::{MailTransport, MailTransportError};
pub use queued::{Audience, MailId, NewMail, QueuedMail, RenderedMail};
pub use sealed::{open_secret, seal_secret};
pub use template::{EmailTemplate, RenderError, Templates};
