//! Rows of `idempotency_keys`, and the result of a claim.

use diesel::prelude::*;
use idempotency::{Fingerprint, IdempotentOutcome, StoredResponse, Ticket};
use kernel::StoreResult;

use super::row_ref::RowRef;
use crate::schema::idempotency_keys;
use crate::types::RowId;

/// A response to store. The database sets `stored_at`.
#[derive(Debug, Insertable)]
#[diesel(table_name = idempotency_keys, treat_none_as_default_value = false)]
pub struct StoredResponseRow {
    pub account_id: RowId,
    pub operation: &'static str,
    pub key: String,
    pub fingerprint: Vec<u8>,
    pub status: i32,
    pub body: Vec<u8>,
}

impl StoredResponseRow {
    pub fn new(account_id: RowId, ticket: &Ticket, response: &StoredResponse) -> Self {
        Self {
            account_id,
            operation: ticket.operation.name(),
            key: ticket.key.as_str().to_owned(),
            fingerprint: ticket.fingerprint.as_bytes().to_vec(),
            status: response.status.into(),
            body: response.body.clone(),
        }
    }
}

/// The result of a claim: whether the key could be locked, and the stored response if there is one.
#[derive(Debug, Queryable)]
pub struct ClaimRow {
    /// Whether this transaction holds the lock of the key.
    pub locked: bool,
    fingerprint: Option<Vec<u8>>,
    status: Option<i32>,
    body: Option<Vec<u8>>,
}

impl ClaimRow {
    /// Whether this transaction holds the key, and no response is stored.
    #[must_use]
    pub const fn is_fresh(&self) -> bool {
        self.locked && self.status.is_none()
    }

    /// The outcome for a request with this ticket, if a response is stored.
    pub fn settled(self, account: RowId, ticket: &Ticket) -> StoreResult<Option<IdempotentOutcome>> {
        let (Some(fingerprint), Some(status), Some(body)) = (self.fingerprint, self.status, self.body) else {
            return Ok(None);
        };
        let row_ref = RowRef { table: "idempotency_keys", id: account };
        let fingerprint = Fingerprint::from_bytes(row_ref.bytes32("fingerprint", &fingerprint)?);
        let status = row_ref.count("status", status.into())?;
        let response = StoredResponse { status, body };
        Ok(Some(if fingerprint == ticket.fingerprint {
            IdempotentOutcome::Replayed(response)
        } else {
            IdempotentOutcome::KeyReused(response)
        }))
    }
}
