//! What comes in: mail as it was read, and the port that reads it.

mod mail;

pub use mail::{Automatic, Bounce, InboundMail, MailReader};
