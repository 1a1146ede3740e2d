//! What reminders will do next, as the owner sees it ahead.

use contacts::ContactId;
use escalations::Channel;
use invoices::InvoiceId;
use kernel::{AccountId, Id, StoreError};
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use super::decision::Decision;
use super::facts::{AccountFacts, Backlog, ContactReminders};
use super::rehearse::rehearse;
use super::service::{CONTACTS_AT_ONCE, ReminderService};

/// A message that will go out if nothing else happens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedMessage {
    /// When it will be sent, UTC.
    pub at: OffsetDateTime,
    /// To whom.
    pub contact: ContactId,
    /// The contact's name.
    pub name: String,
    /// How it travels.
    pub channel: Channel,
    /// The invoices that it lists.
    pub invoices: Vec<InvoiceId>,
}

/// How far ahead the next reminder of an invoice is looked for.
const AHEAD: Duration = Duration::days(60);

impl ReminderService {
    /// The messages that will go out in so many days if nothing else happens, in the order of time; of an
    /// account that has not started reminders, those that would if it started them now. `None` when more
    /// contacts than `most` have open invoices.
    ///
    /// # Errors
    /// A [`StoreError`].
    pub async fn outlook(
        &self,
        account: AccountId,
        days: u16,
        most: usize,
    ) -> Result<Option<Vec<PlannedMessage>>, StoreError> {
        let now = self.clock.now();
        let until = now + Duration::days(days.into());
        let Some(facts) = self.started_facts(account, now).await? else {
            return Ok(Some(Vec::new()));
        };
        let (mut messages, mut after, mut seen) = (Vec::new(), None, 0_usize);
        loop {
            let page = self.reminder_reads.contacts(&facts, until, after, CONTACTS_AT_ONCE, now).await?;
            let Some(last) = page.last().map(|one| one.contact.contact) else {
                break;
            };
            seen = seen.saturating_add(page.len());
            if seen > most {
                return Ok(None);
            }
            messages.extend(page.into_iter().flat_map(|one| messages_to(one, &facts, now, until)));
            after = Some(last);
        }
        messages.sort_by_key(|message| message.at);
        Ok(Some(messages))
    }

    /// The next message that will list an invoice of a contact, if reminders are started.
    ///
    /// # Errors
    /// A [`StoreError`].
    pub async fn next_of_invoice(
        &self,
        account: AccountId,
        contact: ContactId,
        invoice: InvoiceId,
    ) -> Result<Option<PlannedMessage>, StoreError> {
        let now = self.clock.now();
        let until = now + AHEAD;
        let facts = self.facts(account, now).await?;
        let Some(facts) = facts.filter(|facts| facts.policy.started_at.is_some()) else {
            return Ok(None);
        };
        // The contact is the first behind the id before its own.
        let before = Uuid::from_u128(contact.uuid().as_u128().saturating_sub(1));
        let found = self.reminder_reads.contacts(&facts, until, Some(Id::from_uuid(before)), 1, now).await?;
        let own = found.into_iter().find(|one| one.contact.contact == contact);
        let messages = own.map(|one| messages_to(one, &facts, now, until)).unwrap_or_default();
        Ok(messages.into_iter().find(|message| message.invoices.contains(&invoice)))
    }

    /// How many open invoices are over 30 days late: the owner says whether they are reminded of. Once
    /// reminders are started it is how late they were then that counts.
    ///
    /// # Errors
    /// A [`StoreError`].
    pub async fn backlog(&self, account: AccountId) -> Result<usize, StoreError> {
        let now = self.clock.now();
        let Some(facts) = self.started_facts(account, now).await? else {
            return Ok(0);
        };
        let backlog = Backlog::new(&facts);
        let (mut count, mut after) = (0_usize, None);
        loop {
            let page = self.reminder_reads.contacts(&facts, now, after, CONTACTS_AT_ONCE, now).await?;
            let Some(last) = page.last().map(|one| one.contact.contact) else {
                return Ok(count);
            };
            let late = page.iter().flat_map(|one| &one.invoices).filter(|one| backlog.has(one));
            let open = late.filter(|one| one.is_open(facts.zone.start_of(one.invoice_date), now));
            count = count.saturating_add(open.count());
            after = Some(last);
        }
    }

    /// The account as it is, or as if it started reminders now.
    async fn started_facts(
        &self,
        account: AccountId,
        now: OffsetDateTime,
    ) -> Result<Option<AccountFacts>, StoreError> {
        let mut facts = self.facts(account, now).await?;
        if let Some(facts) = &mut facts {
            facts.policy.started_at = facts.policy.started_at.or(Some(now));
        }
        Ok(facts)
    }
}

/// The messages that will go to a contact. What is sent at one instant is one message.
fn messages_to(
    reminders: ContactReminders,
    account: &AccountFacts,
    from: OffsetDateTime,
    until: OffsetDateTime,
) -> Vec<PlannedMessage> {
    let (contact, name) = (reminders.contact.contact, reminders.contact.name.clone());
    let mut messages: Vec<PlannedMessage> = Vec::new();
    let steps = rehearse(&reminders.into_facts(account), from, until);
    for one in steps.into_iter().filter(|one| one.step.decision == Decision::Send) {
        let channel = one.step.key.channel;
        match messages.last_mut().filter(|last| last.at == one.at && last.channel == channel) {
            Some(last) if last.invoices.contains(&one.step.invoice) => {}
            Some(last) => last.invoices.push(one.step.invoice),
            None => messages.push(PlannedMessage {
                at: one.at,
                contact,
                name: name.clone(),
                channel,
                invoices: vec![one.step.invoice],
            }),
        }
    }
    messages
}
