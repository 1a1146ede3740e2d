//! Accepts an answer from the owner and queues it.

use std::sync::Arc;

use contacts::{ContactId, ContactReads};
use escalations::Channel;
use invoices::InvoiceReads;
use kernel::text::one_line;
use kernel::{AccountId, Clock, Id, Ids, MultiLine, SecureRandom, StoreError, retry_contended};
use outbox::{JobId, NewJob};
use time::OffsetDateTime;

use super::email;
use super::payload::AnswerTask;
use crate::address_hold::CloseReason;
use crate::message::{Direction, Message, MessageData, MessageId, MessagePurpose};
use crate::ports::{CommunicationsReads, CommunicationsStore};
use crate::reminders::ports::ReminderReads;
use crate::reply_token::ReplyToken;
use crate::sms_text::{SmsText, TooLong};

/// The text of an answer: at most as long as the kept text of a customer's message.
pub type AnswerText = MultiLine<10_000>;

/// The use case of answers, over its ports.
#[derive(Clone)]
pub struct AnswerService {
    /// Begins transactions.
    pub store: Arc<dyn CommunicationsStore>,
    /// Reads messages outside any transaction.
    pub reads: Arc<dyn CommunicationsReads>,
    /// Reads whether the account may write to customers.
    pub reminder_reads: Arc<dyn ReminderReads>,
    /// Reads the contact's present address.
    pub contacts: Arc<dyn ContactReads>,
    /// Reads the company's name.
    pub invoices: Arc<dyn InvoiceReads>,
    /// Whether an SMS provider is configured.
    pub sends_texts: bool,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
    /// Makes ids.
    pub ids: Arc<dyn Ids>,
    /// Makes the tokens of reply addresses.
    pub random: Arc<dyn SecureRandom>,
}

/// Why an answer was not accepted.
#[derive(Debug, thiserror::Error)]
pub enum AnswerError {
    /// The account has no such inbound message.
    #[error("the account has no such message from a contact")]
    MessageNotFound,
    /// The message came by a channel that cannot carry an answer, or has no sender's address.
    #[error("the message came by a way that takes no answer: call or write to the customer yourself")]
    CannotBeAnswered,
    /// Messages to customers are switched off.
    #[error("messages to customers are switched off: switch them on in the settings of the profile first")]
    CommunicationsOff,
    /// The number opted out of text messages, or mail to the address bounced.
    #[error("{}", match .0 {
        CloseReason::OptedOut => "the customer opted out of text messages: call or write an e-mail",
        CloseReason::Bounced => "mail to this address came back: call, or find out another address",
    })]
    Closed(CloseReason),
    /// No SMS provider is configured.
    #[error("no provider of text messages is set: call or write an e-mail")]
    NoProvider,
    /// The account has used up its text messages for this month.
    #[error("this month's limit of text messages is reached: call or write an e-mail")]
    LimitReached,
    /// The answer takes more segments than a text message may have.
    #[error(transparent)]
    TooLong(#[from] TooLong),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl AnswerService {
    /// Queues an answer to an inbound message, to the address that the message came from. It does not mark
    /// the message as read.
    ///
    /// # Errors
    /// An [`AnswerError`]; then nothing is queued.
    pub async fn answer(
        &self,
        account: AccountId,
        to: MessageId,
        text: &AnswerText,
    ) -> Result<MessageId, AnswerError> {
        let now = self.clock.now();
        let answered = self.answerable(account, to).await?;
        self.check_deliverable(account, &answered).await?;
        let text = match answered.channel {
            Channel::Email => text.as_str().to_owned(),
            Channel::Sms | Channel::Voice => self.sms(account, text).await?.as_str().to_owned(),
        };
        let token = ReplyToken::generate(account, &*self.random);
        let id = Id::new(&*self.ids, now);
        let message = queued(&answered, id, text, token, now);
        retry_contended(async || {
            let mut tx = self.store.begin(account).await?;
            if message.channel != Channel::Email && !tx.messages().lock_texts_left(now).await? {
                return Err(AnswerError::LimitReached);
            }
            // A contact that was erased meanwhile has no messages any more.
            tx.messages().lock(to).await?.ok_or(AnswerError::MessageNotFound)?;
            tx.messages().insert(&message, message.invoice.as_slice()).await?;
            tx.jobs().queue(job(&message, to, JobId::new(&*self.ids, now))).await?;
            Ok(tx.commit().await?)
        })
        .await
        .map(|()| id)
    }

    /// The inbound message to answer.
    ///
    /// # Errors
    /// [`AnswerError::MessageNotFound`] or [`AnswerError::CannotBeAnswered`].
    pub async fn answerable(&self, account: AccountId, to: MessageId) -> Result<Message, AnswerError> {
        let found = self.reads.message(account, to).await?;
        let found = found.filter(|message| message.direction == Direction::In);
        let message = found.ok_or(AnswerError::MessageNotFound)?;
        if message.can_be_answered() { Ok(message) } else { Err(AnswerError::CannotBeAnswered) }
    }

    /// Checks whether an answer may go to the address of a message now. An opt-out from reminders by e-mail
    /// does not stop answers.
    pub(super) async fn check_deliverable(
        &self,
        account: AccountId,
        message: &Message,
    ) -> Result<(), AnswerError> {
        let facts = self.reminder_reads.account(account, self.clock.now()).await?;
        let is_text = message.channel == Channel::Sms;
        match facts {
            Some(facts) if !facts.is_on => return Err(AnswerError::CommunicationsOff),
            Some(_) => {}
            None => return Err(AnswerError::MessageNotFound),
        }
        if is_text && !self.sends_texts {
            return Err(AnswerError::NoProvider);
        }
        let holds = self.reads.address_holds(account, message.channel, &message.address).await?;
        let closed = holds.iter().filter(|hold| hold.is_standing()).map(|hold| hold.reason);
        match closed.into_iter().find(|why| is_text || *why == CloseReason::Bounced) {
            Some(why) => Err(AnswerError::Closed(why)),
            None => Ok(()),
        }
    }

    /// The answer as a text message. It begins with the company's name, since several companies may send from
    /// the same number.
    async fn sms(&self, account: AccountId, text: &AnswerText) -> Result<SmsText, AnswerError> {
        let company = self.invoices.letterhead(account).await?.company_name;
        let company = one_line(&company, 200);
        let whole = if company.is_empty() { text.to_string() } else { format!("{company}: {text}") };
        Ok(SmsText::new(&whole)?)
    }
}

/// A queued answer.
fn queued(
    answered: &Message,
    id: MessageId,
    text: String,
    token: ReplyToken,
    now: OffsetDateTime,
) -> Message {
    let is_mail = answered.channel == Channel::Email;
    let way = (answered.channel, answered.address.clone());
    Message::new(MessageData {
        contact: answered.contact,
        invoice: answered.invoice,
        subject: is_mail.then(|| email::subject(answered.subject.as_deref())),
        text,
        in_reply_to: answered.internet_id.clone(),
        reply_token: Some(token),
        ..MessageData::outgoing(id, answered.account, MessagePurpose::Answer, way, now)
    })
}

/// The job also runs while communications are off: it then drops the message and stores the reason.
fn job(answer: &Message, answered: MessageId, id: JobId) -> NewJob {
    let task = AnswerTask { message: answer.id.uuid(), answered: answered.uuid() };
    let job = NewJob::of(&task, id, answer.account, answer.written_at);
    NewJob { resource_id: answer.contact.map(ContactId::uuid), ..job }
}
