//! Stored responses, and the outcome of a request with a ticket.

use std::fmt;

use crate::key::Ticket;

/// A finished response as it was sent to the caller.
#[derive(Clone, PartialEq, Eq)]
pub struct StoredResponse {
    pub status: u16,
    /// The body's bytes, repeated exactly by a replay.
    pub body: Vec<u8>,
}

/// Without the body: it may hold a new key or signing secret.
impl fmt::Debug for StoredResponse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoredResponse").field("status", &self.status).finish_non_exhaustive()
    }
}

/// How a use case makes its response: under which ticket, if any, and with which conversion to bytes.
///
/// An error of a use case is not stored, and may hide a stored response: with a ticket, the caller passes the
/// error's response to [`store_error_response`](crate::store_error_response), and returns what that returns.
///
/// The caller provides `present`, so that a domain crate can store responses in its own transaction without
/// knowing their format.
pub struct IdempotentResponse<'a, T> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_output_of_a_response_leaves_out_its_body() {
        let response = StoredResponse { status: 201, body: b"ct_live_secret".to_vec() };
        let printed = format!("{:?}", IdempotentOutcome::Replayed(response));
        assert_eq!(printed, "Replayed(StoredResponse { status: 201, .. })");
    }
}
