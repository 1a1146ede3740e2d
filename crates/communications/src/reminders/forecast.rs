//! The forecast: what reminders will do if nothing is paid, written or changed.

use std::collections::BTreeSet;

use time::{Duration, OffsetDateTime};

use super::course::{Course, InstantCache};
use super::decision::{Decision, StepDecision};
use super::facts::{AccountFacts, Backlog, CAPS, ContactFacts, Facts, HOLD_PERIOD};
use super::permit::{Holds, PermitContext};
use super::plan::decide;

/// A decision that will be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ForecastStep {
    /// When it will be made, UTC.
    pub at: OffsetDateTime,
    /// The step and what will be decided.
    pub step: StepDecision,
}

/// Goes from one instant at which something may change to the next, and decides at each as the worker will.
/// It assumes that every message is sent at once.
#[must_use]
pub fn forecast(facts: &Facts<'_>, from: OffsetDateTime, until: OffsetDateTime) -> Vec<ForecastStep> {
    let row = |at| move |step| ForecastStep { at, step };
    Forecast::new(facts, from, until).flat_map(|(at, steps)| steps.into_iter().map(row(at))).collect()
}

/// If no end of quiet hours is found, they are checked again after this time.
const LOOK_AGAIN: Duration = Duration::days(62);

/// An iterator over the instants of a forecast at which decisions change.
///
/// The cost of an instant grows with the invoices whose decisions may change: those for which something
/// begins or ends then and, if the contact's holds have changed, those that wait for them.
pub(super) struct Forecast<'a> {
    account: &'a AccountFacts,
    contact: ContactFacts,
    courses: Vec<Course<'a>>,
    /// The instants at which time alone changes an invoice, with its index; the next instant is last in the
    /// list.
    of_invoices: Vec<(OffsetDateTime, usize)>,
    /// The instants at which time alone may change the contact's holds.
    of_contact: BTreeSet<OffsetDateTime>,
    /// The indices of the invoices that wait only because of the contact's holds.
    waiting: BTreeSet<usize>,
    /// The contact's holds at the previous instant. `None` when the decisions then did not follow from them.
    holds: Option<Holds>,
    /// When quiet hours end, once that was computed.
    opening: Option<OffsetDateTime>,
    next: Option<OffsetDateTime>,
    until: OffsetDateTime,
}

impl<'a> Forecast<'a> {
    pub(super) fn new(facts: &'a Facts<'a>, from: OffsetDateTime, until: OffsetDateTime) -> Self {
        let (account, mut contact) = (facts.account, facts.contact.clone());
        contact.forget();
        let (mut cache, backlog) = (InstantCache::new(account, &facts.contact.clock), Backlog::new(account));
        let (mut courses, mut of_invoices) = (Vec::new(), Vec::new());
        for (place, invoice) in facts.invoices.iter().enumerate() {
            let course = Course::new(&mut cache, &backlog, invoice, until);
            let instants = course.instants(&mut cache).into_iter();
            of_invoices.push((from, place));
            of_invoices.extend(instants.filter(|at| *at > from && *at <= until).map(|at| (at, place)));
            courses.push(course);
        }
        of_invoices.sort_unstable_by(|one, next| next.cmp(one));
        let rests = contact
            .escalation_closed_at
            .iter()
            .chain(&contact.written_at)
            .map(|at| at.saturating_add(HOLD_PERIOD));
        let caps = CAPS
            .iter()
            .flat_map(|(_, period)| contact.reminded_at.iter().map(|at| at.saturating_add(*period)));
        let of_contact: BTreeSet<OffsetDateTime> = rests.chain(caps).filter(|at| *at > from).collect();
        Self {
            account,
            contact,
            courses,
            of_invoices,
            of_contact,
            waiting: BTreeSet::new(),
            holds: None,
            opening: None,
            next: account.policy.started_at.map(|_| from),
            until,
        }
    }

    fn decide(&mut self, now: OffsetDateTime) -> Vec<StepDecision> {
        let context = PermitContext::new(self.account, &self.contact, now);
        let holds = context.holds();
        let mut places: Vec<usize> = Vec::new();
        while let Some((_, place)) = self.of_invoices.pop_if(|(at, _)| *at <= now) {
            places.push(place);
        }
        if self.holds != Some(holds) {
            places.extend(&self.waiting);
        }
        places.sort_unstable();
        places.dedup();
        let (changes, _permits) = decide(&mut self.courses, &places, &context);
        for place in places {
            let waits = self.courses.get_mut(place).is_some_and(|course| {
                context.of_invoice(course.invoice, course.begins).is_ok()
                    && course.sendable_steps().next().is_some()
            });
            if waits {
                self.waiting.insert(place);
            } else {
                self.waiting.remove(&place);
            }
        }
        self.holds = Some(holds);
        if changes.iter().any(|step| step.decision == Decision::Send) {
            self.remind(now);
        }
        changes
    }

    fn remind(&mut self, now: OffsetDateTime) {
        self.contact.was_reminded(now);
        self.contact.forget();
        self.of_contact.insert(now.saturating_add(HOLD_PERIOD));
        self.of_contact.extend(CAPS.map(|(_, period)| now.saturating_add(period)));
        // Steps of other channels were held as after a mail, which `holds` did not contain yet.
        self.holds = None;
    }

    /// The next instant at which a decision may change because of time alone.
    fn next_change(&mut self, now: OffsetDateTime) -> Option<OffsetDateTime> {
        let is_quiet = self.holds.is_some_and(Holds::are_quiet_hours) && !self.waiting.is_empty();
        if is_quiet && self.opening.is_none_or(|opening| opening <= now) {
            let opening = self.contact.clock.next_allowed(now).unwrap_or(now.saturating_add(LOOK_AGAIN));
            self.opening = Some(opening);
            self.of_contact.insert(opening);
        }
        while self.of_contact.first().is_some_and(|at| *at <= now) {
            self.of_contact.pop_first();
        }
        let of_invoice = self.of_invoices.last().map(|(at, _)| *at);
        of_invoice.into_iter().chain(self.of_contact.first().copied()).min()
    }
}

impl Iterator for Forecast<'_> {
    type Item = (OffsetDateTime, Vec<StepDecision>);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let now = self.next.filter(|now| *now <= self.until)?;
            let changes = self.decide(now);
            self.next = self.next_change(now);
            if !changes.is_empty() {
                return Some((now, changes));
            }
        }
    }
}
