//! Mail that the mail queue sends to contacts, such as invoices. It is stored as messages, so that replies to
//! it are matched and reminders take account of it.

use std::sync::Arc;

use async_trait::async_trait;
use escalations::Channel;
use invoices::{Addressee, InvoiceEmail, InvoiceId};
use kernel::{AccountId, Clock, SecureRandom, StoreResult, retry_contended};
use mail::{Correspondence, QueuedMail, SendDecision};
use outbox::NotDone;
use time::OffsetDateTime;

use crate::address::Address;
use crate::attempted::take_back;
use crate::change_message::change_message;
use crate::contact_mailer::{ContactMail, ContactMailer};
use crate::erase::drop_waiting_mail;
use crate::message::{Message, MessageData, MessageId, MessagePurpose, MessageState};
use crate::ports::{CommunicationsReads, CommunicationsStore, MailSubject};
use crate::reply_token::ReplyToken;
use crate::waiting_mail::{CONTACT_ERASED, unsent_state};

/// The template of receipts, which do not hold reminders back.
const RECEIPTS: &str = "payment_receipt";

/// Why the mail of an invoice is not sent that says that it is due. Jobs that are given up keep this text.
pub const INVOICE_CANCELLED: &str = "the invoice was cancelled";

/// Stores mail that the mail queue sends to contacts.
#[derive(Clone)]
pub struct MailRecorder {
    /// Begins transactions.
    pub store: Arc<dyn CommunicationsStore>,
    /// Reads messages outside any transaction.
    pub reads: Arc<dyn CommunicationsReads>,
    /// Makes reply addresses, and keeps copies.
    pub mailer: ContactMailer,
    /// Makes the tokens of reply addresses.
    pub random: Arc<dyn SecureRandom>,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
}

#[async_trait]
impl Correspondence for MailRecorder {
    async fn begin(
        &self,
        mail: &QueuedMail,
        message: &mail::MailMessage,
        message_id: &str,
    ) -> StoreResult<SendDecision> {
        let (account, id) = (mail.account, MessageId::from_uuid(mail.id.uuid()));
        let Some(subject) = self.reads.subject_of_mail(account, id).await? else {
            return Ok(SendDecision::Send { reply_to: None, began_at: None });
        };
        let is_cancelled = subject.is_cancelled && InvoiceEmail::is_of_uncancelled(mail);
        let reason = if is_cancelled { INVOICE_CANCELLED } else { CONTACT_ERASED };
        let (stored, began_at) = match subject.stored {
            // One that an earlier attempt may have delivered is sent again: it must stay one that was sent.
            Some(stored)
                if is_cancelled && stored.state == MessageState::Queued && stored.began_at.is_none() =>
            {
                self.end(mail, MessageState::Dropped, Some(reason)).await?;
                return Ok(SendDecision::Unwanted(reason));
            }
            Some(_) => {
                let begun = retry_contended(|| self.begin_again(account, id, message_id)).await?;
                // While this waited for the lock, the erasure of its contact removed it.
                let Some((stored, began_at)) = begun else {
                    return Ok(SendDecision::Unwanted(CONTACT_ERASED));
                };
                if let Some(decided) = decision_for_ended(&stored, reason) {
                    return Ok(decided);
                }
                (stored, began_at)
            }
            None => {
                let token = ReplyToken::generate(account, &*self.random);
                let new = MessageData {
                    contact: Addressee::of(mail).or(subject.contact),
                    invoice: Some(subject.invoice),
                    reply_token: Some(token),
                    began_at: (!is_cancelled).then(|| self.clock.now()),
                    ..data(mail, message, message_id, id)
                };
                let new = match is_cancelled {
                    true => self.ended_before_an_attempt(new, MessageState::Dropped, reason),
                    false => Message::new(new),
                };
                if !retry_contended(|| self.store_new(&new, subject.invoice)).await? {
                    return Ok(SendDecision::Unwanted(CONTACT_ERASED));
                }
                if is_cancelled {
                    return Ok(SendDecision::Unwanted(reason));
                }
                let began_at = new.began_at;
                (new, began_at)
            }
        };
        let reply_to = stored.reply_token.as_ref().and_then(|token| self.mailer.reply_address(token));
        Ok(SendDecision::Send { reply_to, began_at })
    }

    async fn sent(&self, mail: &QueuedMail, message: &mail::MailMessage) -> StoreResult<()> {
        self.end(mail, MessageState::Sent, None).await?;
        let (account, id) = (mail.account, MessageId::from_uuid(mail.id.uuid()));
        let copy = ContactMail { id, account, at: mail.queued_at, message: message.clone() };
        self.mailer.keep_copy(&copy).await;
        Ok(())
    }

    async fn not_accepted(&self, mail: &QueuedMail, began_at: OffsetDateTime) -> StoreResult<()> {
        let id = MessageId::from_uuid(mail.id.uuid());
        take_back(&*self.store, mail.account, id, Some(began_at)).await
    }

