//! Working on what came in: opt-outs and bounces, whose it is, what it says, and what follows.

use contacts::ContactId;
use escalations::{Channel, EscalationDraft, EscalationType, NewEscalation, RaiseError, Statement};
use invoices::{InvoiceId, NewPromise, PromiseError, PromisedBy};
use kernel::text::one_line;
use kernel::{AccountId, Id, RetryOnContention, SingleLine, StoreError, TimeZone, retry_contended};
use mail::{Notice, OwnerNotice};
use time::OffsetDateTime;

use super::inbox::{Candidate, InboxItem};
use super::mail::{Automatic, Bounce, InboundMail};
use super::matching::{Match, Matched, Reading};
use super::receive::{InboundService, sha256};
use crate::address::Address;
use crate::address_hold::{AddressHold, Closed};
use crate::classification::{MessageType, classify};
use crate::message::{Direction, Message, MessageData, MessageId, MessageState};
use crate::ports::CommunicationsTx;
use crate::reply_token::ReplyToken;
use crate::understood::Understood;

/// The longest text of a message that is kept, in characters: as much as a customer's statement has.
const LONGEST_TEXT: usize = 10_000;

/// Why what came in was not worked on.
#[derive(Debug, thiserror::Error)]
pub enum HandleError {
    /// An escalation could not be raised.
    #[error(transparent)]
    Raise(#[from] RaiseError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl RetryOnContention for HandleError {
    fn is_contended(&self) -> bool {
        match self {
            Self::Raise(error) => error.is_contended(),
            Self::Store(error) => error.is_contended(),
        }
    }
}

impl From<HandleError> for StoreError {
    fn from(error: HandleError) -> Self {
        match error {
            HandleError::Store(error) | HandleError::Raise(RaiseError::Store(error)) => error,
            HandleError::Raise(error) => Self::Failed(error.into()),
        }
    }
}

/// What is to be stored of a message in its account.
struct Filing {
    matched: Matched,
    state: MessageState,
    understood: Option<Understood>,
    zone: TimeZone,
    draft: Option<EscalationDraft>,
    most_promise_days: u16,
}

impl InboundService {
    /// Works on one item that is stored. On one that was worked on before, it changes nothing.
    ///
    /// # Errors
    /// A [`HandleError`]; then it is worked on again later.
    pub async fn handle(&self, id: MessageId) -> Result<(), HandleError> {
        let Some(item) = self.inbox.item(id).await? else {
            return Ok(());
        };
        if item.state != MessageState::Stored {
            return Ok(());
        }
        let Some(reading) = self.read(&item) else {
            return Ok(self.inbox.settle(id, MessageState::Dropped, Some("it is not an e-mail")).await?);
        };
        self.apply_to_address(&reading).await?;
        let found = self.find(&reading, item.received_at).await?;
        match (found, reading.automatic) {
            (Match::One(matched), _) => self.file(&item, &reading, matched).await,
            (_, Some(_)) => Ok(self.inbox.settle(id, MessageState::Automatic, None).await?),
            (Match::Several(candidates), None) => self.quarantine(&item, &candidates).await,
            (Match::None, None) => {
                let detail = "no account wrote to its sender";
                Ok(self.inbox.settle(id, MessageState::Dropped, Some(detail)).await?)
            }
        }
    }

    pub(super) fn read(&self, item: &InboxItem) -> Option<Reading> {
        let content = item.content.as_deref()?;
        if item.channel == Channel::Email {
            return self.mail.read(content).map(of_mail);
        }
        Some(Reading {
            channel: item.channel,
            sender: item.sender.clone(),
            recipients: Vec::new(),
            answers: Vec::new(),
            internet_id: None,
            subject: None,
            text: String::from_utf8_lossy(content).trim().to_owned(),
            attachments: 0,
            automatic: None,
            bounce: None,
        })
    }

    /// Opt-outs and hard bounces, which hold for an address in every account that wrote to it.
    async fn apply_to_address(&self, reading: &Reading) -> Result<(), HandleError> {
        if let Some(bounce) = reading.bounce.as_ref().filter(|bounce| bounce.hard) {
            return self.apply_bounce(reading, bounce).await;
        }
        let (None, Some(sender)) = (reading.automatic, &reading.sender) else {
            return Ok(());
        };
        let understood = classify(&reading.text, self.clock.now().date());
        if understood.message_type == MessageType::OptOut && understood.sure {
            self.close(reading.channel, sender, Closed::OptedOut, &reading.text).await?;
        }
        Ok(())
    }

