//! Mails the link to an invoice's payment page to the invoice's contact, on request with number and e-mail
//! address.
//!
//! While the reader waits, only the request is stored. A worker later looks up whether number and address
//! match, so neither the response nor its time depends on the result.

mod email;
mod payload;
mod request;
mod worker;

pub use email::PayLinkEmail;
pub use request::PayLinkRequest;
pub use worker::PayLinkWorker;
