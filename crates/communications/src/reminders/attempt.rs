//! Sends queued reminders, each attempt with its own permit.

use std::sync::Arc;

use async_trait::async_trait;
use escalations::Channel;
use invoices::{Invoice, InvoiceId, Letterhead};
use kernel::{AccountId, EmailAddress, PublicUrls, StoreResult, retry_contended};
use mail::MailMessage;
use outbox::{JobContext, JobHandler, Lease, Leased, NotDone, RetrySchedule, record_outcome};
use time::OffsetDateTime;

use super::content::ReminderContent;
use super::decision::{Decision, HoldReason, SkipReason, StepDecision};
use super::email::{self, Links};
use super::facts::{AccountFacts, ContactFacts, ContactReminders};
use super::payload::ReminderTask;
use super::permit::{Permit, join, permit};
use super::policy::{ReminderPolicy, Tone};
use super::service::ReminderService;
use super::step_outcome::record_outcome_of_steps;
use crate::attempted::{Attempted, take_back};
use crate::contact_mailer::{ContactMail, ContactMailer, recipient};
use crate::message::{Message, MessageId, MessageState};
use crate::ports::CommunicationsTx;
use crate::sms_sender::{OutgoingSms, SmsSender};
use crate::waiting_mail::CONTACT_ERASED;

/// How many earlier mails a reminder refers to: more than a policy has steps.
const EARLIER_MAILS: usize = 30;

/// Sends queued reminders; [`outbox::run`] runs it.
#[derive(Clone)]
pub struct ReminderWorker {
    /// The queue of reminder jobs, and how many reminders are sent at once.
    pub jobs: JobContext,
    /// The use cases.
    pub service: ReminderService,
    /// Sends e-mail.
    pub mail: ContactMailer,
    /// Sends text messages; `None` without an SMS provider.
    pub sms: Option<Arc<dyn SmsSender>>,
    /// Makes the URLs of payment pages.
    pub urls: PublicUrls,
}

/// A reminder whose attempt has begun, with what was read under the locks.
struct Begun {
    permit: Permit,
    message: Message,
    contact: ContactFacts,
    invoices: Vec<Invoice>,
    tone: Tone,
    /// Whether an earlier attempt may have been accepted.
    is_repeated: bool,
}

#[async_trait]
impl JobHandler for ReminderWorker {
    const SCHEDULE: RetrySchedule = mail::schedule::SCHEDULE;
    type Payload = ReminderTask;

    fn jobs(&self) -> &JobContext {
        &self.jobs
    }

    async fn handle(&self, job: &Leased<ReminderTask>) -> Result<(), NotDone> {
        let (account, id) = (job.lease.account, job.payload.message());
        // Before the attempt begins: one that fails for the store afterwards must be taken back.
        let letterhead = self.service.invoices.letterhead(account).await?;
        let Some(begun) = retry_contended(|| self.begin(account, id)).await? else {
            return Ok(());
        };
        let (message, is_repeated) = (begun.message.clone(), begun.is_repeated);
        let attempted = self.attempt(job.lease, letterhead, begun).await;
        // Nothing was sent. What an earlier attempt may have sent stays unknown.
        if attempted.is_err() && !is_repeated {
            record_outcome(|| take_back(&*self.service.store, message.account, message.id, message.began_at))
                .await?;
        }
        let attempted = attempted?;
        record_outcome(|| self.finish(&message, &attempted)).await?;
        attempted.into_outcome()
    }

    async fn given_up(&self, job: &Leased<ReminderTask>, reason: &str) -> StoreResult<()> {
        let (account, id) = (job.lease.account, job.payload.message());
        retry_contended(async || {
            let now = self.service.clock.now();
            let mut tx = self.service.store.begin(account).await?;
            if let Some(mut message) = tx.messages().lock(id).await?
                && message.state == MessageState::Queued
            {
                Attempted::of_given_up(&message, reason).note_on(&mut message, now);
                tx.messages().update(&message).await?;
                record_outcome_of_steps(&mut *tx, &message, now, &*self.service.ids).await?;
                tx.commit().await?;
            }
            Ok(())
        })
        .await
    }
}

