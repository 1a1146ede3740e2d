//! The permit, without which no reminder is sent.

use std::cell::LazyCell;

use contacts::ContactId;
use escalations::Channel;
use invoices::InvoiceId;
use kernel::AccountId;
use time::{Date, OffsetDateTime};

use super::decision::HoldReason;
use super::facts::{AccountFacts, CAPS, ContactFacts, HOLD_PERIOD, InvoiceFacts, PausedUntil};
use crate::address::Address;
use crate::address_hold::CloseReason;

/// The right to remind one contact of some invoices by one channel, now. Only [`permit`] and [`join`] make
/// one. Functions that send a reminder take it by value, so that each attempt needs a new one.
#[derive(Debug, PartialEq, Eq)]
pub struct Permit {
    account: AccountId,
    contact: ContactId,
    invoices: Vec<InvoiceId>,
    channel: Channel,
    address: Address,
    at: OffsetDateTime,
}

impl Permit {
    /// The account in whose name the reminder is sent.
    #[must_use]
    pub const fn account(&self) -> AccountId {
        self.account
    }

    /// The contact.
    #[must_use]
    pub const fn contact(&self) -> ContactId {
        self.contact
    }

    /// The invoices.
    #[must_use]
    pub fn invoices(&self) -> &[InvoiceId] {
        &self.invoices
    }

    /// The only channel that it allows.
    #[must_use]
    pub const fn channel(&self) -> Channel {
        self.channel
    }

    /// The contact's address, normalised.
    #[must_use]
    pub const fn address(&self) -> &Address {
        &self.address
    }

    /// Whether it is for a message of this account, channel and address.
    #[must_use]
    pub fn covers(&self, account: AccountId, channel: Channel, address: &Address) -> bool {
        self.account == account && self.channel == channel && self.address == *address
    }

    /// When it was granted, UTC.
    #[must_use]
    pub const fn at(&self) -> OffsetDateTime {
        self.at
    }
}

/// Joins permits for the same account, contact, channel, address and instant. `None` if there are none or
/// they differ in one of these.
#[must_use]
pub fn join(permits: Vec<Permit>) -> Option<Permit> {
    permits.into_iter().map(Some).reduce(|one, next| {
        let (mut one, next) = (one?, next?);
        let belongs = one.account == next.account
            && one.contact == next.contact
            && one.channel == next.channel
            && one.address == next.address
            && one.at == next.at;
        one.invoices.extend(next.invoices);
        belongs.then_some(one)
    })?
}

/// Decides whether a contact may be reminded of an invoice by a channel now. Lasting reasons are checked
/// before those that pass with time, so that the reason changes as seldom as possible.
///
/// # Errors
/// The reason that holds the reminder back.
pub fn permit(
    account: &AccountFacts,
    contact: &ContactFacts,
    invoice: &InvoiceFacts,
    channel: Channel,
    now: OffsetDateTime,
) -> Result<Permit, HoldReason> {
    let begins = account.zone.start_of(invoice.invoice_date);
    PermitContext::new(account, contact, now).permit(invoice, begins, channel)
}

/// A contact at an instant. What is the same for all of its invoices is computed once.
#[derive(Debug)]
pub(super) struct PermitContext<'a> {
    account: &'a AccountFacts,
    contact: &'a ContactFacts,
    now: OffsetDateTime,
    today: Date,
    holds: Holds,
}

/// The reasons that hold back reminders of any invoice: for each channel, of fresh invoices and of others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Holds([[Option<HoldReason>; 2]; 3]);

impl<'a> PermitContext<'a> {
    pub(super) fn new(account: &'a AccountFacts, contact: &'a ContactFacts, now: OffsetDateTime) -> Self {
        let today = account.zone.date_at(now);
        let of_contact = of_contact(contact, now);
        let of_time = LazyCell::new(|| of_time(contact, now));
        let of = |channel| {
            let lasting = of_contact.and_then(|()| of_channel(account, contact, channel, today));
            match lasting {
                Err(reason) => [Some(reason); 2],
                Ok(()) => [Some(HoldReason::RecentlyMailed), of_time.err()],
            }
        };
        let holds = Holds([of(Channel::Email), of(Channel::Sms), of(Channel::Voice)]);
        Self { account, contact, now, today, holds }
    }

    pub(super) const fn holds(&self) -> Holds {
        self.holds
    }

    pub(super) const fn now(&self) -> OffsetDateTime {
        self.now
    }

