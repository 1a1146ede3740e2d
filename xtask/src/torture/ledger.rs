//! What clients recorded: responses, and requests without one.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use uuid::Uuid;

use super::caller::Answer;

/// The outcome of a request, as far as it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    /// It was done.
    Done,
    /// It was not done, and will not be.
    Refused,
    /// Nothing that says which: a process was killed, a connection broke off, the store failed.
    Nothing,
}

/// A payment that was sent, by its reference.
#[derive(Debug, Clone)]
pub(super) struct Paid {
    pub(super) invoice: Uuid,
    pub(super) cents: i64,
    pub(super) outcome: Outcome,
}

/// An escalation that was raised, by its statement.
#[derive(Debug, Clone)]
pub(super) struct Raised {
    /// Known once it was acknowledged.
    pub(super) id: Option<Uuid>,
    /// Whether it was to be resolved, and the outcome of that.
    pub(super) resolved: Option<Outcome>,
}

/// An acknowledged invoice.
#[derive(Debug, Clone, Default)]
pub(super) struct CreatedInvoice {
    pub(super) account: Uuid,
    pub(super) number: String,
    /// The total in cents that was acknowledged last; `None` while its lines may have been amended and
    /// the outcome is unknown.
    pub(super) total: Option<i64>,
    /// The reference of the last amendment that was acknowledged.
    pub(super) reference: Option<String>,
    /// Those that came after it and of which nothing is known.
    pub(super) perhaps: Vec<String>,
    /// Whether a cancellation was acknowledged.
    pub(super) cancelled: bool,
}

/// The first answer under an idempotency key.
#[derive(Debug, Clone, Default)]
pub(super) struct First {
    /// The id of what was made or found.
    pub(super) id: Uuid,
    /// Its status.
    pub(super) status: u16,
    /// The bytes of its body.
    pub(super) answer: Vec<u8>,
    /// The request that it answers.
    pub(super) request: Vec<u8>,
}

/// How it went, in numbers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Counts {
    /// Requests that got their final answer.
    pub(super) answered: u64,
    /// Requests that were given up.
    pub(super) given_up: u64,
    /// Tries that were answered 5xx.
    pub(super) failed: u64,
    /// Tries at an address where no service listened.
    pub(super) refused: u64,
    /// Tries whose connection, kept from an earlier request, was closed between the two or before a byte of
    /// the answer.
    pub(super) closed: u64,
    /// The same on a connection of their own, or with a request that HTTP does not let a client repeat.
    pub(super) cut_off: u64,
    /// Tries whose answer broke off in the middle.
    pub(super) torn: u64,
    /// Tries that met a twin of theirs that was still being worked on.
    pub(super) in_flight: u64,
}

impl Counts {
    /// How many tries were not the last one.
    pub(super) const fn again(&self) -> u64 {
        self.failed + self.refused + self.closed + self.cut_off + self.torn + self.in_flight
    }

    /// What was added since.
    pub(super) const fn since(&self, before: &Self) -> Self {
        Self {
            answered: self.answered - before.answered,
            given_up: self.given_up - before.given_up,
            failed: self.failed - before.failed,
            refused: self.refused - before.refused,
            closed: self.closed - before.closed,
            cut_off: self.cut_off - before.cut_off,
            torn: self.torn - before.torn,
            in_flight: self.in_flight - before.in_flight,
        }
    }
}

/// Everything that was answered.
#[derive(Debug, Default)]
pub(super) struct Responses {
    /// The first answer under each idempotency key.
    pub(super) keys: BTreeMap<String, First>,
    pub(super) invoices: BTreeMap<Uuid, CreatedInvoice>,
    pub(super) contacts: BTreeMap<Uuid, Uuid>,
    pub(super) payments: BTreeMap<String, Paid>,
    pub(super) escalations: BTreeMap<String, Raised>,
    /// Answers that were wrong whatever the database holds.
    pub(super) wrong: Vec<String>,
    pub(super) counts: Counts,
    /// How many final answers each client got; all of them are in here from the beginning.
    pub(super) answered_by: BTreeMap<u64, u64>,
    /// When each try was answered, and how long that took.
    pub(super) took: Vec<(Instant, Duration)>,
    /// The service that answered last.
    pub(super) target: Option<SocketAddr>,
    /// How many requests under each API key got their final answer, and how many tries were answered 5xx.
    pub(super) by_account: BTreeMap<String, (u64, u64)>,
    /// When a request last failed, and why.
    pub(super) trouble: Option<(Instant, String)>,
}

/// Written by all clients at once.
#[derive(Debug, Default)]
pub(super) struct Ledger(Mutex<Responses>);

impl Ledger {
    /// To read or to add.
    pub(super) fn open(&self) -> MutexGuard<'_, Responses> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Responses {
    /// Notes the answer to a request under a key; every later one has to have the same status and bytes.
    pub(super) fn answered(&mut self, key: &str, id: Uuid, answer: &Answer, request: &[u8]) {
        let first = self.keys.entry(key.to_owned()).or_insert_with(|| First {
            id,
            status: answer.status,
            answer: answer.body.clone(),
            request: request.to_vec(),
        });
        if first.status != answer.status || first.answer != answer.body {
            self.wrong.push(format!("{key}: two answers under one idempotency key, the later one of {id}"));
        }
    }

    /// Notes that a request failed just now.
    pub(super) fn trouble(&mut self, why: impl Into<String>) {
        self.trouble = Some((Instant::now(), why.into()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_answer_under_the_same_key_is_wrong() {
        let mut responses = Responses::default();
        let (one, other) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let answer = |status: u16, body: &str| Answer {
            status,
            location: String::new(),
            body: body.as_bytes().to_vec(),
        };
        responses.answered("a", one, &answer(201, "{}"), b"");
        responses.answered("a", one, &answer(201, "{}"), b"");
        responses.answered("b", other, &answer(201, "[]"), b"");
        assert!(responses.wrong.is_empty() && responses.keys.len() == 2);
        responses.answered("a", other, &answer(201, "[]"), b"");
        responses.answered("a", one, &answer(200, "{}"), b"");
        assert_eq!(responses.wrong.len(), 2);
        assert_eq!(responses.keys["a"].id, one, "the first one counts");
    }
}