    /// A report counts only where it names a mail that went to the address that it is about.
    async fn apply_bounce(&self, reading: &Reading, bounce: &Bounce) -> Result<(), HandleError> {
        let Ok(recipient) = Address::parse(Channel::Email, &bounce.recipient) else {
            return Ok(());
        };
        let mut returned = match bounce.returned_ids.as_slice() {
            [] => Vec::new(),
            ids => self.reads.messages_by_internet_id(ids).await?,
        };
        for token in reading.recipients.iter().filter_map(|address| ReplyToken::in_address(address)) {
            returned.extend(self.reads.message_by_token(&token).await?);
        }
        let own: Vec<Message> = returned.into_iter().filter(|one| one.address == recipient).collect();
        if own.is_empty() {
            return Ok(());
        }
        let how = format!("the mail server of the address answered {}", bounce.status);
        self.close(Channel::Email, &recipient, Closed::Bounced, &how).await?;
        for message in own {
            retry_contended(|| self.mark_failed(&message, &how)).await?;
        }
        Ok(())
    }

    async fn mark_failed(&self, message: &Message, how: &str) -> Result<(), StoreError> {
        let mut tx = self.store.begin(message.account).await?;
        let Some(mut message) = tx.messages().lock(message.id).await? else {
            return Ok(());
        };
        if message.become_state(MessageState::Failed, Some(how.to_owned()), self.clock.now()).is_ok() {
            tx.messages().update(&message).await?;
            tx.commit().await?;
        }
        Ok(())
    }

    /// Ends reminders by e-mail to the address that the message with this token went to. `false` when there
    /// is no such message.
    ///
    /// # Errors
    /// A [`HandleError`].
    pub async fn unsubscribe(&self, token: &ReplyToken) -> Result<bool, HandleError> {
        let Some(message) = self.reads.message_by_token(token).await? else {
            return Ok(false);
        };
        let how = "the link to end reminders";
        self.close(message.channel, &message.address, Closed::OptedOut, how).await?;
        Ok(true)
    }

    /// Closes an address in every account that wrote to it.
    async fn close(
        &self,
        channel: Channel,
        address: &Address,
        closed: Closed,
        how: &str,
    ) -> Result<(), HandleError> {
        let ever = OffsetDateTime::UNIX_EPOCH;
        let accounts: Vec<AccountId> =
            self.reads.latest_to(channel, address, ever).await?.iter().map(|one| one.account).collect();
        for account in accounts {
            retry_contended(|| self.close_in(account, channel, address, closed, how)).await?;
        }
        Ok(())
    }

    async fn close_in(
        &self,
        account: AccountId,
        channel: Channel,
        address: &Address,
        closed: Closed,
        how: &str,
    ) -> Result<(), StoreError> {
        let now = self.clock.now();
        let mut tx = self.store.begin(account).await?;
        let contacts = tx.preferences().contacts_at(channel, address).await?;
        for contact in &contacts {
            tx.preferences().lock(*contact).await?;
        }
        let hold = AddressHold {
            id: Id::new(&*self.ids, now),
            account,
            channel,
            address: address.clone(),
            closed,
            at: now,
            how: SingleLine::from_stored(one_line(how, 500)),
            lifted_at: None,
            lifted_how: None,
        };
        if tx.preferences().close_address(&hold).await? {
            if closed == Closed::Bounced {
                self.tell_owner(&mut tx, &hold, contacts.first().copied()).await?;
            }
            tx.commit().await?;
        }
        Ok(())
    }