    /// Whether a contact may be reminded of an invoice, as far as the invoice is concerned.
    pub(super) fn of_invoice(
        &self,
        invoice: &InvoiceFacts,
        begins: OffsetDateTime,
    ) -> Result<(), HoldReason> {
        let is_open = invoice.is_open(begins, self.now);
        of_invoice(self.account, invoice, is_open, self.today)
    }

    /// Whether a contact may be reminded of an invoice by a channel.
    pub(super) fn allows(
        &self,
        invoice: &InvoiceFacts,
        begins: OffsetDateTime,
        channel: Channel,
    ) -> Result<(), HoldReason> {
        self.of_invoice(invoice, begins)?;
        let [fresh, others] = self.holds.by(channel);
        let held = if invoice.is_fresh(begins, self.now) { fresh } else { others };
        held.map_or(Ok(()), Err)
    }

    /// The permit to remind a contact of an invoice by a channel.
    pub(super) fn permit(
        &self,
        invoice: &InvoiceFacts,
        begins: OffsetDateTime,
        channel: Channel,
    ) -> Result<Permit, HoldReason> {
        self.allows(invoice, begins, channel)?;
        let address = self.contact.address(channel).ok_or(HoldReason::NoAddress)?;
        Ok(Permit {
            account: self.account.account,
            contact: self.contact.contact,
            invoices: vec![invoice.invoice],
            channel,
            address,
            at: self.now,
        })
    }
}

impl Holds {
    const fn by(self, channel: Channel) -> [Option<HoldReason>; 2] {
        let Self([email, sms, voice]) = self;
        match channel {
            Channel::Email => email,
            Channel::Sms => sms,
            Channel::Voice => voice,
        }
    }

    /// Whether quiet hours hold a reminder back.
    pub(super) fn are_quiet_hours(self) -> bool {
        self.0.iter().flatten().any(|reason| *reason == Some(HoldReason::QuietHours))
    }
}

fn hold_if(holds: bool, reason: HoldReason) -> Result<(), HoldReason> {
    if holds { Err(reason) } else { Ok(()) }
}

fn of_invoice(
    account: &AccountFacts,
    invoice: &InvoiceFacts,
    is_open: bool,
    today: Date,
) -> Result<(), HoldReason> {
    hold_if(!is_open || !invoice.is_due, HoldReason::NothingDue)?;
    hold_if(!account.is_on, HoldReason::CommunicationsOff)?;
    let is_paused = match invoice.paused {
        None => false,
        Some(PausedUntil::Never) => true,
        Some(PausedUntil::Date(date)) => today < date,
    };
    hold_if(is_paused || account.policy.started_at.is_none(), HoldReason::Paused)?;
    hold_if(invoice.payment_pending, HoldReason::PaymentPending)?;
    hold_if(invoice.promised_until.is_some_and(|date| today <= date), HoldReason::Promise)
}

fn of_contact(contact: &ContactFacts, now: OffsetDateTime) -> Result<(), HoldReason> {
    let rests = contact.escalation_closed_at.is_some_and(|closed| now < closed.saturating_add(HOLD_PERIOD));
    hold_if(contact.open_escalation || rests, HoldReason::OpenEscalation)?;
    hold_if(contact.reply_unread, HoldReason::ReplyUnread)
}

fn of_channel(
    account: &AccountFacts,
    contact: &ContactFacts,
    channel: Channel,
    today: Date,
) -> Result<(), HoldReason> {
    hold_if(channel != Channel::Email && !account.sends_texts, HoldReason::CommunicationsOff)?;
    hold_if(!contact.has_address(channel), HoldReason::NoAddress)?;
    let is_closed = |closed| contact.closed.contains(&(channel, closed));
    hold_if(is_closed(CloseReason::OptedOut), HoldReason::OptedOut)?;
    hold_if(is_closed(CloseReason::Bounced), HoldReason::Bounced)?;
    hold_if(channel != Channel::Email && !contact.consents.contains(&channel), HoldReason::NoConsent)?;
    hold_if(channel != Channel::Email && !account.has_texts_left(today), HoldReason::Cap)
}

fn of_time(contact: &ContactFacts, now: OffsetDateTime) -> Result<(), HoldReason> {
    let was_written = contact.written_at.iter().any(|at| now < at.saturating_add(HOLD_PERIOD));
    hold_if(was_written, HoldReason::RecentlyMailed)?;
    let is_full = |(most, period): (usize, time::Duration)| {
        contact.reminded_at.iter().filter(|at| now < at.saturating_add(period)).count() >= most
    };
    hold_if(CAPS.into_iter().any(is_full), HoldReason::Cap)?;
    hold_if(!contact.clock.allows(now), HoldReason::QuietHours)
}
