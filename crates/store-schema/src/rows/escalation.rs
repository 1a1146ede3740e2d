//! Rows of `escalations`.

use ::escalations::{Escalation, EscalationData, Resolution};
use diesel::prelude::*;
use kernel::{MultiLine, Named as _, StoreError, StoreResult};

use super::row_ref::RowRef;
use crate::schema::escalations;
use crate::types::{RowId, RowInstant};

#[derive(Debug, Queryable, Selectable, Insertable)]
#[diesel(table_name = escalations, treat_none_as_default_value = false)]
pub struct EscalationRow {
    pub account_id: RowId,
    pub id: RowId,
    pub invoice_id: Option<RowId>,
    pub contact_id: Option<RowId>,
    pub escalation_type: String,
    pub priority: String,
    pub trigger_channel: String,
    pub customer_statement: String,
    pub resolution_outcome: Option<String>,
    pub resolution_notes: Option<String>,
    pub resolved_at: Option<RowInstant>,
    pub created_at: RowInstant,
    pub updated_at: RowInstant,
}

impl From<&Escalation> for EscalationRow {
    fn from(escalation: &Escalation) -> Self {
        let resolution = escalation.resolution.as_ref();
        let notes = resolution.and_then(|resolution| resolution.notes.as_ref());
        Self {
            account_id: escalation.account.into(),
            id: escalation.id.into(),
            invoice_id: escalation.invoice.map(RowId::from),
            contact_id: escalation.contact.map(RowId::from),
            escalation_type: escalation.escalation_type.as_str().to_owned(),
            priority: escalation.priority.as_str().to_owned(),
            trigger_channel: escalation.channel.as_str().to_owned(),
            customer_statement: escalation.statement.as_str().to_owned(),
            resolution_outcome: resolution.map(|resolution| resolution.outcome.as_str().to_owned()),
            resolution_notes: notes.map(|notes| notes.as_str().to_owned()),
            resolved_at: resolution.map(|resolution| RowInstant(resolution.at)),
            created_at: RowInstant(escalation.created_at),
            updated_at: RowInstant(escalation.updated_at),
        }
    }
}

impl TryFrom<EscalationRow> for Escalation {
    type Error = StoreError;

    fn try_from(row: EscalationRow) -> StoreResult<Self> {
        let row_ref = RowRef { table: "escalations", id: row.id };
        let resolution = row.resolution(row_ref)?;
        Ok(Self::from_stored(EscalationData {
            id: row.id.id(),
            account: row.account_id.id(),
            invoice: row.invoice_id.map(RowId::id),
            contact: row.contact_id.map(RowId::id),
            escalation_type: row_ref.named("escalation_type", &row.escalation_type)?,
            priority: row_ref.named("priority", &row.priority)?,
            channel: row_ref.named("trigger_channel", &row.trigger_channel)?,
            statement: MultiLine::from_stored(row.customer_statement),
            resolution,
            created_at: row.created_at.0,
            updated_at: row.updated_at.0,
        }))
    }
}

impl EscalationRow {
    fn resolution(&self, row_ref: RowRef) -> StoreResult<Option<Resolution>> {
        let (Some(outcome), Some(RowInstant(at))) = (&self.resolution_outcome, self.resolved_at) else {
            return Ok(None);
        };
        Ok(Some(Resolution {
            outcome: row_ref.named("resolution_outcome", outcome)?,
            notes: self.resolution_notes.clone().map(MultiLine::from_stored),
            at,
        }))
    }
}
