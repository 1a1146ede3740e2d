//! Mail transports: SMTP, and `.eml` files in a folder.
//!
//! [`SmtpTransport`] sends to the operator's mail server; [`EmlTransport`], for use without a server, writes
//! each mail as a file that mail programs open. Both use the same bytes ([`compose`]) at each attempt: the
//! id, the date and the boundaries come from the mail itself, so that a mail program that receives it twice
//! shows it once.
//!
//! TLS is rustls with the process's crypto provider, ring (which lettre's feature `ring` also falls back to).
//!
//! ```no_run
//! use mail_lettre::{EmlTransport, SenderAddress, SmtpTransport, SmtpUrl};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let (url, sender) = (
//!     SmtpUrl::parse("smtp://user:secret@mail.example.com?tls=required")?,
//!     SenderAddress::parse("invoices@example.com")?,
//! );
//! let smtp = SmtpTransport::new(url, sender.clone(), None)?;
//! assert!(!format!("{smtp:?}").contains("secret"));
//! let files = EmlTransport::new("data/mail", sender)?;
//! # Ok(())
//! # }
//! ```

pub mod compose;
mod conversation;
pub mod eml;
#[cfg(test)]
mod fixture;
mod headers;
pub mod sender;
mod session;
pub mod setup_error;
pub mod smtp;
pub mod smtp_url;

pub use eml::EmlTransport;
pub use sender::SenderAddress;
pub use setup_error::SetupError;
pub use smtp::SmtpTransport;
pub use smtp_url::SmtpUrl;
