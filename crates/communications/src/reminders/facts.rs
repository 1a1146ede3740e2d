//! The facts that the plan and the permit depend on.

use std::cmp::Reverse;

use contacts::ContactId;
use escalations::Channel;
use invoices::{InvoiceId, InvoiceStatus};
use kernel::{AccountId, EmailAddress, TimeZone};
use time::{Date, Duration, OffsetDateTime};

use super::decision::{Decision, StepDecision};
use super::policy::{ReminderPolicy, StepKey};
use crate::address::Address;
use crate::address_hold::CloseReason;
use crate::contact_clock::{ContactClock, may_be_one_day};

/// The facts of an account that reminders depend on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountFacts {
    /// The account.
    pub account: AccountId,
    /// Its time zone.
    pub zone: TimeZone,
    /// Whether the account is switched on and its communications are on.
    pub is_on: bool,
    /// Its policy.
    pub policy: ReminderPolicy,
    /// Its text messages and calls of a month; `None` without a limit.
    pub texts: Option<MonthlyTexts>,
    /// Whether the service sends text messages. The service sets this; the store does not know it.
    pub sends_texts: bool,
}

/// The text messages and calls that an account may send in a calendar month of its time zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MonthlyTexts {
    /// The most in a month.
    pub limit: i64,
    /// How many of the month of `counted_on` were queued and not dropped.
    pub used: i64,
    /// The day of the account on which they were counted.
    pub counted_on: Date,
}

/// A contact with invoices that reminders may be about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContactReminders {
    /// The contact.
    pub contact: ContactFacts,
    /// The contact's open invoices, in the order of their ids.
    pub invoices: Vec<InvoiceFacts>,
}

/// A contact of the account, as it is now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContactFacts {
    /// The contact.
    pub contact: ContactId,
    /// The contact's name.
    pub name: String,
    /// The contact's local time.
    pub clock: ContactClock,
    /// The e-mail address, as written: mail is sent to it.
    pub email: Option<EmailAddress>,
    /// The telephone number.
    pub phone: Option<Address>,
    /// Whether an escalation of the contact is open.
    pub open_escalation: bool,
    /// When the last of the contact's escalations was closed, UTC.
    pub escalation_closed_at: Option<OffsetDateTime>,
    /// Whether a message from the contact waits to be read.
    pub reply_unread: bool,
    /// Channels that are closed at the contact's present address, and why.
    pub closed: Vec<(Channel, CloseReason)>,
    /// The channels besides e-mail that the contact has consented to.
    pub consents: Vec<Channel>,
    /// When the account recently wrote to the contact by mail or text message, except receipts and answers,
    /// UTC.
    pub written_at: Vec<OffsetDateTime>,
    /// When the contact was reminded in the last 30 days, UTC.
    pub reminded_at: Vec<OffsetDateTime>,
}

/// Until when the reminders of an invoice are paused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PausedUntil {
    /// They resume on this day, in the account's time zone.
    Date(Date),
    /// They never resume.
    Never,
}

/// The latest decision about a step and when it was due: it was due at another time before the due date
/// moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StepRecord {
    /// The step.
    pub key: StepKey,
    /// When the step was due, as it was then known, UTC.
    pub due_at: OffsetDateTime,
    /// The decision.
    pub decision: Decision,
}

/// An invoice of the contact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvoiceFacts {
    /// The invoice.
    pub invoice: InvoiceId,
    /// Its status.
    pub status: InvoiceStatus,
    /// Whether anything is due.
    pub is_due: bool,
    /// Its date.
    pub invoice_date: Date,
    /// Its due date.
    pub due_date: Date,
    /// When it was issued, UTC.
    pub issued_at: OffsetDateTime,
    /// When it was last mailed to the contact, UTC.
    pub mailed_at: Option<OffsetDateTime>,
    /// The last day of an open promise, in the account's time zone.
    pub promised_until: Option<Date>,
    /// Whether a payment is pending.
    pub payment_pending: bool,
    /// Until when the owner paused its reminders, if they are paused.
    pub paused: Option<PausedUntil>,
    /// The latest decisions about its steps, of its present contact only.
    pub records: Vec<StepRecord>,
}

