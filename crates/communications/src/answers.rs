//! What the owner answers to a customer's message, in its thread.
//!
//! An answer is no reminder: it needs no permit and no consent, and it does not count as one. It waits while
//! communications are off, and it does not go to a number that opted out of text messages.

pub(crate) mod email;
pub(crate) mod payload;
pub(crate) mod service;
pub(crate) mod worker;
