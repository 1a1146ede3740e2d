//! Sends queued answers.

use std::sync::Arc;

use async_trait::async_trait;
use escalations::Channel;
use kernel::{AccountId, StoreResult, retry_contended};
use outbox::{JobContext, JobHandler, Lease, Leased, NotDone, RetrySchedule, record_outcome};

use super::email;
use super::payload::AnswerTask;
use super::service::{AnswerError, AnswerService};
use crate::attempted::{Attempted, take_back};
use crate::change_message::change_message;
use crate::contact_mailer::{ContactMail, ContactMailer, recipient};
use crate::message::{Message, MessageId, MessageState};
use crate::sms_sender::{OutgoingSms, SmsSender};
use crate::sms_text::SmsText;

/// Sends queued answers; [`outbox::run`] runs it.
#[derive(Clone)]
pub struct AnswerWorker {
    /// The queue of answer jobs, and how many answers are sent at once.
    pub jobs: JobContext,
    /// Checks whether an answer may still be sent, and gives access to the store.
    pub service: AnswerService,
    /// Sends e-mail.
    pub mail: ContactMailer,
    /// Sends text messages; `None` without an SMS provider.
    pub sms: Option<Arc<dyn SmsSender>>,
}

#[async_trait]
impl JobHandler for AnswerWorker {
    const SCHEDULE: RetrySchedule = mail::schedule::SCHEDULE;
    type Payload = AnswerTask;

    fn jobs(&self) -> &JobContext {
        &self.jobs
    }

    async fn handle(&self, job: &Leased<AnswerTask>) -> Result<(), NotDone> {
        let (account, id) = (job.lease.account, job.payload.message());
        if !self.may_go_out(account, id).await? {
            return Ok(());
        }
        let Some((answer, is_repeated)) = retry_contended(|| self.begin(account, id)).await? else {
            return Ok(());
        };
        let answered = MessageId::from_uuid(job.payload.answered);
        let attempted = self.attempt(&answer, answered, job.lease).await;
        // Nothing was sent. What an earlier attempt may have sent stays unknown.
        if attempted.is_err() && !is_repeated {
            record_outcome(|| take_back(&*self.service.store, answer.account, answer.id, answer.began_at))
                .await?;
        }
        let mut attempted = attempted?;
        if is_repeated {
            attempted = attempted.after_unknown();
        }
        record_outcome(|| self.finish(&answer, &attempted)).await?;
        attempted.into_outcome()
    }

    async fn given_up(&self, job: &Leased<AnswerTask>, reason: &str) -> StoreResult<()> {
        let (account, id) = (job.lease.account, job.payload.message());
        change_message(&*self.service.store, account, id, |answer| {
            let waits = answer.state == MessageState::Queued;
            if waits {
                Attempted::of_given_up(answer, reason).note_on(answer, self.service.clock.now());
            }
            waits
        })
        .await
    }
}

impl AnswerWorker {
    /// Whether an answer may still be sent. If not, it is dropped with the reason.
    async fn may_go_out(&self, account: AccountId, id: MessageId) -> StoreResult<bool> {
        let Some(answer) = self.service.reads.message(account, id).await? else {
            return Ok(false);
        };
        let reason = match self.service.check_deliverable(account, &answer).await {
            Ok(()) => return Ok(true),
            Err(AnswerError::Store(error)) => return Err(error),
            Err(refused) => refused.to_string(),
        };
        change_message(&*self.service.store, account, id, |message| {
            let now = self.service.clock.now();
            message.transition_to(MessageState::Dropped, Some(reason.clone()), now).is_ok()
        })
        .await?;
        Ok(false)
    }

    /// Records that the attempt begins. Also returns whether an earlier one may have been accepted. `None`
    /// when there is nothing left to send.
    async fn begin(&self, account: AccountId, id: MessageId) -> StoreResult<Option<(Message, bool)>> {
        let now = self.service.clock.now();
        let mut tx = self.service.store.begin(account).await?;
        let Some(mut message) = tx.messages().lock(id).await? else {
            return Ok(None);
        };
        if message.state != MessageState::Queued {
            return Ok(None);
        }
        let is_mail = message.channel == Channel::Email;
        if !is_mail && message.began_at.is_some() {
            Attempted::unknown().note_on(&mut message, now);
            tx.messages().update(&message).await?;
            tx.commit().await?;
            return Ok(None);
        }
        let internet_id = is_mail.then(|| self.mail.message_id(id));
        let (address, is_repeated) = (message.address.clone(), message.began_at.is_some());
        if message.begin(address, internet_id, now).is_err() {
            return Ok(None);
        }
        tx.messages().update(&message).await?;
        tx.commit().await?;
        Ok(Some((message, is_repeated)))
    }

    /// Renders and sends the answer, outside any transaction.
    async fn attempt(
        &self,
        answer: &Message,
        answered: MessageId,
        lease: Lease,
    ) -> Result<Attempted, NotDone> {
        let text = answer.text.clone();
        if answer.channel != Channel::Email {
            let Some(sms) = &self.sms else {
                return Ok(Attempted::Failed(AnswerError::NoProvider.to_string()));
            };
            let body = match SmsText::new(&text) {
                Ok(body) => body,
                Err(error) => return Ok(Attempted::Failed(error.to_string())),
            };
            let (message, account, to) = (answer.id, answer.account, answer.address.clone());
            let outgoing = OutgoingSms { message, account, to, text: body };
            lease.check(self.service.clock.now())?;
            return Ok(Attempted::of_sms(sms.answer(&outgoing).await, text));
        }
        let letterhead = self.service.invoices.letterhead(answer.account).await?;
        let earlier = self.service.reads.message(answer.account, answered).await?;
        let contact = match answer.contact {
            Some(contact) => self.service.contacts.get(answer.account, contact).await?,
            None => None,
        };
        let to = recipient(answer, contact.and_then(|contact| contact.email));
        let reply = answer.reply_token.as_ref().and_then(|token| self.mail.reply_address(token));
        let reply_to = reply.or(letterhead.reply_to());
        let message = match email::render(answer, to, earlier.as_ref(), &letterhead.company_name, reply_to) {
            Ok(message) => message,
            Err(error) => return Ok(Attempted::Failed(error.to_string())),
        };
        let mail = ContactMail { id: answer.id, account: answer.account, at: answer.written_at, message };
        lease.check(self.service.clock.now())?;
        Ok(Attempted::of_mail(self.mail.answer(&mail).await, answer.subject.clone(), text))
    }

    async fn finish(&self, begun: &Message, attempted: &Attempted) -> StoreResult<()> {
        let mut tx = self.service.store.begin(begun.account).await?;
        if let Some(mut message) = tx.messages().lock(begun.id).await? {
            let now = self.service.clock.now();
            attempted.record(&mut *tx, &mut message, begun.began_at, now, &*self.service.ids).await?;
            tx.commit().await?;
        }
        Ok(())
    }
}
