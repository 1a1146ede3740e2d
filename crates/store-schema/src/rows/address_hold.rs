//! Rows of `address_holds` and `contact_consents`.

use communications::{Address, AddressHold, Consent};
use diesel::prelude::*;
use kernel::{Named as _, SingleLine, StoreError, StoreResult};

use super::row_ref::RowRef;
use crate::schema::{address_holds, contact_consents};
use crate::types::{RowId, RowInstant};

#[derive(Debug, Queryable, Selectable, Insertable)]
#[diesel(table_name = address_holds, treat_none_as_default_value = false)]
pub struct AddressHoldRow {
    account_id: RowId,
    id: RowId,
    channel: String,
    address: String,
    reason: String,
    closed_at: RowInstant,
    evidence: String,
    reopened_at: Option<RowInstant>,
    reopened_because: Option<String>,
}

impl From<&AddressHold> for AddressHoldRow {
    fn from(hold: &AddressHold) -> Self {
        Self {
            account_id: hold.account.into(),
            id: hold.id.into(),
            channel: hold.channel.as_str().to_owned(),
            address: hold.address.as_str().to_owned(),
            reason: hold.reason.as_str().to_owned(),
            closed_at: RowInstant(hold.closed_at),
            evidence: hold.evidence.to_string(),
            reopened_at: hold.reopened_at.map(RowInstant),
            reopened_because: hold.reopened_because.as_ref().map(ToString::to_string),
        }
    }
}

impl TryFrom<AddressHoldRow> for AddressHold {
    type Error = StoreError;

    fn try_from(row: AddressHoldRow) -> StoreResult<Self> {
        let row_ref = RowRef { table: "address_holds", id: row.id };
        Ok(Self {
            id: row.id.id(),
            account: row.account_id.id(),
            channel: row_ref.named("channel", &row.channel)?,
            address: Address::from_stored(row.address),
            reason: row_ref.named("reason", &row.reason)?,
            closed_at: row.closed_at.0,
            evidence: SingleLine::from_stored(row.evidence),
            reopened_at: row.reopened_at.map(|at| at.0),
            reopened_because: row.reopened_because.map(SingleLine::from_stored),
        })
    }
}

#[derive(Debug, Queryable, Selectable, Insertable)]
#[diesel(table_name = contact_consents)]
pub struct ConsentRow {
    pub account_id: RowId,
    pub id: RowId,
    pub contact_id: RowId,
    channel: String,
    is_given: bool,
    recorded_at: RowInstant,
    how: String,
    recorded_by: String,
}

impl ConsentRow {
    pub fn new(account_id: RowId, consent: &Consent) -> Self {
        Self {
            account_id,
            id: consent.id.into(),
            contact_id: consent.contact.into(),
            channel: consent.channel.as_str().to_owned(),
            is_given: consent.is_given,
            recorded_at: RowInstant(consent.recorded_at),
            how: consent.how.to_string(),
            recorded_by: consent.recorded_by.to_string(),
        }
    }
}

impl TryFrom<ConsentRow> for Consent {
    type Error = StoreError;

    fn try_from(row: ConsentRow) -> StoreResult<Self> {
        let row_ref = RowRef { table: "contact_consents", id: row.id };
        Ok(Self {
            id: row.id.id(),
            contact: row.contact_id.id(),
            channel: row_ref.named("channel", &row.channel)?,
            is_given: row.is_given,
            recorded_at: row.recorded_at.0,
            how: SingleLine::from_stored(row.how),
            recorded_by: SingleLine::from_stored(row.recorded_by),
        })
    }
}
