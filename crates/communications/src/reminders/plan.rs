//! The plan: what is decided about the steps of a contact's invoices at an instant.

use escalations::Channel;
use invoices::InvoiceId;
use time::{Duration, OffsetDateTime};

use super::decision::{Decision, HoldReason, SkipReason};
use super::facts::{AccountFacts, CAPS, ContactFacts, Facts, InvoiceFacts, PausedUntil, REST};
use super::permit::{Permit, join, permit};
use super::policy::StepKey;

/// What is decided about a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlannedStep {
    /// The invoice.
    pub invoice: InvoiceId,
    /// The step.
    pub key: StepKey,
    /// When the step is due, UTC.
    pub due_at: OffsetDateTime,
    /// What is decided.
    pub decision: Decision,
}

/// What is to happen at an instant.
#[derive(Debug, PartialEq, Eq)]
pub struct Plan {
    /// Decisions that differ from what was decided last, in the order of invoices and steps.
    pub changes: Vec<PlannedStep>,
    /// The one message to send now: all steps among the changes that are to be sent, of one channel.
    pub permit: Option<Permit>,
}

/// Decides about every step that is due by now. At most one message goes to a contact at a time; steps of
/// another channel then wait as after any mail.
#[must_use]
pub fn plan(facts: &Facts<'_>, now: OffsetDateTime) -> Plan {
    let (account, contact) = (facts.account, &facts.contact);
    let mut changes = Vec::new();
    let mut permits: Vec<Permit> = Vec::new();
    let mut channel: Option<Channel> = None;
    let due: Vec<(&InvoiceFacts, Vec<DueStep>)> =
        facts.invoices.iter().map(|invoice| (invoice, due_steps(account, contact, invoice, now))).collect();
    for one in [Channel::Email, Channel::Sms, Channel::Voice] {
        for (invoice, steps) in &due {
            for step in steps.iter().filter(|step| step.key.channel == one) {
                let decision = match step.skip {
                    Some(reason) => Decision::Skip(reason),
                    None => match permit(account, contact, invoice, one, now) {
                        Err(reason) => Decision::Hold(reason),
                        Ok(_) if channel.is_some_and(|taken| taken != one) => {
                            Decision::Hold(HoldReason::RecentlyMailed)
                        }
                        Ok(permit) => {
                            channel = Some(one);
                            permits.push(permit);
                            Decision::Send
                        }
                    },
                };
                if invoice.record(step.key) != Some(decision) {
                    let (key, due_at) = (step.key, step.due_at);
                    changes.push(PlannedStep { invoice: invoice.invoice, key, due_at, decision });
                }
            }
        }
    }
    changes.sort_by_key(|step| (step.invoice, step.key.order()));
    Plan { changes, permit: join(permits) }
}

/// A step that is due and that nothing final was decided about.
#[derive(Debug, Clone, Copy)]
struct DueStep {
    key: StepKey,
    due_at: OffsetDateTime,
    skip: Option<SkipReason>,
}

fn due_steps(
    account: &AccountFacts,
    contact: &ContactFacts,
    invoice: &InvoiceFacts,
    now: OffsetDateTime,
) -> Vec<DueStep> {
    if account.policy.started_at.is_none() || !invoice.is_open(&account.zone, now) {
        return Vec::new();
    }
    let issued = invoice.issued(&account.zone);
    let is_left_out = !account.policy.backlog && invoice.is_backlog(account);
    let due: Vec<(StepKey, OffsetDateTime)> =
        step_times(account, contact, invoice).filter(|(_, due_at)| *due_at <= now).collect();
    // Whatever became of the latest step, earlier ones have lost their turn to it.
    let latest = due.iter().map(|(_, due_at)| *due_at).max();
    let of = |(key, due_at): (StepKey, OffsetDateTime)| {
        let skip = if due_at < issued {
            Some(SkipReason::BeforeIssue)
        } else if is_left_out {
            Some(SkipReason::Backlog)
        } else if latest.is_some_and(|latest| due_at < latest) {
            Some(SkipReason::Collapsed)
        } else {
            None
        };
        DueStep { key, due_at, skip }
    };
    let is_undecided = |step: &DueStep| !invoice.record(step.key).is_some_and(Decision::is_final);
    due.into_iter().map(of).filter(is_undecided).collect()
}

/// When the steps of an invoice are due.
pub fn step_times(
    account: &AccountFacts,
    contact: &ContactFacts,
    invoice: &InvoiceFacts,
) -> impl Iterator<Item = (StepKey, OffsetDateTime)> {
    let (clock, due_date) = (&contact.clock, invoice.due_date);
    account.policy.steps.iter().filter_map(move |step| {
        let day = due_date.checked_add(Duration::days(step.key.days.into()))?;
        Some((step.key, clock.step_due(day)))
    })
}

/// The next instant after this one at which a decision may differ, as far as it depends on the time alone.
#[must_use]
pub fn next_change(facts: &Facts<'_>, now: OffsetDateTime) -> Option<OffsetDateTime> {
    let (account, contact) = (facts.account, &facts.contact);
    let mut next: Option<OffsetDateTime> = None;
    let mut consider = |instant: OffsetDateTime| {
        if instant > now && next.is_none_or(|next| instant < next) {
            next = Some(instant);
        }
    };
    for invoice in &facts.invoices {
        step_times(account, contact, invoice).for_each(|(_, due_at)| consider(due_at));
        consider(account.zone.start_of(invoice.invoice_date));
        consider(invoice.issued(&account.zone) + REST);
        if let Some(day) = invoice.promised_until.and_then(time::Date::next_day) {
            consider(account.zone.start_of(day));
        }
        if let Some(PausedUntil::Date(day)) = invoice.paused {
            consider(account.zone.start_of(day));
        }
    }
    contact.escalation_closed_at.iter().chain(&contact.written_at).for_each(|at| consider(*at + REST));
    for (_, period) in CAPS {
        contact.reminded_at.iter().for_each(|at| consider(*at + period));
    }
    if !contact.clock.allows(now)
        && let Some(opening) = contact.clock.next_allowed(now)
    {
        consider(opening);
    }
    next
}
