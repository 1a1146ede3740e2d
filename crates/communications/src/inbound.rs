//! Inbound messages: reading mail, the inbox, and which account a message belongs to.

mod close_address;
pub mod handle;
pub mod inbox;
mod mail;
mod matching;
pub mod model_classifier;
mod opt_out_keyword;
mod own_mail;
mod parsed_message;
pub mod quarantine;
mod question_limit;
mod quote;
mod receipt;
pub mod receive;
mod reply;
mod sent_words;
pub mod worker;

pub use mail::{Automatic, Bounce, InboundMail, MailReader};
