//! The forecast: the reminders that will be sent next, for the owner to see.

use contacts::ContactId;
use escalations::Channel;
use invoices::InvoiceId;
use kernel::{AccountId, Id, StoreResult};
use time::{Date, Duration, OffsetDateTime};
use uuid::Uuid;

use super::decision::{Decision, HoldReason, SkipReason};
use super::facts::{AccountFacts, Backlog, ContactReminders, InvoiceFacts, PausedUntil};
use super::forecast::{Forecast, ForecastChange, ForecastStep};
use super::ports::ReminderReads;
use super::service::{CONTACTS_AT_ONCE, ReminderService};

/// A message that will be sent if nothing else happens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForecastMessage {
    /// When it will be sent, UTC.
    pub at: OffsetDateTime,
    /// The contact that it goes to.
    pub contact: ContactId,
    /// The contact's name.
    pub name: String,
    /// The channel that it is sent by.
    pub channel: Channel,
    /// The invoices that it lists.
    pub invoices: Vec<InvoiceId>,
}

/// What reminders will do next about one invoice.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum NextReminder {
    /// A message will list it.
    Message(ForecastMessage),
    /// No message will list it: this holds its next step back.
    Held(HoldReason),
    /// It has no further step.
    #[default]
    Nothing,
}

/// The facts for a forecast. Its methods are slow if there are many invoices: a server must not call them on
/// the threads that serve requests.
#[derive(Debug, Clone)]
pub struct AccountForecast {
    account: AccountFacts,
    contacts: Vec<ContactReminders>,
    from: OffsetDateTime,
    until: OffsetDateTime,
}

/// The decision about a step that replaces no other.
const ADDED_LATER: Decision = Decision::Skip(SkipReason::AddedLater);

/// How far ahead the next reminder of an invoice is searched for: to its last step, and this long after it
/// for what may hold it back.
const SEARCH_PERIOD: Duration = Duration::days(60);
/// Whatever is due later than this is not searched for.
const LONGEST_SEARCH: Duration = Duration::days(5 * 366);

impl ReminderService {
    /// What the reminders of an account will do within `days` days if nothing else happens, in the order of
    /// time.
    pub async fn forecast(
        &self,
        account: AccountId,
        days: u16,
    ) -> StoreResult<Vec<(ContactId, ForecastStep)>> {
        let now = self.clock.now();
        let until = now.saturating_add(Duration::days(days.into()));
        let Some(account) = self.facts(account, now).await? else {
            return Ok(Vec::new());
        };
        let forecast = AccountForecast::read_all(&*self.reminder_reads, account, (now, until)).await?;
        let steps = forecast.changes().flat_map(|change| {
            let contact = change.contact.contact;
            change.into_steps().map(move |step| (contact, step))
        });
        Ok(steps.collect())
    }

    /// Reads the facts for a forecast of `days` days; for an account that has not started reminders, as if it
    /// started them now. `None` when the forecast would cover more than `limit` open invoices, or there is no
    /// such account.
    pub async fn account_forecast(
        &self,
        account: AccountId,
        days: u16,
        limit: usize,
    ) -> StoreResult<Option<AccountForecast>> {
        let from = self.clock.now();
        let until = from.saturating_add(Duration::days(days.into()));
        let Some(account) = self.started_facts(account, from).await? else {
            return Ok(None);
        };
        AccountForecast::read(&*self.reminder_reads, account, (from, until), limit).await
    }

    /// Reads the facts for a forecast for one contact until the last step of one of its invoices; `None`
    /// while reminders are stopped.
    pub async fn forecast_of_contact(
        &self,
        account: AccountId,
        contact: ContactId,
        invoice: InvoiceId,
    ) -> StoreResult<Option<AccountForecast>> {
        let from = self.clock.now();
        let until = from.saturating_add(LONGEST_SEARCH);
        let facts = self.facts(account, from).await?;
        let Some(account) = facts.filter(|facts| facts.policy.started_at.is_some()) else {
            return Ok(None);
        };
        // The contact is the first one after the id that precedes its own.
        let before = Uuid::from_u128(contact.uuid().as_u128().saturating_sub(1));
        let before = Some(Id::from_uuid(before));
        let mut contacts = self.reminder_reads.contacts(&account, until, before, 1, from).await?;
        contacts.retain(|one| one.contact.contact == contact);
        let wanted = contacts.iter().flat_map(|one| &one.invoices).find(|one| one.invoice == invoice);
        let last = wanted.map(|wanted| account.zone.start_of(last_day(wanted, &account)));
        let last = last.unwrap_or(from).max(from);
        let until = last.saturating_add(SEARCH_PERIOD).min(until);
        Ok(Some(AccountForecast { account, contacts, from, until }))
    }

    /// How many open invoices are over 30 days late: the owner decides whether reminders of them are sent.
    /// Once reminders are started, it counts how late the invoices were at that time.
    pub async fn backlog(&self, account: AccountId) -> StoreResult<usize> {
        let now = self.clock.now();
        let facts = self.started_facts(account, now).await?;
        match facts.and_then(|facts| Backlog::new(&facts).before()) {
            Some(day) => self.reminder_reads.count_due_before(account, day).await,
            None => Ok(0),
        }
    }

