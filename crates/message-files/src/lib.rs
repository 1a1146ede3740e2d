//! Messages to customers as files, in place of a provider, for trying the service out.
//!
//! [`MessageFiles`] writes each message as `{message_id}.json`, with mode 0600 in a folder of mode 0700: its
//! text has the link to a payment page. It sends text messages ([`SmsSender`](communications::SmsSender)),
//! and records e-mails beside them, so that one place shows all outgoing messages.
//!
//! ```
//! use std::sync::Arc;
//!
//! use communications::{MailCopies as _, MailCopy};
//! use kernel::{Clock, Id, SystemClock, SystemIds};
//! use message_files::MessageFiles;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> std::io::Result<()> {
//! # let root = tempfile::tempdir()?;
//! # let folder = root.path().join("messages");
//! let files = MessageFiles::new(&folder, Arc::new(SystemClock))?;
//! let (ids, now) = (SystemIds::default(), SystemClock.now());
//! let copy = MailCopy {
//!     id: Id::new(&ids, now),
//!     account: Id::new(&ids, now),
//!     from: "books@example.com".to_owned(),
//!     to: "ada@example.com".to_owned(),
//!     text: "Thank you.".to_owned(),
//!     at: now,
//! };
//! files.keep(&copy).await.unwrap();
//!
//! let text = std::fs::read_to_string(folder.join(format!("{}.json", copy.id)))?;
//! assert!(text.contains(r#""channel":"email","from":"books@example.com""#));
//! # Ok(())
//! # }
//! ```

mod message_file;
mod message_files;
mod sms;

pub use message_files::MessageFiles;
