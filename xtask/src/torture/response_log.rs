//! The record that clients keep: responses, and requests without one.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use uuid::Uuid;

use super::response::Response;

/// The outcome of a request, as far as it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    /// The request was carried out.
    Done,
    /// The request was not carried out, and will not be.
    Refused,
    /// A process was killed, a connection broke off, or the store failed.
    Unknown,
}

/// A payment that was sent, by its reference.
#[derive(Debug, Clone)]
pub(super) struct SentPayment {
    pub(super) invoice: Uuid,
    pub(super) cents: i64,
    pub(super) outcome: Outcome,
}

/// An escalation that was raised, by its statement.
#[derive(Debug, Clone)]
pub(super) struct SentEscalation {
    /// Known once it was acknowledged.
    pub(super) id: Option<Uuid>,
    /// Whether it was requested to be resolved, and the outcome of that request.
    pub(super) resolved: Option<Outcome>,
}

/// An acknowledged invoice.
#[derive(Debug, Clone, Default)]
pub(super) struct CreatedInvoice {
    pub(super) account: Uuid,
    pub(super) number: String,
    /// The last acknowledged total in cents; `None` while the outcome of an amendment of its lines is
    /// unknown.
    pub(super) total: Option<i64>,
    /// The reference of the last acknowledged amendment.
    pub(super) reference: Option<String>,
    /// The references of later amendments whose outcome is unknown.
    pub(super) unconfirmed_references: Vec<String>,
    /// Whether a cancellation was acknowledged.
    pub(super) cancelled: bool,
}

/// The first response under an idempotency key.
#[derive(Debug, Clone, Default)]
pub(super) struct FirstResponse {
    /// The id of the created or found record.
    pub(super) id: Uuid,
    /// Its status.
    pub(super) status: u16,
    /// The bytes of its body.
    pub(super) body: Vec<u8>,
    /// The request that got this response.
    pub(super) request: Vec<u8>,
}

/// Counts of requests and tries.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Counts {
    /// Requests that got a final response.
    pub(super) answered: u64,
    /// Requests that were given up.
    pub(super) given_up: u64,
    /// Tries that got 5xx.
    pub(super) failed: u64,
    /// Tries at an address where no service listened.
    pub(super) refused: u64,
    /// Tries on a kept connection that was closed since the last request or before the first byte of the
    /// response.
    pub(super) closed: u64,
    /// Tries whose new connection was closed in this way, or whose request HTTP does not let a client repeat.
    pub(super) cut_off: u64,
    /// Tries whose response broke off.
    pub(super) broken_off: u64,
    /// Tries that were refused because a request with the same key was in progress.
    pub(super) in_flight: u64,
}

impl Counts {
    /// How many tries were not the last one of their request.
    pub(super) const fn retries(&self) -> u64 {
        self.failed + self.refused + self.closed + self.cut_off + self.broken_off + self.in_flight
    }

    /// The difference to earlier counts.
    pub(super) const fn since(&self, before: &Self) -> Self {
        Self {
            answered: self.answered - before.answered,
            given_up: self.given_up - before.given_up,
            failed: self.failed - before.failed,
            refused: self.refused - before.refused,
            closed: self.closed - before.closed,
            cut_off: self.cut_off - before.cut_off,
            broken_off: self.broken_off - before.broken_off,
            in_flight: self.in_flight - before.in_flight,
        }
    }
}

/// All responses.
#[derive(Debug, Default)]
pub(super) struct Responses {
    /// The first response under each idempotency key.
    pub(super) keys: BTreeMap<String, FirstResponse>,
    pub(super) invoices: BTreeMap<Uuid, CreatedInvoice>,
    pub(super) contacts: BTreeMap<Uuid, Uuid>,
    pub(super) payments: BTreeMap<String, SentPayment>,
    pub(super) escalations: BTreeMap<String, SentEscalation>,
    /// Responses that are wrong whatever the database contains.
    pub(super) wrong: Vec<String>,
    pub(super) counts: Counts,
    /// How many final responses each client got; contains all clients from the beginning.
    pub(super) responses_by_client: BTreeMap<u64, u64>,
    /// When each try got its response, and how long that took.
    pub(super) latencies: Vec<(Instant, Duration)>,
    /// The service that sent the last response.
    pub(super) target: Option<SocketAddr>,
    /// How many requests with each API key got a final response, and how many tries got 5xx.
    pub(super) by_account: BTreeMap<String, (u64, u64)>,
    /// When a request last failed, and why.
    pub(super) last_failure: Option<(Instant, String)>,
}

/// The record, shared by all clients.
#[derive(Debug, Default)]
pub(super) struct ResponseLog(Mutex<Responses>);

impl ResponseLog {
    /// Locks the record for reading or adding.
    pub(super) fn lock(&self) -> MutexGuard<'_, Responses> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Responses {
    /// Records the response to a request under a key; every later one must have the same status and bytes.
    pub(super) fn record_response(&mut self, key: &str, id: Uuid, response: &Response, request: &[u8]) {
        let first = self.keys.entry(key.to_owned()).or_insert_with(|| FirstResponse {
            id,
            status: response.status,
            body: response.body.clone(),
            request: request.to_vec(),
        });
        if first.status != response.status || first.body != response.body {
            self.wrong.push(format!("{key}: two answers under one idempotency key, the later one of {id}"));
        }
    }

    /// Records that a request failed now.
    pub(super) fn record_failure(&mut self, why: impl Into<String>) {
        self.last_failure = Some((Instant::now(), why.into()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn different_response_under_the_same_key_is_wrong() {
        let mut responses = Responses::default();
        let (one, other) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let response = |status: u16, body: &str| Response {
            status,
            location: String::new(),
            body: body.as_bytes().to_vec(),
        };
        responses.record_response("a", one, &response(201, "{}"), b"");
        responses.record_response("a", one, &response(201, "{}"), b"");
        responses.record_response("b", other, &response(201, "[]"), b"");
        assert!(responses.wrong.is_empty() && responses.keys.len() == 2);
        responses.record_response("a", other, &response(201, "[]"), b"");
        responses.record_response("a", one, &response(200, "{}"), b"");
        assert_eq!(responses.wrong.len(), 2);
        assert_eq!(responses.keys["a"].id, one, "the first one counts");
    }
}