/// All facts that the decisions about one contact depend on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts<'a> {
    /// The account.
    pub account: &'a AccountFacts,
    /// The contact.
    pub contact: ContactFacts,
    /// The contact's invoices, in the order of their ids.
    pub invoices: Vec<InvoiceFacts>,
}

/// How long reminders are held after a mail, the issue of an invoice that was not mailed, or the end of an
/// escalation.
pub const HOLD_PERIOD: Duration = Duration::hours(48);
/// At most this many reminders in each of these periods.
pub const CAPS: [(usize, Duration); 2] = [(3, Duration::days(7)), (10, Duration::days(30))];
/// An invoice that was more than this many days late when reminders were started belongs to the backlog.
pub const BACKLOG_DAYS: i64 = 30;

impl AccountFacts {
    /// Whether it may send another text message or call on a day of its time zone.
    #[must_use]
    pub fn has_texts_left(&self, day: Date) -> bool {
        self.texts.is_none_or(|texts| texts.used_in_month_of(day) < texts.limit)
    }

    /// Counts a text message or call that is sent on a day.
    pub(super) fn count_text(&mut self, day: Date) {
        if let Some(texts) = &mut self.texts {
            texts.used = texts.used_in_month_of(day).saturating_add(1);
            texts.counted_on = day;
        }
    }
}

impl MonthlyTexts {
    /// None of another month than the counted one was sent yet.
    fn used_in_month_of(self, day: Date) -> i64 {
        let month = |day: Date| (day.year(), day.month());
        if month(day) == month(self.counted_on) { self.used } else { 0 }
    }
}

impl ContactReminders {
    /// The facts of the contact together with those of its account.
    #[must_use]
    pub fn into_facts(self, account: &AccountFacts) -> Facts<'_> {
        Facts { account, contact: self.contact, invoices: self.invoices }
    }
}

impl ContactFacts {
    /// The contact's address for a channel, normalised.
    #[must_use]
    pub fn address(&self, channel: Channel) -> Option<Address> {
        match channel {
            Channel::Email => self.email.as_ref().map(Address::from),
            Channel::Sms | Channel::Voice => self.phone.clone(),
        }
    }

    /// Whether the contact has an address for a channel.
    #[must_use]
    pub const fn has_address(&self, channel: Channel) -> bool {
        match channel {
            Channel::Email => self.email.is_some(),
            Channel::Sms | Channel::Voice => self.phone.is_some(),
        }
    }

    /// Records that the contact is reminded.
    pub fn was_reminded(&mut self, at: OffsetDateTime) {
        self.written_at.push(at);
        self.reminded_at.push(at);
    }

    /// Removes instants that can no longer hold anything back: all of `written_at` but the latest, and all of
    /// `reminded_at` but as many as the caps count.
    pub(super) fn forget(&mut self) {
        self.written_at = self.written_at.iter().max().copied().into_iter().collect();
        self.reminded_at.sort_unstable_by_key(|at| Reverse(*at));
        self.reminded_at.truncate(CAPS.iter().map(|(most, _)| *most).max().unwrap_or_default());
    }
}

impl InvoiceFacts {
    /// The day on which a step is due, by the present due date.
    #[must_use]
    pub fn step_day(&self, key: StepKey) -> Option<Date> {
        self.due_date.checked_add(Duration::days(key.days.into()))
    }

    /// What was decided about a step that is due at an instant. A decision from before the due date moved
    /// away does not count. One that is final goes before a later one: the day may have moved away and back.
    #[must_use]
    pub fn record(&self, key: StepKey, due_at: OffsetDateTime) -> Option<Decision> {
        let own = |record: &&StepRecord| record.key == key && may_be_one_day(record.due_at, due_at);
        let nearest = |record: &&StepRecord| (!record.decision.is_final(), (record.due_at - due_at).abs());
        self.records.iter().filter(own).min_by_key(nearest).map(|record| record.decision)
    }

