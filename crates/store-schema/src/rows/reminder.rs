//! Rows of `reminder_policies` and `reminder_steps`.

use communications::{DecidedStep, Decision, ReminderPolicy, Step, StepDecision, StepKey};
use diesel::prelude::*;
use kernel::{Named as _, StoreError, StoreResult, clock};

use super::row_ref::RowRef;
use crate::schema::{reminder_policies, reminder_steps};
use crate::types::{RowDay, RowId, RowInstant};

#[derive(Debug, Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = reminder_policies, primary_key(account_id))]
#[diesel(treat_none_as_default_value = false, treat_none_as_null = true)]
pub struct PolicyRow {
    account_id: RowId,
    started_at: Option<RowInstant>,
    started_on: Option<RowDay>,
    steps: String,
    backlog: bool,
    holidays: String,
    language_model_host: Option<String>,
    /// `14:sms:1770541200000000`, separated by commas.
    added_steps: Option<String>,
}

impl PolicyRow {
    pub fn new(account_id: RowId, policy: &ReminderPolicy) -> Self {
        let steps: Vec<String> = policy.steps.iter().map(ToString::to_string).collect();
        let holidays: Vec<String> = policy.holidays.iter().map(|day| clock::date_text(*day)).collect();
        Self {
            account_id,
            started_at: policy.started_at.map(RowInstant),
            started_on: policy.started_on.map(RowDay),
            steps: steps.join(","),
            backlog: policy.backlog,
            holidays: holidays.join(","),
            language_model_host: policy.language_model_host.clone(),
            added_steps: added_steps(&policy.steps),
        }
    }
}

/// What a step is called in `added_steps`, up to the instant.
fn added_name(key: StepKey) -> String {
    format!("{}:{}:", key.days, key.channel.as_str())
}

fn added_steps(steps: &[Step]) -> Option<String> {
    let added = steps.iter().filter_map(|step| {
        let at = clock::unix_micros(step.added_at?);
        Some(format!("{}{at}", added_name(step.key)))
    });
    let added: Vec<String> = added.collect();
    (!added.is_empty()).then(|| added.join(","))
}

impl TryFrom<PolicyRow> for ReminderPolicy {
    type Error = StoreError;

    fn try_from(row: PolicyRow) -> StoreResult<Self> {
        let row_ref = RowRef { table: "reminder_policies", id: row.account_id };
        let days = row.holidays.split(',').filter(|day| !day.is_empty());
        let holidays: Option<Vec<_>> = days.map(clock::date_from_stored).collect();
        let mut steps = Self::parse_steps(&row.steps).map_err(|fault| row_ref.wrong("steps", fault))?;
        let instant = |micros: &str| micros.parse().ok().and_then(clock::from_unix_micros);
        for step in &mut steps {
            let name = added_name(step.key);
            let mut added = row.added_steps.iter().flat_map(|added| added.split(','));
            if let Some(micros) = added.find_map(|one| one.strip_prefix(&name)) {
                let at = instant(micros).ok_or_else(|| row_ref.wrong("added_steps", "has a wrong instant"));
                step.added_at = Some(at?);
            }
        }
        Ok(Self {
            started_at: row.started_at.map(|at| at.0),
            started_on: row.started_on.map(|day| day.0),
            steps,
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