    /// Tells the owner that mail to an address cannot be delivered.
    async fn tell_owner(
        &self,
        tx: &mut CommunicationsTx,
        hold: &AddressHold,
        contact: Option<ContactId>,
    ) -> Result<(), StoreError> {
        let owner = tx.escalating().escalations().owner().await?;
        let Some(owner) = owner.filter(|owner| owner.wants(OwnerNotice::Bounces)) else {
            return Ok(());
        };
        let path = contact.map_or_else(
            || "/dashboard/contacts".to_owned(),
            |contact| format!("/dashboard/contacts/{contact}"),
        );
        let notice = Notice {
            subject: format!("Mail to {} cannot be delivered", hold.address.as_str()),
            paragraphs: vec![
                format!("Mail to {} came back for good: {}.", hold.address.as_str(), hold.how),
                "No more reminders go there. Please correct the address of your customer.".to_owned(),
            ],
            quote: None,
            link_text: "Open the contact".to_owned(),
            path,
        };
        let about = contact.map_or_else(|| hold.id.uuid(), |contact| contact.uuid());
        let mail = notice.into_mail(Id::new(&*self.ids, hold.at), &owner, about, hold.at);
        tx.jobs().queue(mail.into_job()).await
    }

    /// What is to be stored of a message, with what has to be read before the transaction.
    async fn filing(
        &self,
        reading: &Reading,
        matched: Matched,
        received_at: OffsetDateTime,
    ) -> Result<Filing, HandleError> {
        let account = matched.account;
        let facts = self.reminder_reads.account(account, received_at).await?;
        let zone = facts.map_or_else(TimeZone::utc, |facts| facts.zone);
        let most_promise_days = self.promise_limits.promise_days(account).await?.unwrap_or_default();
        if reading.automatic.is_some() {
            let state = MessageState::Automatic;
            return Ok(Filing { matched, state, understood: None, zone, draft: None, most_promise_days });
        }
        let understood = classify(&reading.text, zone.date_at(received_at));
        let understood = Understood::new(&understood, &reading.text, matched.is_sure);
        let draft = match understood.message_type.escalation().filter(|_| understood.sure) {
            Some(kind) => Some(self.draft(reading, &matched, kind).await?),
            None => None,
        };
        let (state, understood) = (MessageState::Handled, Some(understood));
        Ok(Filing { matched, state, understood, zone, draft, most_promise_days })
    }

    async fn draft(
        &self,
        reading: &Reading,
        matched: &Matched,
        escalation_type: EscalationType,
    ) -> Result<EscalationDraft, HandleError> {
        let new = NewEscalation {
            escalation_type,
            channel: reading.channel,
            statement: Statement::from_stored(cut(&reading.text)),
            invoice: matched.invoice,
            contact: matched.contact,
        };
        Ok(self.escalations.draft(matched.account, new).await?)
    }

    /// Stores a message in its account, with all that follows from it, in one transaction.
    pub(super) async fn file(
        &self,
        item: &InboxItem,
        reading: &Reading,
        matched: Matched,
    ) -> Result<(), HandleError> {
        let filing = self.filing(reading, matched, item.received_at).await?;
        retry_contended(|| self.try_to_file(item, reading, &filing)).await
    }

    async fn try_to_file(
        &self,
        item: &InboxItem,
        reading: &Reading,
        filing: &Filing,
    ) -> Result<(), HandleError> {
        let mut tx = self.store.begin(filing.matched.account).await?;
        if let Some(contact) = filing.matched.contact {
            tx.preferences().lock(contact).await?;
        }
        let mut message = self.message(item, reading, filing);
        if let Some(digest) = &message.content_digest
            && let Some(earlier) = tx.messages().find_inbound(message.internet_id.as_deref(), digest).await?
        {
            if tx.messages().settle_inbound(item.id, filing.state, earlier).await? {
                tx.commit().await?;
            }
            return Ok(());
        }
        // Another worker may have been quicker.
        if !tx.messages().settle_inbound(item.id, filing.state, message.id).await? {
            return Ok(());
        }
        if let Some(understood) = filing.understood.clone() {
            let understood = self.follow(&mut tx, filing, understood).await?;
            message.understand(understood);
        }
        tx.messages().insert(&message, filing.matched.invoice.as_slice()).await?;
        Ok(tx.commit().await?)
    }

    /// Does what follows from what a message says. A promise that cannot be taken is not sure any more.
    async fn follow(
        &self,
        tx: &mut CommunicationsTx,
        filing: &Filing,
        mut understood: Understood,
    ) -> Result<Understood, HandleError> {
        let Matched { account, contact, invoice, .. } = filing.matched;
        if let Some(draft) = &filing.draft {
            let open = match (contact, understood.message_type.escalation()) {
                (Some(contact), Some(kind)) => {
                    tx.escalating().escalations().open_of_contact(contact, kind).await?
                }
                _ => None,
            };
            if open.is_none() {
                self.escalations.raise_in(tx.escalating(), account, draft).await?;
            }
        }
        if understood.message_type == MessageType::Promise && understood.sure {
            understood.sure = self.promise(tx, filing, invoice, &understood).await?;
        }
        Ok(understood)
    }

