//! Messages to customers as files, in place of a provider, for trying.
//!
//! [`MessageFiles`] writes each message as `{message_id}.json`, with mode 0600 in a folder of mode 0700: what
//! it says has the link to a payment page. It sends text messages ([`SmsSender`](communications::SmsSender)),
//! and notes e-mails beside them, so that one place shows all that went out.
//!
//! ```
//! use std::sync::Arc;
//!
//! use communications::MessageId;
//! use kernel::{AccountId, Clock, Id, SystemClock, SystemIds};
//! use message_files::MessageFiles;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> std::io::Result<()> {
//! # let root = tempfile::tempdir()?;
//! # let folder = root.path().join("messages");
//! let files = MessageFiles::new(&folder, Arc::new(SystemClock))?;
//! let (ids, now) = (SystemIds::default(), SystemClock.now());
//! let (message, account): (MessageId, AccountId) = (Id::new(&ids, now), Id::new(&ids, now));
//! files.write_mail(message, account, "books@example.com", "ada@example.com", "Thank you.", now).await?;
//!
//! let text = std::fs::read_to_string(folder.join(format!("{message}.json")))?;
//! assert!(text.contains(r#""channel":"email","from":"books@example.com""#));
//! # Ok(())
//! # }
//! ```

mod message_file;
mod message_files;
mod sms;

pub use message_files::MessageFiles;
