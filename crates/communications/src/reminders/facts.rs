//! What the plan and the permit look at.

use std::cmp::Reverse;

use contacts::ContactId;
use escalations::Channel;
use invoices::{InvoiceId, Status};
use kernel::{AccountId, TimeZone};
use time::{Date, Duration, OffsetDateTime};

use super::decision::Decision;
use super::policy::{ReminderPolicy, StepKey};
use crate::address::Address;
use crate::address_hold::Closed;
use crate::contact_clock::ContactClock;

/// An account, as far as reminders look at it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountFacts {
    /// The account.
    pub account: AccountId,
    /// Its time zone.
    pub zone: TimeZone,
    /// Whether it is switched on and has its communications on.
    pub is_on: bool,
    /// Its policy.
    pub policy: ReminderPolicy,
    /// Whether it may send another text message this month.
    pub has_texts_left: bool,
    /// Whether the service sends text messages: it is of the service, and the store knows nothing of it.
    pub sends_texts: bool,
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
    /// The contact's clocks.
    pub clock: ContactClock,
    /// The e-mail address.
    pub email: Option<Address>,
    /// The telephone number.
    pub phone: Option<Address>,
    /// Whether an escalation of the contact is open.
    pub open_escalation: bool,
    /// When the last of the contact's escalations was closed, UTC.
    pub escalation_closed_at: Option<OffsetDateTime>,
    /// Whether something that the contact wrote waits to be read.
    pub reply_unread: bool,
    /// Channels that are closed at the contact's present address, and why.
    pub closed: Vec<(Channel, Closed)>,
    /// The channels besides e-mail that the contact has consented to.
    pub consents: Vec<Channel>,
    /// When the account wrote to the contact by mail or text message lately, receipts and answers left out,
    /// UTC.
    pub written_at: Vec<OffsetDateTime>,
    /// When the contact was reminded in the last 30 days, UTC.
    pub reminded_at: Vec<OffsetDateTime>,
}

/// Until when the reminders of an invoice are paused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PausedUntil {
    /// They go on with this day, in the account's time zone.
    Date(Date),
    /// They never go on.
    Never,
}

/// What was decided last about a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StepRecord {
    /// The step.
    pub key: StepKey,
    /// What was decided.
    pub decision: Decision,
}

/// An invoice of the contact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvoiceFacts {
    /// The invoice.
    pub invoice: InvoiceId,
    /// Where it stands.
    pub status: Status,
    /// Whether anything is due.
    pub is_due: bool,
    /// Its date.
    pub invoice_date: Date,
    /// Its due date.
    pub due_date: Date,
    /// When it was issued, UTC.
    pub issued_at: OffsetDateTime,
    /// Whether it was mailed to the contact.
    pub was_mailed: bool,
    /// The last day of an open promise, in the account's time zone.
    pub promised_until: Option<Date>,
    /// Whether a payment is on its way.
    pub payment_pending: bool,
    /// Whether the owner paused its reminders.
    pub paused: Option<PausedUntil>,
    /// What was decided last about each of its steps.
    pub records: Vec<StepRecord>,
}

/// All that is looked at for one contact.
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
pub const REST: Duration = Duration::hours(48);
/// At most this many reminders in each of these periods.
pub const CAPS: [(usize, Duration); 2] = [(3, Duration::days(7)), (10, Duration::days(30))];
/// An invoice that was later than this when reminders were started is of the backlog.
pub const BACKLOG_DAYS: i64 = 30;

impl ContactReminders {
    /// All that is looked at for the contact.
    #[must_use]
    pub fn into_facts(self, account: &AccountFacts) -> Facts<'_> {
        Facts { account, contact: self.contact, invoices: self.invoices }
    }
}

impl ContactFacts {
    /// The contact's address for a channel.
    #[must_use]
    pub const fn address(&self, channel: Channel) -> Option<&Address> {
        match channel {
            Channel::Email => self.email.as_ref(),
            Channel::Sms | Channel::Voice => self.phone.as_ref(),
        }
    }

    /// Notes that the contact is reminded.
    pub fn was_reminded(&mut self, at: OffsetDateTime) {
        self.written_at.push(at);
        self.reminded_at.push(at);
    }

    /// Forgets what can hold nothing back any more: all that was written but the latest, and of reminders
    /// all but as many as the caps count.
    pub(super) fn forget(&mut self) {
        self.written_at = self.written_at.iter().max().copied().into_iter().collect();
        self.reminded_at.sort_unstable_by_key(|at| Reverse(*at));
        self.reminded_at.truncate(CAPS.iter().map(|(most, _)| *most).max().unwrap_or_default());
    }
}

impl InvoiceFacts {
    /// What was decided last about a step.
    #[must_use]
    pub fn record(&self, key: StepKey) -> Option<Decision> {
        self.records.iter().find(|record| record.key == key).map(|record| record.decision)
    }

    /// Since when it counts as issued: a scheduled one from its date on, unless it was sent earlier. `begins`
    /// is when its date begins in the account's time zone.
    #[must_use]
    pub fn issued(&self, begins: OffsetDateTime) -> OffsetDateTime {
        if self.was_mailed { self.issued_at } else { self.issued_at.max(begins) }
    }

    /// Whether it was issued lately without a mail.
    #[must_use]
    pub fn is_fresh(&self, begins: OffsetDateTime, now: OffsetDateTime) -> bool {
        !self.was_mailed && now < self.issued(begins) + REST
    }

    /// Whether reminders may come into question at an instant.
    #[must_use]
    pub fn is_open(&self, begins: OffsetDateTime, now: OffsetDateTime) -> bool {
        match self.status {
            Status::Unpaid | Status::Overdue | Status::PartiallyPaid => true,
            Status::Scheduled => begins <= now,
            Status::Draft | Status::Paid | Status::Cancelled => false,
        }
    }
}

/// The invoices that were so late when reminders were started that the owner has to ask for them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Backlog {
    /// Those that were due before this day.
    before: Option<Date>,
}

impl Backlog {
    /// The backlog of an account; empty while reminders are stopped.
    #[must_use]
    pub fn new(account: &AccountFacts) -> Self {
        let started_on = account.policy.started_at.map(|at| account.zone.date_at(at));
        Self { before: started_on.map(|day| day.saturating_sub(Duration::days(BACKLOG_DAYS))) }
    }

    /// Whether an invoice is of it.
    #[must_use]
    pub fn has(self, invoice: &InvoiceFacts) -> bool {
        self.before.is_some_and(|day| invoice.due_date < day)
    }
}
