//! Reads inbound mail: its newest text, which mail it answers, and whether a person wrote it.
//!
//! Quoted text and signatures are cut, in plain text and in HTML; automatic replies, bounces, mailing lists
//! and loops are recognised (RFC 3834, RFC 3464). Attachments are counted and not opened. No content makes
//! reading fail: at most 200 parts and 256 KiB of headers are read, and of a message in a message its
//! headers.
//!
//! ```
//! use communications::MailReader;
//! use mail_inbound::MimeReader;
//!
//! let raw = b"From: Ada <ada@example.com>\r\nIn-Reply-To: <1@shop.example>\r\n\r\n\
//!     I lost my job.\r\n\r\nOn 1 Dec 2026, Shop wrote:\r\n> Please pay.\r\n";
//! let mail = MimeReader.read(raw).unwrap();
//! assert_eq!((mail.text.as_str(), mail.in_reply_to.as_slice()), ("I lost my job.", ["1@shop.example".into()].as_slice()));
//! ```

mod answered;
mod automatic;
mod bodies;
mod bounce;
mod characters;
mod headers;
mod html_text;
mod newest_text;
mod outline;
mod reader;
mod reply_headers;
mod signatures;

pub use reader::MimeReader;