impl ReminderWorker {
    /// Requests a permit under the locks of the contact's preferences and invoices, and records in the same
    /// transaction that the attempt begins. `None` when there is nothing left to send.
    async fn begin(&self, account: AccountId, id: MessageId) -> StoreResult<Option<Begun>> {
        let now = self.service.clock.now();
        let mut tx = self.service.store.begin(account).await?;
        let Some(mut message) = tx.messages().lock(id).await? else {
            return Ok(None);
        };
        let (MessageState::Queued, Some(contact)) = (message.state, message.contact) else {
            return Ok(None);
        };
        let steps = tx.reminders().steps_of(id).await?;
        if message.channel != Channel::Email && message.began_at.is_some() {
            self.end_unknown(&mut *tx, message, now).await?;
            tx.commit().await?;
            return Ok(None);
        }
        let locked = self.service.lock(&mut *tx, contact, Some(id), now).await?;
        let Some((facts, reminders)) = locked else {
            return Ok(None);
        };
        let (allowed, mut held) = ask(&facts, &reminders, &steps, message.channel, now);
        let is_repeated = message.began_at.is_some();
        if is_repeated {
            if allowed.is_empty() {
                self.end_unknown(&mut *tx, message, now).await?;
                tx.commit().await?;
                return Ok(None);
            }
            // The contact may have received these reminders: another message must not repeat them.
            for step in &mut held {
                step.decision = Decision::Skip(SkipReason::Failed);
            }
        }
        tx.reminders().record(contact, &held, None, now, &*self.service.ids).await?;
        for step in &held {
            tx.messages().remove_invoice(id, step.invoice).await?;
        }
        let Some(permit) = join(allowed) else {
            let reason = held.first().and_then(|step| step.decision.reason()).unwrap_or("nothing_due");
            // The message is queued, so it can be dropped.
            let _dropped = message.transition_to(MessageState::Dropped, Some(reason.to_owned()), now);
            tx.messages().update(&message).await?;
            tx.commit().await?;
            return Ok(None);
        };
        let internet_id = (message.channel == Channel::Email).then(|| self.mail.message_id(id));
        if message.begin(permit.address().clone(), internet_id, now).is_err() {
            return Ok(None);
        }
        tx.messages().update(&message).await?;
        let mut invoices = Vec::new();
        for invoice in permit.invoices() {
            invoices.extend(tx.invoicing().invoices().lock(*invoice).await?);
        }
        let tone = tone(&facts.policy, &steps, permit.invoices());
        tx.commit().await?;
        let contact = reminders.contact;
        Ok(Some(Begun { permit, message, contact, invoices, tone, is_repeated }))
    }

    /// Renders and sends the reminder, outside any transaction.
    async fn attempt(
        &self,
        lease: Lease,
        letterhead: Letterhead,
        begun: Begun,
    ) -> Result<Attempted, NotDone> {
        let Begun { permit, message, contact, invoices, tone, is_repeated } = begun;
        let now = permit.at();
        let content = ReminderContent::new(&letterhead, contact.name, &invoices, tone, now, &self.urls);
        Ok(match message.channel {
            Channel::Email => {
                let earlier = self.earlier_mails(lease.account, &message, &invoices).await?;
                lease.check(self.service.clock.now())?;
                let to = recipient(&message, contact.email);
                let sent = match email::render(&content, to, self.links(&message, letterhead.reply_to())) {
                    Ok(rendered) => self.send_mail(permit, &message, rendered, earlier).await,
                    Err(error) => Attempted::Failed(error.to_string()),
                };
                if is_repeated { sent.after_unknown() } else { sent }
            }
            Channel::Sms | Channel::Voice => {
                lease.check(self.service.clock.now())?;
                self.send_sms(permit, &message, &content).await
            }
        })
    }

    /// The earlier mails in the thread of a reminder: those to the same address about the first of its
    /// invoices.
    async fn earlier_mails(
        &self,
        account: AccountId,
        message: &Message,
        invoices: &[Invoice],
    ) -> StoreResult<Vec<String>> {
        match invoices.first() {
            Some(first) => {
                let reads = &self.service.reads;
                reads.mails_about(account, first.id, &message.address, EARLIER_MAILS).await
            }
            None => Ok(Vec::new()),
        }
    }

    fn links(&self, message: &Message, owner: Option<EmailAddress>) -> Links {
        let token = message.reply_token.as_ref();
        let reply = token.and_then(|token| self.mail.reply_address(token));
        Links {
            can_reply: reply.is_some(),
            reply_to: reply.or(owner),
            unsubscribe: token.map(|token| self.urls.unsubscribe(token.reveal())).unwrap_or_default(),
        }
    }

    async fn send_mail(
        &self,
        permit: Permit,
        message: &Message,
        mut rendered: MailMessage,
        earlier: Vec<String>,
    ) -> Attempted {
        rendered.in_reply_to = earlier.last().cloned();
        rendered.references = earlier;
        let (subject, text) = (Some(rendered.subject.to_string()), rendered.text.clone());
        let mail = ContactMail {
            id: message.id,
            account: message.account,
            at: message.written_at,
            message: rendered,
        };
        Attempted::of_mail(self.mail.remind(permit, &mail).await, subject, text)
    }