    /// The facts of the account, as if reminders start now if they have not started.
    async fn started_facts(
        &self,
        account: AccountId,
        now: OffsetDateTime,
    ) -> StoreResult<Option<AccountFacts>> {
        let mut facts = self.facts(account, now).await?;
        if let Some(facts) = &mut facts {
            facts.policy.start(now, &facts.zone);
        }
        Ok(facts)
    }
}

impl AccountForecast {
    /// Reads the facts for a forecast from one instant until another; `None` when it would cover more than
    /// `limit` open invoices.
    pub async fn read(
        reads: &dyn ReminderReads,
        account: AccountFacts,
        (from, until): (OffsetDateTime, OffsetDateTime),
        limit: usize,
    ) -> StoreResult<Option<Self>> {
        if reads.has_more_open(&account, until, limit).await? {
            return Ok(None);
        }
        Self::read_all(reads, account, (from, until)).await.map(Some)
    }

    /// [`read`](Self::read) without a limit.
    async fn read_all(
        reads: &dyn ReminderReads,
        account: AccountFacts,
        (from, until): (OffsetDateTime, OffsetDateTime),
    ) -> StoreResult<Self> {
        let mut contacts: Vec<ContactReminders> = Vec::new();
        loop {
            let after = contacts.last().map(|one| one.contact.contact);
            let page = reads.contacts(&account, until, after, CONTACTS_AT_ONCE, from).await?;
            if page.is_empty() {
                return Ok(Self { account, contacts, from, until });
            }
            contacts.extend(page);
        }
    }

    /// What will happen, in the order of time.
    fn changes(&self) -> Forecast<'_> {
        let contacts = self.contacts.iter().map(|one| (&one.contact, one.invoices.as_slice()));
        Forecast::new(&self.account, contacts, self.from, self.until)
    }

    /// The first messages that will be sent if nothing else happens, at most `limit`, in the order of time;
    /// and how many more will be.
    #[must_use]
    pub fn messages(self, limit: usize) -> (Vec<ForecastMessage>, usize) {
        let mut sent = self.changes().filter_map(|change| message(&change));
        let first = sent.by_ref().take(limit).collect();
        (first, sent.count())
    }

    /// The next message that will list an invoice, or what holds it back.
    #[must_use]
    pub fn next_of(self, invoice: InvoiceId) -> NextReminder {
        let already = |contact| held_already(contact, &self.account, invoice, self.from);
        let mut held = self.contacts.iter().find_map(already);
        for change in self.changes() {
            if let Some(message) = message(&change).filter(|message| message.invoices.contains(&invoice)) {
                return NextReminder::Message(message);
            }
            let of_invoice = change.steps.iter().filter(|step| step.invoice == invoice);
            let mut of_invoice = of_invoice.filter(|step| step.decision != ADDED_LATER).peekable();
            // What holds now is the answer: neither what was decided before, nor what will hold later.
            if change.at == self.from && of_invoice.peek().is_some() {
                held = None;
            }
            held = held.or_else(|| of_invoice.find_map(|step| hold(step.decision)));
        }
        held.map_or(NextReminder::Nothing, NextReminder::Held)
    }
}

/// The last day on which time alone may let a reminder of an invoice be sent: its last step's, unless its
/// pause or promise ends later.
fn last_day(invoice: &InvoiceFacts, account: &AccountFacts) -> Date {
    let steps = account.policy.steps.iter().filter_map(|step| invoice.step_day(step.key));
    let paused = match invoice.paused {
        Some(PausedUntil::Date(day)) => Some(day),
        Some(PausedUntil::Never) | None => None,
    };
    steps.chain(paused).chain(invoice.promised_until).max().unwrap_or(invoice.due_date)
}

/// What holds back the latest step that is due, as it was decided: the forecast has changes only.
fn held_already(
    contact: &ContactReminders,
    account: &AccountFacts,
    invoice: InvoiceId,
    now: OffsetDateTime,
) -> Option<HoldReason> {
    let facts = contact.invoices.iter().find(|one| one.invoice == invoice)?;
    let clock = &contact.contact.clock;
    let steps = account.policy.steps.iter().filter_map(|step| {
        let due_at = clock.step_due(facts.step_day(step.key)?);
        (due_at <= now && !step.was_added_after(due_at)).then_some((due_at, step.key))
    });
    let latest = steps.clone().map(|(due_at, _)| due_at).max()?;
    let mut decided = steps.filter(|(due_at, _)| *due_at == latest);
    decided.find_map(|(due_at, key)| hold(facts.record(key, due_at)?))
}

const fn hold(decision: Decision) -> Option<HoldReason> {
    match decision {
        Decision::Hold(reason) => Some(reason),
        Decision::Send | Decision::Sent | Decision::Skip(_) => None,
    }
}

/// The one message that is sent to a contact at an instant, if any.
fn message(change: &ForecastChange<'_>) -> Option<ForecastMessage> {
    let sends = change.steps.iter().filter(|step| step.decision == Decision::Send);
    let channel = sends.clone().next()?.key.channel;
    // Steps are in the order of invoices.
    let mut invoices: Vec<InvoiceId> = sends.map(|step| step.invoice).collect();
    invoices.dedup();
    let (contact, name) = (change.contact.contact, change.contact.name.clone());
    Some(ForecastMessage { at: change.at, contact, name, channel, invoices })
}
