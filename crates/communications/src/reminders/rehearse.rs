//! The rehearsal: what reminders will do if nothing is paid, written or changed.

use time::OffsetDateTime;

use super::decision::Decision;
use super::facts::Facts;
use super::plan::{PlannedStep, next_change, plan};

/// A decision that will be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RehearsedStep {
    /// When it will be made, UTC.
    pub at: OffsetDateTime,
    /// The step and what will be decided.
    pub step: PlannedStep,
}

/// Walks from one instant at which something may change to the next, and decides at each as the worker will.
/// Whatever is to be sent is taken as sent at once.
#[must_use]
pub fn rehearse(mut facts: Facts<'_>, from: OffsetDateTime, until: OffsetDateTime) -> Vec<RehearsedStep> {
    let mut rehearsed = Vec::new();
    let mut next = Some(from);
    while let Some(now) = next.filter(|now| *now <= until) {
        let plan = plan(&facts, now);
        apply(&mut facts, &plan.changes, now);
        rehearsed.extend(plan.changes.into_iter().map(|step| RehearsedStep { at: now, step }));
        next = next_change(&facts, now);
    }
    rehearsed
}

/// Changes the facts as the worker changes what is stored.
pub fn apply(facts: &mut Facts<'_>, changes: &[PlannedStep], now: OffsetDateTime) {
    for step in changes {
        let invoice = facts.invoices.iter_mut().find(|invoice| invoice.invoice == step.invoice);
        if let Some(invoice) = invoice {
            let decided = if step.decision == Decision::Send { Decision::Sent } else { step.decision };
            invoice.decide(step.key, decided);
        }
    }
    if changes.iter().any(|step| step.decision == Decision::Send) {
        facts.contact.was_reminded(now);
    }
}
