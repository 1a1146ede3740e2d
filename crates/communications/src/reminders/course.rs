//! The course of an invoice: when what changes for it, worked out once. What costs time here are the zones.

use std::collections::HashMap;

use time::{Date, Duration, OffsetDateTime};

use super::decision::{Decision, PlannedStep, SkipReason};
use super::facts::{AccountFacts, Backlog, InvoiceFacts, PausedUntil, REST};
use super::policy::StepKey;
use crate::contact_clock::ContactClock;

/// The days of an account and of a contact, each looked up once.
pub(super) struct Calendar<'a> {
    account: &'a AccountFacts,
    clock: &'a ContactClock,
    starts: HashMap<Date, OffsetDateTime>,
    step_times: HashMap<Date, OffsetDateTime>,
}

impl<'a> Calendar<'a> {
    pub(super) fn new(account: &'a AccountFacts, clock: &'a ContactClock) -> Self {
        Self { account, clock, starts: HashMap::new(), step_times: HashMap::new() }
    }

    /// When a day of the account begins.
    fn start_of(&mut self, day: Date) -> OffsetDateTime {
        *self.starts.entry(day).or_insert_with(|| self.account.zone.start_of(day))
    }

    /// When steps of a day of the contact are due.
    fn step_due(&mut self, day: Date) -> OffsetDateTime {
        *self.step_times.entry(day).or_insert_with(|| self.clock.step_due(day))
    }
}

/// A step of an invoice.
#[derive(Debug, Clone, Copy)]
pub(super) struct CourseStep {
    pub(super) key: StepKey,
    pub(super) due_at: OffsetDateTime,
    /// What was decided last.
    decided: Option<Decision>,
}

/// An invoice and its steps, as far as the time has come.
#[derive(Debug)]
pub(super) struct Course<'a> {
    pub(super) invoice: &'a InvoiceFacts,
    /// When its date begins.
    pub(super) begins: OffsetDateTime,
    issued: OffsetDateTime,
    is_backlog: bool,
    /// In the order of time.
    steps: Vec<CourseStep>,
    /// The first step that is not behind: all before it have lost their turn.
    first: usize,
    /// The step behind the last one that is due.
    end: usize,
    /// Whether the steps from the first to the last have their turn.
    has_turn: bool,
}

impl<'a> Course<'a> {
    /// The course of an invoice until an instant.
    pub(super) fn new(
        calendar: &mut Calendar<'_>,
        backlog: &Backlog,
        invoice: &'a InvoiceFacts,
        until: OffsetDateTime,
    ) -> Self {
        let policy = &calendar.account.policy;
        // A day more than any zone is behind.
        let last = until.date().saturating_add(Duration::days(2));
        let day_of = |key: StepKey| {
            let day = invoice.due_date.checked_add(Duration::days(key.days.into()))?;
            (day <= last).then_some((key, day))
        };
        let days: Vec<(StepKey, Date)> = policy.steps.iter().filter_map(|step| day_of(step.key)).collect();
        let is_backlog = !policy.backlog && backlog.has(invoice);
        let step =
            |(key, day)| CourseStep { key, due_at: calendar.step_due(day), decided: invoice.record(key) };
        let mut steps: Vec<CourseStep> = days.into_iter().map(step).collect();
        steps.sort_by_key(|step| step.due_at);
        let begins = calendar.start_of(invoice.invoice_date);
        let issued = invoice.issued(begins);
        Self { invoice, begins, issued, is_backlog, steps, first: 0, end: 0, has_turn: false }
    }

    /// The instants at which the time alone may change what is decided about this invoice.
    pub(super) fn instants(&self, calendar: &mut Calendar<'_>) -> Vec<OffsetDateTime> {
        let mut instants: Vec<OffsetDateTime> = self.steps.iter().map(|step| step.due_at).collect();
        instants.push(self.begins);
        if !self.invoice.was_mailed {
            instants.push(self.issued + REST);
        }
        if let Some(day) = self.invoice.promised_until.and_then(Date::next_day) {
            instants.push(calendar.start_of(day));
        }
        if let Some(PausedUntil::Date(day)) = self.invoice.paused {
            instants.push(calendar.start_of(day));
        }
        instants
    }

    /// Lets the time come. Steps that lose their turn by it are skipped, unless something final was decided.
    pub(super) fn come(&mut self, now: OffsetDateTime, changes: &mut Vec<PlannedStep>) {
        if !self.invoice.is_open(self.begins, now) {
            return;
        }
        self.end = self.steps.partition_point(|step| step.due_at <= now);
        let due = self.steps.get_mut(self.first..self.end).unwrap_or_default();
        // Whatever became of the latest step, earlier ones have lost their turn to it.
        let Some(latest) = due.last().map(|step| step.due_at) else {
            return;
        };
        self.has_turn = latest >= self.issued && !self.is_backlog;
        for step in due.iter_mut() {
            let reason = if step.due_at < self.issued {
                Some(SkipReason::BeforeIssue)
            } else if self.is_backlog {
                Some(SkipReason::Backlog)
            } else {
                (step.due_at < latest).then_some(SkipReason::Collapsed)
            };
            if let Some(reason) = reason {
                changes.extend(step.decide(self.invoice, Decision::Skip(reason)));
            }
        }
        self.first += due.partition_point(|step| step.due_at < latest);
    }

    /// The steps that have their turn and about which nothing final was decided.
    pub(super) fn in_turn(&mut self) -> impl Iterator<Item = &mut CourseStep> {
        let end = if self.has_turn { self.end } else { self.first };
        let steps = self.steps.get_mut(self.first..end).unwrap_or_default();
        steps.iter_mut().filter(|step| !step.is_final())
    }
}

impl CourseStep {
    fn is_final(&self) -> bool {
        self.decided.is_some_and(Decision::is_final)
    }

    /// Decides about the step, unless something final was decided: the change, where it is one.
    pub(super) fn decide(&mut self, invoice: &InvoiceFacts, decision: Decision) -> Option<PlannedStep> {
        if self.is_final() || self.decided == Some(decision) {
            return None;
        }
        self.decided = Some(decision);
        Some(PlannedStep { invoice: invoice.invoice, key: self.key, due_at: self.due_at, decision })
    }
}
