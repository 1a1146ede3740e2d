//! Stored responses, and the outcome of a request with a ticket.

use crate::key::Ticket;

/// A finished response as it was sent to the caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredResponse {
    pub status: u16,
    /// The body's bytes; a replay sends exactly these.
    pub body: Vec<u8>,
}

/// How a use case makes its response: under which ticket, if any, and how its result becomes bytes.
///
/// The caller provides `present`, so that a domain crate stores responses in its own transaction without
/// knowing their form.
pub struct Once<'a, T> {
    /// The request's ticket; `None` when the caller sent no key.
    pub ticket: Option<&'a Ticket>,
    /// Turns the result into the response.
    pub present: &'a (dyn Fn(&T) -> StoredResponse + Send + Sync),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IdempotentOutcome {
    /// It was executed now. The response was stored if there was a ticket.
    Fresh(StoredResponse),
    /// It was executed before; this is the stored response.
    Replayed(StoredResponse),
    /// The key was used before with another body; this is the response of that request.
    KeyReused(StoredResponse),
    /// A request with this key is being executed now.
    InFlight,
}
