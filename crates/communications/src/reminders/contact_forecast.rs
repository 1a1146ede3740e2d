//! The forecast of one contact.

use std::collections::BTreeSet;

use time::{Duration, OffsetDateTime};

use super::course::{Course, InstantCache};
use super::decision::{Decision, StepDecision};
use super::facts::{AccountFacts, Backlog, CAPS, ContactFacts, HOLD_PERIOD, InvoiceFacts};
use super::permit::{Holds, PermitContext};
use super::plan::decide;

/// If no end of quiet hours is found, they are checked again after this time.
const LOOK_AGAIN: Duration = Duration::days(62);

/// What reminders will do about the invoices of a contact.
///
/// The cost of an instant grows with the invoices whose decisions may change: those for which something
/// begins or ends then and, if the contact's holds have changed, those that wait for them.
pub(super) struct ContactForecast<'a> {
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
}

impl<'a> ContactForecast<'a> {
    /// The forecast of a contact, whose decisions begin at `from`. `months` are the beginnings of months at
    /// which the account may send text messages again.
    pub(super) fn new(
        account: &AccountFacts,
        facts: &ContactFacts,
        invoices: &'a [InvoiceFacts],
        months: &[OffsetDateTime],
        (from, until): (OffsetDateTime, OffsetDateTime),
    ) -> Self {
        let mut contact = facts.clone();
        contact.forget();
        let (mut cache, backlog) = (InstantCache::new(account, &facts.clock), Backlog::new(account));
        let (mut courses, mut of_invoices) = (Vec::new(), Vec::new());
        for (place, invoice) in invoices.iter().enumerate() {
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
        let instants = rests.chain(caps).chain(months.iter().copied());
        let of_contact: BTreeSet<OffsetDateTime> = instants.filter(|at| *at > from).collect();
        Self {
            contact,
            courses,
            of_invoices,
            of_contact,
            waiting: BTreeSet::new(),
            holds: None,
            opening: None,
        }
    }

    /// Decides at an instant as the worker will. Returns what changes.
    pub(super) fn decide(&mut self, account: &AccountFacts, now: OffsetDateTime) -> Vec<StepDecision> {
        let context = PermitContext::new(account, &self.contact, now);
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
    pub(super) fn next_change(&mut self, now: OffsetDateTime) -> Option<OffsetDateTime> {
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
