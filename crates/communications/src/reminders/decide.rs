//! Decides about the steps that are due, and queues the reminders that may go out.

use contacts::ContactId;
use invoices::InvoiceId;
use kernel::random::RandomnessUnavailable;
use kernel::{AccountId, Id, RetryOnContention, StoreError, retry_contended};
use outbox::{JobId, NewJob};
use time::OffsetDateTime;

use super::decision::Decision;
use super::payload::ReminderTask;
use super::permit::Permit;
use super::plan::plan;
use super::ports::DecidedStep;
use super::service::{CONTACTS_AT_ONCE, ReminderService};
use crate::message::{Direction, Message, MessageData, MessageId, MessagePurpose, MessageState};
use crate::reply_token::ReplyToken;

/// Why nothing was decided.
#[derive(Debug, thiserror::Error)]
pub enum DecideError {
    /// The operating system gives no random bytes.
    #[error(transparent)]
    Random(#[from] RandomnessUnavailable),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl RetryOnContention for DecideError {
    fn is_contended(&self) -> bool {
        matches!(self, Self::Store(error) if error.is_contended())
    }
}

impl From<DecideError> for StoreError {
    fn from(error: DecideError) -> Self {
        match error {
            DecideError::Store(error) => error,
            DecideError::Random(error) => Self::Failed(error.into()),
        }
    }
}

impl ReminderService {
    /// Decides about every step of an account that is due by now, and queues what is to be sent. Returns the
    /// decisions that differ from those before. Several processes may do this at once: each decision is made
    /// under the lock of the contact's preferences.
    ///
    /// # Errors
    /// A [`DecideError`]; decisions that were made before stand.
    pub async fn decide(&self, account: AccountId) -> Result<Vec<DecidedStep>, DecideError> {
        let now = self.clock.now();
        let Some(facts) = self.facts(account, now).await? else {
            return Ok(Vec::new());
        };
        let (mut decided, mut after) = (Vec::new(), None);
        loop {
            let page = self.reminder_reads.contacts(&facts, now, after, CONTACTS_AT_ONCE, now).await?;
            let Some(last) = page.last().map(|one| one.contact.contact) else {
                return Ok(decided);
            };
            for one in page {
                let contact = one.contact.contact;
                if !plan(&one.into_facts(&facts), now).changes.is_empty() {
                    let steps = retry_contended(|| self.decide_contact(account, contact, now)).await?;
                    decided.extend(steps);
                }
            }
            after = Some(last);
        }
    }

    /// Decides about one contact, by what holds once its preferences and invoices are locked.
    async fn decide_contact(
        &self,
        account: AccountId,
        contact: ContactId,
        now: OffsetDateTime,
    ) -> Result<Vec<DecidedStep>, DecideError> {
        let mut tx = self.store.begin(account).await?;
        let Some((facts, reminders)) = self.lock(&mut tx, contact, None, now).await? else {
            return Ok(Vec::new());
        };
        let plan = plan(&reminders.into_facts(&facts), now);
        let mut message = None;
        if let Some(permit) = plan.permit {
            let id: MessageId = Id::new(&*self.ids, now);
            let token = ReplyToken::generate(account, &*self.random)?;
            tx.messages().insert(&queued(&permit, id, token), permit.invoices()).await?;
            tx.jobs().queue(job(account, id, now, JobId::new(&*self.ids, now))).await?;
            message = Some(id);
        }
        // Only what the message brings is its own: what is held or skipped is not sent with it.
        let (sends, others): (Vec<_>, Vec<_>) =
            plan.changes.iter().copied().partition(|step| step.decision == Decision::Send);
        tx.reminders().record(contact, &sends, message, now, &*self.ids).await?;
        tx.reminders().record(contact, &others, None, now, &*self.ids).await?;
        tx.commit().await?;
        Ok(plan.changes.into_iter().map(|step| DecidedStep { at: now, contact, step }).collect())
    }
}

/// A reminder that waits to be sent. What it says is written when it is sent.
fn queued(permit: &Permit, id: MessageId, token: ReplyToken) -> Message {
    let invoice: Option<InvoiceId> = match permit.invoices() {
        [one] => Some(*one),
        _ => None,
    };
    Message::new(MessageData {
        id,
        account: permit.account(),
        contact: Some(permit.contact()),
        invoice,
        channel: permit.channel(),
        direction: Direction::Out,
        purpose: Some(MessagePurpose::Reminder),
        state: MessageState::Queued,
        address: permit.address().clone(),
        subject: None,
        text: String::new(),
        at: permit.at(),
        began_at: None,
        state_at: permit.at(),
        provider_id: None,
        internet_id: None,
        in_reply_to: None,
        reply_token: Some(token),
        detail: None,
        attachments: 0,
        understood: None,
        needs_reading: false,
        content_digest: None,
    })
}

/// The job is attempted also while communications are off: the permit that it asks for then says so.
fn job(account: kernel::AccountId, message: MessageId, now: OffsetDateTime, id: JobId) -> NewJob {
    NewJob {
        id,
        account,
        kind: ReminderTask::KIND,
        resource_id: None,
        to_customer: false,
        payload: outbox::payload(&ReminderTask { message: message.uuid() }),
        queued_at: now,
    }
}
