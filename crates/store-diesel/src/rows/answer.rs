//! Rows of `kept_answers`, and what a claim finds of one.

use diesel::prelude::*;
use idempotency::{Answer, Fingerprint, Settled, Ticket};
use kernel::StoreError;

use super::Place;
use crate::schema::kept_answers;
use crate::types::RowId;

/// An answer to keep. When it is kept, the database says.
#[derive(Debug, Insertable)]
#[diesel(table_name = kept_answers)]
pub(crate) struct AnswerRow {
    pub(crate) account_id: RowId,
    pub(crate) endpoint: &'static str,
    pub(crate) key: String,
    pub(crate) fingerprint: Vec<u8>,
    pub(crate) status: i32,
    pub(crate) body: Vec<u8>,
}

impl AnswerRow {
    pub(crate) fn new(account_id: RowId, ticket: &Ticket, answer: &Answer) -> Self {
        Self {
            account_id,
            endpoint: ticket.endpoint.name(),
            key: ticket.key.as_str().to_owned(),
            fingerprint: ticket.fingerprint.as_bytes().to_vec(),
            status: answer.status.into(),
            body: answer.body.clone(),
        }
    }
}

/// The answer to a claim: whether the key could be held, and the kept answer if there is one.
#[derive(Debug, Queryable)]
pub(crate) struct ClaimRow {
    /// Whether the key is held by this transaction now.
    pub(crate) held: bool,
    fingerprint: Option<Vec<u8>>,
    status: Option<i32>,
    body: Option<Vec<u8>>,
}

impl ClaimRow {
    /// What the kept answer, if there is one, means for a request with this ticket.
    pub(crate) fn settled(
        self,
        account: RowId,
        ticket: &Ticket,
    ) -> Result<Option<Settled>, StoreError> {
        let (Some(fingerprint), Some(status), Some(body)) =
            (self.fingerprint, self.status, self.body)
        else {
            return Ok(None);
        };
        let place = Place {
            table: "kept_answers",
            id: account,
        };
        let fingerprint = <[u8; 32]>::try_from(fingerprint)
            .map(Fingerprint::from_bytes)
            .map_err(|_other_length| place.wrong("fingerprint", "has not 32 bytes"))?;
        let status = place.count("status", status.into())?;
        let answer = Answer { status, body };
        Ok(Some(if fingerprint == ticket.fingerprint {
            Settled::Replayed(answer)
        } else {
            Settled::KeyReused(answer)
        }))
    }
}
