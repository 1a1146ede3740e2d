//! Mailing the link to an invoice's payment page to its contact, who asks for it with number and address.
//!
//! The request alone is stored while the reader waits. Whether they match is looked up afterwards, by a
//! worker: neither the answer nor the time that it takes depends on it.

mod email;
mod payload;
mod request;
mod worker;

pub use email::PayLinkEmail;
pub use request::PayLinkRequest;
pub use worker::PayLinkWorker;
