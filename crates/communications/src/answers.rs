//! Answers of the owner to a customer's message, in its thread.
//!
//! An answer is not a reminder: it needs no permit and no consent, and does not count as one. It is refused,
//! or dropped if already queued, while communications are off, if the number opted out of text messages, if
//! mail to the address bounced, or if no provider sends text messages. It is also refused when the account's
//! text messages for the month are used up.

pub(crate) mod email;
pub(crate) mod payload;
pub(crate) mod service;
pub(crate) mod worker;
