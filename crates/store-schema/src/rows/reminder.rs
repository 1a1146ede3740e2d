//! Rows of `reminder_policies` and `reminder_steps`.

use communications::{DecidedStep, Decision, ReminderPolicy, StepDecision, StepKey};
use diesel::prelude::*;
use kernel::{StoreError, StoreResult, clock};

use super::row_ref::RowRef;
use crate::schema::{reminder_policies, reminder_steps};
use crate::types::{RowId, RowInstant};

#[derive(Debug, Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = reminder_policies, primary_key(account_id))]
#[diesel(treat_none_as_default_value = false, treat_none_as_null = true)]
pub struct PolicyRow {
    account_id: RowId,
    started_at: Option<RowInstant>,
    steps: String,
    backlog: bool,
    holidays: String,
    language_model_host: Option<String>,
}

impl PolicyRow {
    pub fn new(account_id: RowId, policy: &ReminderPolicy) -> Self {
        let steps: Vec<String> = policy.steps.iter().map(ToString::to_string).collect();
        let holidays: Vec<String> = policy.holidays.iter().map(|day| clock::date_text(*day)).collect();
        Self {
            account_id,
            started_at: policy.started_at.map(RowInstant),
            steps: steps.join(","),
            backlog: policy.backlog,
            holidays: holidays.join(","),
            language_model_host: policy.language_model_host.clone(),
        }
    }
}

impl TryFrom<PolicyRow> for ReminderPolicy {
    type Error = StoreError;

    fn try_from(row: PolicyRow) -> StoreResult<Self> {
        let row_ref = RowRef { table: "reminder_policies", id: row.account_id };
        let days = row.holidays.split(',').filter(|day| !day.is_empty());
        let holidays: Option<Vec<_>> = days.map(clock::date_from_stored).collect();
        Ok(Self {
            started_at: row.started_at.map(|at| at.0),
            steps: Self::parse_steps(&row.steps).map_err(|fault| row_ref.wrong("steps", fault))?,
            backlog: row.backlog,
            holidays: holidays.ok_or_else(|| row_ref.wrong("holidays", "has a wrong day"))?,
            language_model_host: row.language_model_host,
        })
    }
}

#[derive(Debug, Clone, Queryable, Selectable, Insertable)]
#[diesel(table_name = reminder_steps, treat_none_as_default_value = false)]
pub struct StepRow {
    pub account_id: RowId,
    pub id: RowId,
    pub invoice_id: RowId,
    pub contact_id: RowId,
    pub days: i16,
    pub channel: String,
    pub due_at: RowInstant,
    pub decided_at: RowInstant,
    pub decision: String,
    pub reason: Option<String>,
    pub message_id: Option<RowId>,
    pub is_latest: bool,
}

impl TryFrom<StepRow> for DecidedStep {
    type Error = StoreError;

    fn try_from(row: StepRow) -> StoreResult<Self> {
        let row_ref = RowRef { table: "reminder_steps", id: row.id };
        let channel = row_ref.named("channel", &row.channel)?;
        let decision = Decision::parse(&row.decision, row.reason.as_deref());
        Ok(Self {
            decided_at: row.decided_at.0,
            contact: row.contact_id.id(),
            step: StepDecision {
                invoice: row.invoice_id.id(),
                key: StepKey { days: row.days, channel },
                due_at: row.due_at.0,
                decision: decision.map_err(|fault| row_ref.wrong("decision", fault))?,
            },
        })
    }
}
