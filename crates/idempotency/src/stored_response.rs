//! StoredResponses that are kept, and what becomes of a request that has a ticket.

use crate::key::Ticket;

/// A finished answer as it went to the caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredResponse {
    /// The HTTP status.
    pub status: u16,
    /// The body's bytes; a replay sends exactly these.
    pub body: Vec<u8>,
}

/// How a use case is to answer: under which ticket, if any, and how its result becomes bytes.
///
/// The presenter comes from the front, so that a domain crate writes answers into its own transaction without knowing
/// what they look like.
pub struct Once<'a, T> {
    /// The request's ticket; `None` when the caller sent no key.
    pub ticket: Option<&'a Ticket>,
    /// Turns the result into the answer.
    pub present: &'a (dyn Fn(&T) -> StoredResponse + Send + Sync),
}

/// What became of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IdempotentOutcome {
    /// It was done now; the answer is the first one, and kept if there was a ticket.
    Fresh(StoredResponse),
    /// It was done before; this is the stored response.
    Replayed(StoredResponse),
    /// The key was used before with another body; this is the first one's answer.
    KeyReused(StoredResponse),
    /// A request with this key is being worked on now.
    InFlight,
}
