//! What communications read outside a transaction, and what they search in all accounts.

use async_trait::async_trait;
use contacts::ContactId;
use escalations::Channel;
use invoices::InvoiceId;
use kernel::{AccountId, StoreResult};
use time::OffsetDateTime;

use crate::address::Address;
use crate::address_hold::AddressHold;
use crate::message::{Message, MessageId};
use crate::preferences::{Consent, ContactPreferences};
use crate::reply_token::ReplyToken;

/// Searches the unread messages of all accounts.
#[async_trait]
pub trait UnreadReads: Send + Sync {
    /// At most `limit` accounts with unread messages that were handled at `until` or earlier and that the
    /// owner was not notified of. The account must not be switched off; the owner must want these notices,
    /// and must not have been notified of messages handled after `notified_before`.
    async fn accounts_to_notify(
        &self,
        until: OffsetDateTime,
        notified_before: OffsetDateTime,
        limit: u32,
    ) -> StoreResult<Vec<AccountId>>;
}

/// Removes the texts of old messages, of all accounts.
#[async_trait]
pub trait MessageRetention: Send + Sync {
    /// Removes subject, text and evidence of at most `limit` messages that were written before an instant,
    /// and records when. All else of them stays, so that they still count and replies to them are matched. A
    /// message that waits to be sent keeps its text. Returns how many were changed.
    async fn remove_texts(
        &self,
        written_before: OffsetDateTime,
        now: OffsetDateTime,
        limit: u32,
    ) -> StoreResult<u64>;
}

/// Where a page of messages starts: after this one, newest first.
pub type MessagePosition = MessageId;

/// What a queued mail to a customer is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailSubject {
    /// The contact that the invoice has now. The mail may be addressed to an earlier one.
    pub contact: Option<ContactId>,
    /// The invoice that the mail is about.
    pub invoice: InvoiceId,
    /// Whether the invoice is cancelled now. It may not have been when the mail was queued.
    pub is_cancelled: bool,
    /// The message that an earlier attempt stored for it.
    pub stored: Option<Message>,
}

/// Reads messages and preferences outside any transaction.
#[async_trait]
pub trait CommunicationsReads: Send + Sync {
    /// One message of the account.
    async fn message(&self, account: AccountId, id: MessageId) -> StoreResult<Option<Message>>;

    /// The message with this id, in any account: for the operator.
    async fn message_by_id(&self, id: MessageId) -> StoreResult<Option<Message>>;

    /// At most `limit` of the account's messages after a position, newest first, of one contact or of all.
    async fn messages(
        &self,
        account: AccountId,
        contact: Option<ContactId>,
        after: Option<MessagePosition>,
        limit: usize,
    ) -> StoreResult<Vec<Message>>;

    /// At most `limit` of the account's unread messages, newest first, of one contact or of all.
    async fn unread(
        &self,
        account: AccountId,
        contact: Option<ContactId>,
        limit: usize,
    ) -> StoreResult<Vec<Message>>;

    /// At most `limit` outgoing messages after a position, newest first, of all accounts: for trying the
    /// service out.
    async fn outgoing(&self, after: Option<MessagePosition>, limit: usize) -> StoreResult<Vec<Message>>;

    /// The message with this token, in the account that the token names.
    async fn message_by_token(&self, token: &ReplyToken) -> StoreResult<Option<Message>>;

    /// The outgoing messages with these `Message-ID`s, in any account.
    async fn messages_by_internet_id(&self, ids: &[String]) -> StoreResult<Vec<Message>>;

    /// The latest message that each account sent to each of its contacts at an address since an instant,
    /// newest first. A message that is still queued counts once an attempt to send it began, a text message
    /// that the provider refused does not. Messages to erased contacts are removed, so that none of them
    /// is found.
    async fn latest_to(
        &self,
        channel: Channel,
        address: &Address,
        since: OffsetDateTime,
    ) -> StoreResult<Vec<Message>>;

    /// What a queued mail to a customer is about; `None` if it is not about an invoice.
    async fn subject_of_mail(&self, account: AccountId, mail: MessageId) -> StoreResult<Option<MailSubject>>;

    /// The accounts that ever sent a message to an address, in the order of their ids. A message that is
    /// still queued counts once an attempt to send it began.
    async fn accounts_that_wrote_to(
        &self,
        channel: Channel,
        address: &Address,
    ) -> StoreResult<Vec<AccountId>>;

    /// The channel, e-mail or SMS, by which a message with the link to an invoice's payment page was sent
    /// last. A text message that has the link of another of its invoices does not count.
    async fn channel_of_link(&self, account: AccountId, invoice: InvoiceId) -> StoreResult<Option<Channel>>;

    /// The `Message-ID`s of at most `limit` of the latest e-mails about an invoice that went to an address,
    /// oldest first.
    async fn mails_about(
        &self,
        account: AccountId,
        invoice: InvoiceId,
        address: &Address,
        limit: usize,
    ) -> StoreResult<Vec<String>>;

    /// The invoice of a contact with one of these numbers.
    async fn invoice_by_number(
        &self,
        account: AccountId,
        contact: ContactId,
        numbers: &[String],
    ) -> StoreResult<Option<InvoiceId>>;

    /// The preferences of a contact; without consents if none were recorded.
    async fn preferences(&self, account: AccountId, contact: ContactId) -> StoreResult<ContactPreferences>;

    /// Every consent of a contact that was recorded, newest first.
    async fn consents(&self, account: AccountId, contact: ContactId) -> StoreResult<Vec<Consent>>;

    /// The addresses of a contact's messages, each once with its channel. Some may not be its present ones.
    async fn addresses(&self, account: AccountId, contact: ContactId)
    -> StoreResult<Vec<(Channel, Address)>>;

    /// The holds of an address of the account, in force and ended, newest first.
    async fn address_holds(
        &self,
        account: AccountId,
        channel: Channel,
        address: &Address,
    ) -> StoreResult<Vec<AddressHold>>;
}
