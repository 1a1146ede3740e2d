//! The forecast: what reminders will do if nothing is paid, written or changed.

use std::collections::BTreeSet;
use std::iter::{once, successors};

use escalations::Channel;
use time::{Date, Duration, OffsetDateTime};

use super::contact_forecast::ContactForecast;
use super::decision::{Decision, StepDecision};
use super::facts::{AccountFacts, ContactFacts, Facts, InvoiceFacts};

/// A decision that will be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ForecastStep {
    /// When it will be made, UTC.
    pub at: OffsetDateTime,
    /// The step and what will be decided.
    pub step: StepDecision,
}

/// What will change for a contact at an instant.
pub(super) struct ForecastChange<'a> {
    pub(super) at: OffsetDateTime,
    pub(super) contact: &'a ContactFacts,
    pub(super) steps: Vec<StepDecision>,
}

/// Goes from one instant at which something may change to the next, and decides at each as the worker will.
/// It assumes that every message is sent at once.
#[must_use]
pub fn forecast(facts: &Facts<'_>, from: OffsetDateTime, until: OffsetDateTime) -> Vec<ForecastStep> {
    let contact = once((&facts.contact, facts.invoices.as_slice()));
    Forecast::new(facts.account, contact, from, until).flat_map(ForecastChange::into_steps).collect()
}

impl ForecastChange<'_> {
    pub(super) fn into_steps(self) -> impl Iterator<Item = ForecastStep> {
        let at = self.at;
        self.steps.into_iter().map(move |step| ForecastStep { at, step })
    }
}

/// An iterator over the instants at which decisions about contacts of an account change, in the order of time
/// and, at an instant, of the contacts. Their text messages count against one limit.
pub(super) struct Forecast<'a> {
    /// The account, with the text messages that it will have sent.
    account: AccountFacts,
    contacts: Vec<(&'a ContactFacts, ContactForecast<'a>)>,
    /// When something may change next for each contact, with its index.
    queue: BTreeSet<(OffsetDateTime, usize)>,
    until: OffsetDateTime,
}

impl<'a> Forecast<'a> {
    pub(super) fn new(
        account: &AccountFacts,
        contacts: impl Iterator<Item = (&'a ContactFacts, &'a [InvoiceFacts])>,
        from: OffsetDateTime,
        until: OffsetDateTime,
    ) -> Self {
        let months = months(account, from, until);
        let of = |(contact, invoices)| {
            (contact, ContactForecast::new(account, contact, invoices, &months, (from, until)))
        };
        let contacts: Vec<_> = contacts.map(of).collect();
        let is_started = account.policy.started_at.is_some() && from <= until;
        let queue = (0..contacts.len()).filter(|_| is_started).map(|place| (from, place)).collect();
        Self { account: account.clone(), contacts, queue, until }
    }

    /// Counts a text message that is sent. If it is the last of the month, the worker's next run holds back
    /// those of all contacts.
    fn count_text(&mut self, now: OffsetDateTime) {
        let today = self.account.zone.date_at(now);
        self.account.count_text(today);
        if !self.account.has_texts_left(today) {
            self.queue = (0..self.contacts.len()).map(|place| (now, place)).collect();
        }
    }
}

impl<'a> Iterator for Forecast<'a> {
    type Item = ForecastChange<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let (at, place) = self.queue.pop_first()?;
            let Some((contact, forecast)) = self.contacts.get_mut(place) else {
                continue;
            };
            let contact = *contact;
            let steps = forecast.decide(&self.account, at);
            let next = forecast.next_change(at).filter(|next| *next <= self.until);
            self.queue.extend(next.map(|next| (next, place)));
            let is_text =
                |step: &StepDecision| step.decision == Decision::Send && step.key.channel != Channel::Email;
            if steps.iter().any(is_text) {
                self.count_text(at);
            }
            if !steps.is_empty() {
                return Some(ForecastChange { at, contact, steps });
            }
        }
    }
}

/// When months of the account begin, if it has a limit of text messages in a month.
fn months(account: &AccountFacts, from: OffsetDateTime, until: OffsetDateTime) -> Vec<OffsetDateTime> {
    let following =
        |day: &Date| day.replace_day(1).ok()?.checked_add(Duration::days(31))?.replace_day(1).ok();
    let first = account.texts.and_then(|_| following(&account.zone.date_at(from)));
    let months = successors(first, following).map(|day| account.zone.start_of(day));
    months.take_while(|at| *at <= until).collect()
}