    async fn failed(&self, mail: &QueuedMail, reason: &str) -> StoreResult<()> {
        let id = MessageId::from_uuid(mail.id.uuid());
        let state = if intended(reason).is_some() { MessageState::Dropped } else { MessageState::Failed };
        match self.reads.subject_of_mail(mail.account, id).await? {
            Some(MailSubject { stored: None, contact, invoice, .. }) => {
                let contact = Addressee::of(mail).or(contact);
                let new = MessageData { contact, invoice: Some(invoice), ..envelope(mail, id) };
                let ended = self.ended_before_an_attempt(new, state, reason);
                retry_contended(|| self.store_new(&ended, invoice)).await.map(drop)
            }
            _ => self.end(mail, state, Some(reason)).await,
        }
    }
}

impl MailRecorder {
    /// Records that another attempt begins: the time of the last one is when the contact was written to.
    /// Nothing is recorded unless the message still waits. Returns it, and when the attempt began if no
    /// earlier one may have been accepted; `None` if it was removed.
    async fn begin_again(
        &self,
        account: AccountId,
        id: MessageId,
        message_id: &str,
    ) -> StoreResult<Option<(Message, Option<OffsetDateTime>)>> {
        let mut tx = self.store.begin(account).await?;
        let Some(mut stored) = tx.messages().lock(id).await? else {
            return Ok(None);
        };
        // The mail's own id is another one if the master key was replaced meanwhile.
        let (address, internet_id) = (stored.address.clone(), message_id.to_owned());
        let is_first = stored.began_at.is_none();
        if stored.begin(address, Some(internet_id), self.clock.now()).is_ok() {
            tx.messages().update(&stored).await?;
            tx.commit().await?;
        }
        let began_at = stored.began_at.filter(|_at| is_first);
        Ok(Some((stored, began_at)))
    }

    /// A message that was never attempted, and is not sent.
    fn ended_before_an_attempt(&self, new: MessageData, state: MessageState, reason: &str) -> Message {
        let detail = Some(reason.to_owned());
        Message::new(MessageData { state, state_at: self.clock.now(), reply_token: None, detail, ..new })
    }

    /// Stores the outcome of a mail, if it is stored as a message and has none yet. That it was accepted is
    /// also stored if it had failed for want of an answer.
    async fn end(&self, mail: &QueuedMail, state: MessageState, detail: Option<&str>) -> StoreResult<()> {
        let (id, now) = (MessageId::from_uuid(mail.id.uuid()), self.clock.now());
        change_message(&*self.store, mail.account, id, |stored| {
            // Of a mail that was accepted and repeated, the first outcome stays.
            if stored.state != MessageState::Queued && state != MessageState::Sent {
                return false;
            }
            let state = if state == MessageState::Dropped { unsent_state(stored.began_at) } else { state };
            stored.transition_to(state, detail.map(str::to_owned), now).is_ok()
        })
        .await
    }

    /// Stores a message to a contact. `false` when the contact was erased: then its mail is dropped. It may
    /// have been queued by a request that was in progress during the erasure.
    async fn store_new(&self, message: &Message, invoice: InvoiceId) -> StoreResult<bool> {
        let mut tx = self.store.begin(message.account).await?;
        if let Some(contact) = message.contact
            && !tx.invoicing().contacts().lock_to_send(contact).await?
        {
            drop_waiting_mail(&mut *tx, message.account, contact, &[], self.clock.now()).await?;
            tx.commit().await?;
            return Ok(false);
        }
        tx.messages().insert(message, &[invoice]).await?;
        tx.commit().await?;
        Ok(true)
    }
}

/// What becomes of a mail whose message has an outcome already; `None` if it waits. `reason` is why one was
/// dropped that does not say so.
fn decision_for_ended(stored: &Message, reason: &'static str) -> Option<SendDecision> {
    let intended = stored.detail.as_deref().and_then(intended);
    match (stored.state, intended) {
        (MessageState::Queued, _) => None,
        (MessageState::Dropped, intended) => Some(SendDecision::Unwanted(intended.unwrap_or(reason))),
        // It may have arrived, and was given up on purpose.
        (MessageState::Failed, Some(reason)) => Some(SendDecision::Unwanted(reason)),
        (MessageState::Failed, None) => Some(SendDecision::FailedBefore),
        _ => Some(SendDecision::AlreadySent),
    }
}

/// The reason, if mail that is given up for it was dropped on purpose.
fn intended(reason: &str) -> Option<&'static str> {
    [INVOICE_CANCELLED, CONTACT_ERASED, NotDone::HELD].into_iter().find(|intended| *intended == reason)
}

fn data(mail: &QueuedMail, message: &mail::MailMessage, message_id: &str, id: MessageId) -> MessageData {
    MessageData {
        subject: Some(message.subject.to_string()),
        text: message.text.clone(),
        internet_id: Some(message_id.to_owned()),
        ..envelope(mail, id)
    }
}

/// What is known of a mail before it is rendered.
fn envelope(mail: &QueuedMail, id: MessageId) -> MessageData {
    let is_receipt = mail.template == RECEIPTS;
    let purpose = if is_receipt { MessagePurpose::Receipt } else { MessagePurpose::Service };
    let way = (Channel::Email, Address::from(&mail.to));
    MessageData::outgoing(id, mail.account, purpose, way, mail.queued_at)
}
