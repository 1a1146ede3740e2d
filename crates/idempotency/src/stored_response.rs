//! Stored responses, and the outcome of a request with a ticket.

use crate::key::Ticket;

/// A finished response as it was sent to the caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredResponse {
    pub status: u16,
    /// The body's bytes, repeated exactly by a replay.
    pub body: Vec<u8>,
}

/// How a use case makes its response: under which ticket, if any, and with which conversion to bytes.
///
/// An error of a use case is not stored, and may hide a stored response: with a ticket, the caller passes the
/// error's response to [`store_error_response`](crate::store_error_response), and returns what that returns.
///
/// The caller provides `present`, so that a domain crate can store responses in its own transaction without
/// knowing their format.
pub struct Once<'a, T> {
    /// The request's ticket; `None` when the caller sent no key.
    pub ticket: Option<&'a Ticket>,
    /// Converts the result into the response.
    pub present: &'a (dyn Fn(&T) -> StoredResponse + Send + Sync),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IdempotentOutcome {
    /// The request was carried out now. The response was stored if there was a ticket.
    Fresh(StoredResponse),
    /// The request was carried out before; this is the stored response.
    Replayed(StoredResponse),
    /// The key was used before with another body; this is the response to that request.
    KeyReused(StoredResponse),
    /// A request with this key is being carried out now.
    InFlight,
}
