//! Decides about the steps that are due, and queues the reminders that may be sent.

use contacts::ContactId;
use escalations::Channel;
use invoices::InvoiceId;
use kernel::{AccountId, Id, StoreResult, retry_contended};
use outbox::{JobId, NewJob};
use time::OffsetDateTime;

use super::decision::Decision;
use super::facts::AccountFacts;
use super::payload::ReminderTask;
use super::permit::Permit;
use super::plan::plan;
use super::ports::{DecidedStep, NewDecision};
use super::service::{CONTACTS_AT_ONCE, ReminderService};
use crate::message::{Message, MessageData, MessageId, MessagePurpose};
use crate::reply_token::ReplyToken;

/// How many contacts one transaction decides about: their invoices are locked meanwhile.
const CONTACTS_TOGETHER: usize = 50;

impl ReminderService {
    /// Decides about every step of an account that is due by now, and queues the reminders. Returns the
    /// decisions that have changed. Several processes may do this at once: each decision is made while the
    /// contact's preferences are locked.
    ///
    /// # Errors
    /// A failure of the store; decisions that were committed before are kept.
    pub async fn decide(&self, account: AccountId) -> StoreResult<Vec<DecidedStep>> {
        let now = self.clock.now();
        let Some(facts) = self.facts(account, now).await? else {
            return Ok(Vec::new());
        };
        let (mut decided, mut after) = (Vec::new(), None);
        loop {
            let page = self.reminder_reads.contacts(&facts, now, after, CONTACTS_AT_ONCE, now).await?;
            let is_last = page.len() < usize::try_from(CONTACTS_AT_ONCE).unwrap_or(usize::MAX);
            after = page.last().map(|one| one.contact.contact).or(after);
            let changed = page.into_iter().filter_map(|one| {
                let contact = one.contact.contact;
                (!plan(&one.into_facts(&facts), now).changes.is_empty()).then_some(contact)
            });
            let changed: Vec<ContactId> = changed.collect();
            self.decide_contacts(&facts, &changed, now, &mut decided).await?;
            if is_last {
                return Ok(decided);
            }
        }
    }

    /// Decides about contacts, given in the order of their ids, in as few transactions as possible.
    async fn decide_contacts(
        &self,
        facts: &AccountFacts,
        mut contacts: &[ContactId],
        now: OffsetDateTime,
        decided: &mut Vec<DecidedStep>,
    ) -> StoreResult<()> {
        let has_texts = facts.policy.steps.iter().any(|step| step.key.channel != Channel::Email);
        let most = if has_texts { 1 } else { CONTACTS_TOGETHER };
        while let Some(first) = contacts.first() {
            let together = contacts.get(..most).unwrap_or(contacts);
            let done =
                retry_contended(|| self.decide_together(facts.account, together, has_texts, now)).await?;
            let last = done.ended_with.or(together.last().copied()).unwrap_or(*first);
            decided.extend(done.decided);
            contacts = contacts.get(contacts.partition_point(|one| *one <= last)..).unwrap_or_default();
        }
        Ok(())
    }

    /// Decides about contacts in one transaction, by the facts read once their preferences and invoices are
    /// locked. It ends with the first contact that gets a text message, since the account's limit must then
    /// be read again.
    async fn decide_together(
        &self,
        account: AccountId,
        contacts: &[ContactId],
        has_texts: bool,
        now: OffsetDateTime,
    ) -> StoreResult<DecidedBatch> {
        let mut done = DecidedBatch::default();
        let mut tx = self.store.begin(account).await?;
        if has_texts {
            // An answer that is queued meanwhile counts against the same limit.
            tx.messages().lock_texts_left(now).await?;
        }
        let Some((facts, locked)) = self.lock_all(&mut *tx, contacts, now).await? else {
            return Ok(done);
        };
        let (mut messages, mut jobs, mut decisions) = (Vec::new(), Vec::new(), Vec::new());
        for one in locked {
            let contact = one.contact.contact;
            let plan = plan(&one.into_facts(&facts), now);
            let mut message = None;
            if let Some(permit) = plan.permit {
                let id: MessageId = Id::new(&*self.ids, now);
                let token = ReplyToken::generate(account, &*self.random);
                let reminder = queued(&permit, id, token);
                jobs.push(job(&reminder, now, JobId::new(&*self.ids, now)));
                messages.push((reminder, permit.invoices().to_vec()));
                message = Some(id);
                done.ended_with = (permit.channel() != Channel::Email).then_some(contact);
            }
            for step in plan.changes {
                // Only the steps that are sent belong to the message, not those that are held or skipped.
                let message = message.filter(|_| step.decision == Decision::Send);
                decisions.push(NewDecision { contact, step, message });
                done.decided.push(DecidedStep { decided_at: now, contact, step });
            }
            if done.ended_with.is_some() {
                break;
            }
        }
        tx.messages().insert_all(&messages).await?;
        tx.jobs().queue_all(jobs).await?;
        tx.reminders().record_all(&decisions, now, &*self.ids).await?;
        tx.commit().await?;
        Ok(done)
    }
}

/// The decisions of one transaction.
#[derive(Default)]
struct DecidedBatch {
    decided: Vec<DecidedStep>,
    /// The last contact, if the transaction ended before the others.
    ended_with: Option<ContactId>,
}

/// A queued reminder. Its text is written when it is sent.
fn queued(permit: &Permit, id: MessageId, token: ReplyToken) -> Message {
    let invoice: Option<InvoiceId> = match permit.invoices() {
        [one] => Some(*one),
        _ => None,
    };
    let way = (permit.channel(), permit.address().clone());
    Message::new(MessageData {
        contact: Some(permit.contact()),
        invoice,
        reply_token: Some(token),
        ..MessageData::outgoing(id, permit.account(), MessagePurpose::Reminder, way, permit.at())
    })
}

/// The job also runs while communications are off: its permit is then refused for that reason.
fn job(reminder: &Message, now: OffsetDateTime, id: JobId) -> NewJob {
    let job = NewJob::of(&ReminderTask { message: reminder.id.uuid() }, id, reminder.account, now);
    NewJob { resource_id: reminder.contact.map(ContactId::uuid), ..job }
}
