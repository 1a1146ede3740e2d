//! Mail to customers: the message, the queue it waits in, the schedule of its attempts.
//!
//! Whoever has something to say queues a [`Message`] through [`OutgoingMail`], in the transaction that it tells of: there
//! is a mail exactly when there is what it announces. Afterwards a [`MailWorker`] leases what is due from the [`MailQueue`],
//! hands it to a [`MailTransport`] outside any transaction, and records what came of it. Several processes share one queue;
//! one that is killed in mid-attempt costs that attempt and never the mail (the crate [`outbox`] sees to that). So a mail is
//! delivered at least once, and every attempt carries the same id, by which mail programs drop a second copy.
//!
//! ```
//! use std::num::NonZeroU32;
//! use std::sync::Arc;
//!
//! use kernel::{EmailAddress, Id, Ids, SingleLine, SystemClock, SystemIds, Clock};
//! use mail::memory::MemoryQueue;
//! use mail::{Message, OutgoingMail, Outcome, MailWorker, QueuedMail, MailTransport, MailTransportError};
//!
//! struct Printer;
//!
//! #[async_trait::async_trait]
//! impl MailTransport for Printer {
//!     async fn send(&self, mail: &QueuedMail) -> Result<(), MailTransportError> {
//!         println!("To: {}\nSubject: {}\n\n{}", mail.message.to, mail.message.subject, mail.message.text);
//!         Ok(())
//!     }
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let (ids, now) = (SystemIds::default(), SystemClock.now());
//! let message = Message::new(
//!     EmailAddress::parse("ada@example.com")?,
//!     SingleLine::parse("Invoice INV-0001")?,
//!     "Hello Ada".to_owned(),
//!     "<p>Hello Ada</p>".to_owned(),
//! );
//! // A line break, and with it a header of the sender's choice, gets into no subject.
//! assert!(mail::Subject::parse("Hello\r\nBcc: all@example.com").is_err());
//!
//! let queue = Arc::new(MemoryQueue::default());
//! let mail = QueuedMail { id: Id::new(&ids, now), account: Id::new(&ids, now), about: None, message, queued_at: now };
//! (&*queue).queue(&mail).await?;
//!
//! let worker = MailWorker {
//!     queue: queue.clone(),
//!     transport: Arc::new(Printer),
//!     clock: Arc::new(SystemClock),
//!     max_concurrent: NonZeroU32::MIN,
//! };
//! outbox::run_until_idle(Arc::new(worker)).await;
//! assert!(matches!(queue.last_outcome(mail.id), Some(Outcome::Done { .. })));
//! # Ok(())
//! # }
//! ```

pub mod attachment;
pub mod deliver_due;
pub mod memory;
pub mod message;
pub mod ports;
pub mod queued;
pub mod schedule;
pub mod sealed;

pub use attachment::{Attachment, FileName, MediaType};
pub use deliver_due::MailWorker;
pub use message::{DisplayName, Message, Subject};
pub use outbox::{Outcome, Recorded};
pub use ports::{MailQueue, MailTransport, MailTransportError, OutgoingMail};
pub use queued::{Lease, LeasedMail, MailId, QueuedMail};
pub use sealed::{SealedSecret, Unsealing};