    async fn send_sms(&self, permit: Permit, message: &Message, content: &ReminderContent) -> Attempted {
        let Some(sms) = &self.sms else {
            return Attempted::Failed("no provider of text messages is set".to_owned());
        };
        let Some(text) = content.sms() else {
            return Attempted::Failed("the link to the payment page takes too many characters".to_owned());
        };
        let outgoing = OutgoingSms {
            message: message.id,
            account: message.account,
            to: message.address.clone(),
            text: text.clone(),
        };
        Attempted::of_sms(sms.remind(permit, &outgoing).await, text.as_str().to_owned())
    }

    /// Records the result of an attempt to send a message. If the contact was erased during the attempt, the
    /// message is gone, and only what became of its steps is recorded.
    async fn finish(&self, begun: &Message, attempted: &Attempted) -> StoreResult<()> {
        let now = self.service.clock.now();
        let mut tx = self.service.store.begin(begun.account).await?;
        match tx.messages().lock(begun.id).await? {
            Some(mut message) => {
                attempted.record(&mut *tx, &mut message, begun.began_at, now, &*self.service.ids).await?;
                record_outcome_of_steps(&mut *tx, &message, now, &*self.service.ids).await?;
            }
            None => {
                let mut erased = begun.clone();
                attempted.note_on(&mut erased, now);
                // No other attempt follows.
                if erased.state == MessageState::Queued {
                    Attempted::of_given_up(&erased, CONTACT_ERASED).note_on(&mut erased, now);
                }
                record_outcome_of_steps(&mut *tx, &erased, now, &*self.service.ids).await?;
            }
        }
        tx.commit().await
    }

    /// Ends a message of whose attempt it is unknown how it ended, and that is not attempted again.
    async fn end_unknown(
        &self,
        tx: &mut dyn CommunicationsTx,
        mut message: Message,
        now: OffsetDateTime,
    ) -> StoreResult<()> {
        Attempted::unknown().note_on(&mut message, now);
        tx.messages().update(&message).await?;
        record_outcome_of_steps(tx, &message, now, &*self.service.ids).await
    }
}

/// Requests a permit for each step. Returns the permits, and the steps that are held now.
fn ask(
    account: &AccountFacts,
    reminders: &ContactReminders,
    steps: &[StepDecision],
    channel: Channel,
    now: OffsetDateTime,
) -> (Vec<Permit>, Vec<StepDecision>) {
    let (mut allowed, mut held) = (Vec::new(), Vec::new());
    for step in steps {
        match ask_for_step(account, reminders, step, channel, now) {
            Ok(permit) => allowed.push(permit),
            Err(decision) => held.push(StepDecision { decision, ..*step }),
        }
    }
    (allowed, held)
}

fn ask_for_step(
    account: &AccountFacts,
    reminders: &ContactReminders,
    step: &StepDecision,
    channel: Channel,
    now: OffsetDateTime,
) -> Result<Permit, Decision> {
    let (contact, nothing_due) = (&reminders.contact, Decision::Hold(HoldReason::NothingDue));
    // It is addressed to another contact now, its due date moved, or the owner removed the step.
    let invoice = reminders.invoices.iter().find(|invoice| invoice.invoice == step.invoice);
    let invoice = invoice.filter(|invoice| invoice.is_still_due(step, &contact.clock, now));
    let (invoice, in_policy) = invoice.zip(account.policy.step(step.key)).ok_or(nothing_due)?;
    if in_policy.was_added_after(step.due_at) {
        return Err(Decision::Skip(SkipReason::AddedLater));
    }
    if invoice.is_replaced(step.key, &account.policy, &contact.clock, now) {
        return Err(Decision::Skip(SkipReason::Collapsed));
    }
    permit(account, contact, invoice, channel, now).map_err(Decision::Hold)
}

/// The tone of a reminder: the most severe of the steps of the invoices that it is still about.
fn tone(policy: &ReminderPolicy, steps: &[StepDecision], invoices: &[InvoiceId]) -> Tone {
    let sent = steps.iter().filter(|step| invoices.contains(&step.invoice));
    sent.map(|step| policy.tone(step.key)).max().unwrap_or(Tone::Friendly)
}

#[cfg(test)]
mod tests {
    use kernel::Id;
    use testkit::{CountingIds, FixedClock};

    use super::*;
    use crate::reminders::policy::StepKey;

    #[test]
    fn invoice_that_is_no_longer_in_the_reminder_does_not_set_its_tone() {
        let ids = CountingIds::default();
        let step = |days: i16| StepDecision {
            invoice: Id::new(&ids, FixedClock::START),
            key: StepKey { days, channel: Channel::Email },
            due_at: FixedClock::START,
            decision: Decision::Send,
        };
        let (late, not_due) = (step(14), step(-3));
        let steps = [late, not_due];
        let policy = ReminderPolicy::initial();
        assert_eq!(tone(&policy, &steps, &[late.invoice, not_due.invoice]), Tone::Final);
        assert_eq!(tone(&policy, &steps, &[not_due.invoice]), Tone::Friendly);
    }
}