    async fn promise(
        &self,
        tx: &mut CommunicationsTx,
        filing: &Filing,
        invoice: Option<InvoiceId>,
        understood: &Understood,
    ) -> Result<bool, StoreError> {
        let (Some(invoice), Some(date)) = (invoice, understood.date) else {
            return Ok(false);
        };
        let new = NewPromise {
            date,
            made_by: PromisedBy::Payer,
            time_zone: filing.zone.clone(),
            most_days: filing.most_promise_days,
        };
        match self.invoicing.promise_in(tx.invoicing(), invoice, &new).await {
            Ok(_promise) => Ok(true),
            Err(PromiseError::Store(error)) => Err(error),
            Err(_refused) => Ok(false),
        }
    }

    fn message(&self, item: &InboxItem, reading: &Reading, filing: &Filing) -> Message {
        let sender = reading.sender.as_ref().map_or("", |sender| sender.as_str());
        let subject = reading.subject.as_deref().map(|subject| one_line(subject, 500));
        let texts = [sender.as_bytes(), subject.as_deref().unwrap_or("").as_bytes(), reading.text.as_bytes()];
        Message::new(MessageData {
            id: item.id,
            account: filing.matched.account,
            contact: filing.matched.contact,
            invoice: filing.matched.invoice,
            channel: reading.channel,
            direction: Direction::In,
            purpose: None,
            state: filing.state,
            address: Address::from_stored(sender.to_owned()),
            text: cut(&reading.text),
            at: item.received_at,
            began_at: None,
            state_at: self.clock.now(),
            // A text message has no `Message-ID`: what came in twice was stored once.
            content_digest: (reading.channel == Channel::Email).then(|| sha256(&texts)),
            provider_id: None,
            internet_id: reading.internet_id.clone().map(|id| one_line(&id, 500)),
            in_reply_to: reading.answers.first().map(|id| one_line(id, 500)),
            reply_token: None,
            detail: reading.automatic.map(|automatic| describe(automatic).to_owned()),
            attachments: reading.attachments,
            needs_reading: false,
            understood: None,
            subject,
        })
    }

    /// Holds reminders in every account that a message may be of, and then leaves it to the operator.
    async fn quarantine(&self, item: &InboxItem, candidates: &[Candidate]) -> Result<(), HandleError> {
        for candidate in candidates {
            retry_contended(|| self.hold(candidate.account, candidate.contact, item.id)).await?;
        }
        let detail = format!("{} accounts fit", candidates.len());
        Ok(self.inbox.settle(item.id, MessageState::Quarantined, Some(&detail)).await?)
    }

    async fn hold(
        &self,
        account: AccountId,
        contact: Option<ContactId>,
        item: MessageId,
    ) -> Result<(), StoreError> {
        let mut tx = self.store.begin(account).await?;
        if let Some(contact) = contact {
            tx.preferences().lock(contact).await?;
        }
        tx.preferences().hold_for_quarantine(item, contact).await?;
        tx.commit().await
    }
}

fn of_mail(mail: InboundMail) -> Reading {
    let sender = mail.from.as_deref().and_then(|from| Address::parse(Channel::Email, from).ok());
    Reading {
        channel: Channel::Email,
        sender,
        recipients: mail.recipients,
        answers: mail.answers,
        internet_id: mail.message_id,
        subject: mail.subject,
        text: mail.text,
        attachments: u32::try_from(mail.attachments).unwrap_or(u32::MAX),
        automatic: mail.automatic,
        bounce: mail.bounce,
    }
}

const fn describe(automatic: Automatic) -> &'static str {
    match automatic {
        Automatic::Reply => "an automatic reply",
        Automatic::Bounce => "a report about a mail that was not delivered",
        Automatic::List => "mail of a mailing list",
        Automatic::Loop => "mail that passed this service before",
    }
}

/// At most as many characters as are kept.
fn cut(text: &str) -> String {
    text.chars().filter(|c| matches!(c, '\n' | '\t') || !c.is_control()).take(LONGEST_TEXT).collect()
}
