//! The course of an invoice: the instants at which something changes for it. Computed once, since time zone
//! conversions are slow.

use std::collections::HashMap;

use time::{Date, Duration, OffsetDateTime};

use super::decision::{Decision, SkipReason, StepDecision};
use super::facts::{AccountFacts, Backlog, HOLD_PERIOD, InvoiceFacts, PausedUntil};
use super::policy::{Step, StepKey};
use crate::contact_clock::ContactClock;

/// The instants that belong to days of an account and of a contact, each computed once.
pub(super) struct InstantCache<'a> {
    account: &'a AccountFacts,
    clock: &'a ContactClock,
    starts: HashMap<Date, OffsetDateTime>,
    step_times: HashMap<Date, OffsetDateTime>,
}

impl<'a> InstantCache<'a> {
    pub(super) fn new(account: &'a AccountFacts, clock: &'a ContactClock) -> Self {
        Self { account, clock, starts: HashMap::new(), step_times: HashMap::new() }
    }

    /// When a day of the account begins.
    fn start_of(&mut self, day: Date) -> OffsetDateTime {
        *self.starts.entry(day).or_insert_with(|| self.account.zone.start_of(day))
    }

    /// When steps are due on a day of the contact.
    fn step_due(&mut self, day: Date) -> OffsetDateTime {
        *self.step_times.entry(day).or_insert_with(|| self.clock.step_due(day))
    }
}

/// A step of an invoice.
#[derive(Debug, Clone, Copy)]
pub(super) struct CourseStep {
    pub(super) key: StepKey,
    pub(super) due_at: OffsetDateTime,
    /// Whether it was due before the owner added it.
    is_added_later: bool,
    /// The latest decision about the step on this day.
    decided: Option<Decision>,
}

/// An invoice and its steps, up to the present instant.
#[derive(Debug)]
pub(super) struct Course<'a> {
    pub(super) invoice: &'a InvoiceFacts,
    /// When the invoice date begins, in the account's time zone.
    pub(super) begins: OffsetDateTime,
    issued: OffsetDateTime,
    is_backlog: bool,
    /// When the latest of the sent steps was due, whether the policy has it or not.
    sent_due: Option<OffsetDateTime>,
    /// In the order in which they are due.
    steps: Vec<CourseStep>,
    /// The index of the first step that no later one has replaced.
    first: usize,
    /// The index behind the last step that is due.
    end: usize,
    /// Whether the steps from `first` to `end` may be sent, except those that were added later.
    is_sendable: bool,
}

impl<'a> Course<'a> {
    /// The course of an invoice until an instant.
    pub(super) fn new(
        cache: &mut InstantCache<'_>,
        backlog: &Backlog,
        invoice: &'a InvoiceFacts,
        until: OffsetDateTime,
    ) -> Self {
        let policy = &cache.account.policy;
        // A day more than the local date can be ahead of UTC.
        let last = until.date().saturating_add(Duration::days(2));
        let days = policy.steps.iter().filter_map(|step| Some((step, invoice.step_day(step.key)?)));
        let days: Vec<(&Step, Date)> = days.filter(|(_, day)| *day <= last).collect();
        let is_backlog = !policy.backlog && backlog.has(invoice);
        let step = |(step, day): (&Step, Date)| {
            let (key, due_at) = (step.key, cache.step_due(day));
            let is_added_later = step.was_added_after(due_at);
            CourseStep { key, due_at, is_added_later, decided: invoice.record(key, due_at) }
        };
        let mut steps: Vec<CourseStep> = days.into_iter().map(step).collect();
        steps.sort_by_key(|step| step.due_at);
        let begins = cache.start_of(invoice.invoice_date);
        let issued = invoice.issued(begins);
        let sent_due = invoice.sent_step_due(|day| cache.step_due(day));
        Self { invoice, begins, issued, is_backlog, sent_due, steps, first: 0, end: 0, is_sendable: false }
    }

    /// The instants at which the passing of time alone may change the decisions about this invoice.
    pub(super) fn instants(&self, cache: &mut InstantCache<'_>) -> Vec<OffsetDateTime> {
        let mut instants: Vec<OffsetDateTime> = self.steps.iter().map(|step| step.due_at).collect();
        instants.push(self.begins);
        if self.invoice.mailed_at.is_none() {
            instants.push(self.issued.saturating_add(HOLD_PERIOD));
        }
        if let Some(day) = self.invoice.promised_until.and_then(Date::next_day) {
            instants.push(cache.start_of(day));
        }
        if let Some(PausedUntil::Date(day)) = self.invoice.paused {
            instants.push(cache.start_of(day));
        }
        instants
    }

    /// Advances to an instant. Steps that may no longer be sent are skipped, unless their decision is final.
    pub(super) fn advance_to(&mut self, now: OffsetDateTime, changes: &mut Vec<StepDecision>) {
        if !self.invoice.is_open(self.begins, now) {
            return;
        }
        self.end = self.steps.partition_point(|step| step.due_at <= now);
        let due = self.steps.get_mut(self.first..self.end).unwrap_or_default();
        // Whatever was decided about the latest step, it replaces the earlier ones, unless it is one that the
        // owner added after it was due.
        let latest = due.iter().rfind(|step| !step.is_added_later);
        let latest = latest.map(|step| step.due_at).max(self.sent_due);
        let is_replaced = |step: &CourseStep| latest.is_some_and(|latest| step.due_at < latest);
        self.is_sendable = latest >= Some(self.issued) && !self.is_backlog;
        for step in due.iter_mut() {
            let reason = if step.due_at < self.issued {
                Some(SkipReason::BeforeIssue)
            } else if self.is_backlog {
                Some(SkipReason::Backlog)
            } else if step.is_added_later {
                Some(SkipReason::AddedLater)
            } else {
                is_replaced(step).then_some(SkipReason::Collapsed)
            };
            if let Some(reason) = reason {
                changes.extend(step.decide(self.invoice, Decision::Skip(reason)));
            }
        }
        self.first += due.partition_point(is_replaced);
    }

    /// The steps that may be sent and whose decision is not final.
    pub(super) fn sendable_steps(&mut self) -> impl Iterator<Item = &mut CourseStep> {
        let end = if self.is_sendable { self.end } else { self.first };
        let steps = self.steps.get_mut(self.first..end).unwrap_or_default();
        steps.iter_mut().filter(|step| !step.is_added_later && !step.is_final())
    }
}

impl CourseStep {
    fn is_final(&self) -> bool {
        self.decided.is_some_and(Decision::is_final)
    }

    /// Decides about the step, unless its decision is final. Returns the decision if it changed.
    pub(super) fn decide(&mut self, invoice: &InvoiceFacts, decision: Decision) -> Option<StepDecision> {
        if self.is_final() || self.decided == Some(decision) {
            return None;
        }
        self.decided = Some(decision);
        Some(StepDecision { invoice: invoice.invoice, key: self.key, due_at: self.due_at, decision })
    }
}
