//! The plan: the decisions about the steps of a contact's invoices at an instant.

use escalations::Channel;
use time::OffsetDateTime;

use super::course::{Course, InstantCache};
use super::decision::{Decision, HoldReason, StepDecision};
use super::facts::{Backlog, Facts};
use super::permit::{Permit, PermitContext, join};

/// What happens at an instant.
#[derive(Debug, PartialEq, Eq)]
pub struct Plan {
    /// Decisions that differ from what was decided last, in the order of invoices and steps.
    pub changes: Vec<StepDecision>,
    /// The permit of the one message to send now: it covers all changed steps that are sent, which have one
    /// channel.
    pub permit: Option<Permit>,
}

/// Decides about every step that is due by now. At most one message is sent to a contact at a time; steps of
/// another channel are then held as after any mail.
#[must_use]
pub fn plan(facts: &Facts<'_>, now: OffsetDateTime) -> Plan {
    let (account, contact) = (facts.account, &facts.contact);
    if account.policy.started_at.is_none() {
        return Plan { changes: Vec::new(), permit: None };
    }
    let (mut cache, backlog) = (InstantCache::new(account, &contact.clock), Backlog::new(account));
    let course = |invoice| Course::new(&mut cache, &backlog, invoice, now);
    let mut courses: Vec<Course<'_>> = facts.invoices.iter().map(course).collect();
    let all = (0..courses.len()).collect::<Vec<_>>();
    let (changes, permits) = decide(&mut courses, &all, &PermitContext::new(account, contact, now));
    Plan { changes, permit: join(permits) }
}

/// Decides about the steps of the invoices at these indices. Returns what changes, in the order of invoices
/// and steps, and the permits for what is sent.
pub(super) fn decide(
    courses: &mut [Course<'_>],
    places: &[usize],
    context: &PermitContext<'_>,
) -> (Vec<StepDecision>, Vec<Permit>) {
    let (mut changes, mut permits) = (Vec::new(), Vec::new());
    let mut channel: Option<Channel> = None;
    for place in places {
        let Some(course) = courses.get_mut(*place) else {
            continue;
        };
        course.advance_to(context.now(), &mut changes);
        let (invoice, begins) = (course.invoice, course.begins);
        for step in course.sendable_steps() {
            let own = step.key.channel;
            if channel.is_none_or(|first| order(own) < order(first))
                && context.allows(invoice, begins, own).is_ok()
            {
                channel = Some(own);
            }
        }
    }
    for place in places {
        let Some(course) = courses.get_mut(*place) else {
            continue;
        };
        let (invoice, begins) = (course.invoice, course.begins);
        for step in course.sendable_steps() {
            let decision = match context.permit(invoice, begins, step.key.channel) {
                Err(reason) => Decision::Hold(reason),
                Ok(_) if channel != Some(step.key.channel) => Decision::Hold(HoldReason::RecentlyMailed),
                Ok(permit) => {
                    permits.push(permit);
                    Decision::Send
                }
            };
            changes.extend(step.decide(invoice, decision));
        }
    }
    changes.sort_by_key(|step| (step.invoice, step.key.order()));
    (changes, permits)
}

/// The order in which channels are tried.
const fn order(channel: Channel) -> u8 {
    match channel {
        Channel::Email => 0,
        Channel::Sms => 1,
        Channel::Voice => 2,
    }
}
