//! Communications with customers: what the service sends them, what they answer, and what it understands.
//!
//! ```
//! use communications::{MessageType, classify};
//! use time::macros::date;
//!
//! let understood = classify("I will pay on Friday", date!(2026 - 12 - 01));
//! assert_eq!(understood.message_type, MessageType::Promise);
//! assert_eq!(understood.date, Some(date!(2026 - 12 - 04)));
//! ```

#![warn(missing_docs)]

pub mod classification;
pub mod inbound;

pub use classification::{Classification, MessageType, classify};
pub use inbound::{Automatic, Bounce, InboundMail, MailReader};