    /// Whether a step that was due at an instant is due by the present due date too.
    #[must_use]
    pub fn is_still_due(&self, step: &StepDecision, clock: &ContactClock, now: OffsetDateTime) -> bool {
        self.step_day(step.key)
            .map(|day| clock.step_due(day))
            .is_some_and(|due_at| due_at <= now && may_be_one_day(due_at, step.due_at))
    }

    /// When the latest of the steps that were sent, or wait to be, was due by the present due date. It
    /// replaces earlier steps, even if the policy does not have it any more. `step_due` is when steps are due
    /// on a day.
    pub(super) fn sent_step_due(
        &self,
        mut step_due: impl FnMut(Date) -> OffsetDateTime,
    ) -> Option<OffsetDateTime> {
        let sent = |record: &&StepRecord| matches!(record.decision, Decision::Send | Decision::Sent);
        let sent = self.records.iter().filter(sent);
        let due = sent.filter_map(|record| {
            let due_at = step_due(self.step_day(record.key)?);
            may_be_one_day(record.due_at, due_at).then_some(due_at)
        });
        due.max()
    }

    /// Whether a step of a later day is due, by the present due date, and not left out.
    #[must_use]
    pub(super) fn is_replaced(
        &self,
        key: StepKey,
        policy: &ReminderPolicy,
        clock: &ContactClock,
        now: OffsetDateTime,
    ) -> bool {
        let mut later = policy.steps.iter().filter(|step| step.key.days > key.days);
        later.any(|step| {
            let due_at = self.step_day(step.key).map(|day| clock.step_due(day));
            due_at.is_some_and(|due_at| due_at <= now && !step.was_added_after(due_at))
        })
    }

    /// When it counts as issued: a scheduled invoice on its date, unless it was last mailed earlier. `begins`
    /// is when its date begins in the account's time zone.
    #[must_use]
    pub fn issued(&self, begins: OffsetDateTime) -> OffsetDateTime {
        let was_mailed_early = self.mailed_at.is_some_and(|at| at < begins);
        if was_mailed_early { self.issued_at } else { self.issued_at.max(begins) }
    }

    /// Whether it was issued less than [`HOLD_PERIOD`] ago and not mailed.
    #[must_use]
    pub fn is_fresh(&self, begins: OffsetDateTime, now: OffsetDateTime) -> bool {
        self.mailed_at.is_none() && now < self.issued(begins).saturating_add(HOLD_PERIOD)
    }

    /// Whether reminders of it are possible at an instant.
    #[must_use]
    pub fn is_open(&self, begins: OffsetDateTime, now: OffsetDateTime) -> bool {
        match self.status {
            InvoiceStatus::Unpaid | InvoiceStatus::Overdue | InvoiceStatus::PartiallyPaid => true,
            InvoiceStatus::Scheduled => begins <= now,
            InvoiceStatus::Draft | InvoiceStatus::Paid | InvoiceStatus::Cancelled => false,
        }
    }
}

/// The invoices that were so late when reminders were started that the owner must opt in to reminders of
/// them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Backlog {
    /// Invoices that were due before this day belong to it.
    before: Option<Date>,
}

impl Backlog {
    /// The backlog of an account; empty while reminders are stopped.
    #[must_use]
    pub fn new(account: &AccountFacts) -> Self {
        Self { before: account.policy.started_on.map(|day| day.saturating_sub(Duration::days(BACKLOG_DAYS))) }
    }

    /// The day before which the invoices of the backlog were due.
    #[must_use]
    pub const fn before(self) -> Option<Date> {
        self.before
    }

    /// Whether an invoice belongs to the backlog.
    #[must_use]
    pub fn has(self, invoice: &InvoiceFacts) -> bool {
        self.before.is_some_and(|day| invoice.due_date < day)
    }
}
