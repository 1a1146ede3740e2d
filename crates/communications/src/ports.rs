//! What communications need from the store.

use async_trait::async_trait;
use contacts::ContactId;
use escalations::Channel;
use invoices::InvoiceId;
use kernel::{AccountId, Commit, SingleLine, StoreError};
use outbox::Jobs;
use time::OffsetDateTime;

use crate::address::Address;
use crate::address_hold::{AddressHold, Closed};
use crate::message::{Message, MessageId};
use crate::preferences::{Consent, ContactPreferences};
use crate::reply_token::ReplyToken;

/// The messages of the transaction's account.
#[async_trait]
pub trait Messages: Send {
    /// Inserts a message that is about these invoices.
    async fn insert(&mut self, message: &Message, invoices: &[InvoiceId]) -> Result<(), StoreError>;

    /// Locks one message until the transaction ends.
    async fn lock(&mut self, id: MessageId) -> Result<Option<Message>, StoreError>;

    /// Writes a locked message.
    async fn update(&mut self, message: &Message) -> Result<(), StoreError>;
}

/// The preferences of the transaction's account.
///
/// A transaction that locks both preferences and invoices locks the preferences first, and invoices in the
/// order of their ids.
#[async_trait]
pub trait Preferences: Send {
    /// Locks the preferences of a contact until the transaction ends, and makes their row where there is
    /// none. `None` when the account has no such contact. Another transaction that locks them waits, and then
    /// sees what this one did.
    async fn lock(&mut self, contact: ContactId) -> Result<Option<ContactPreferences>, StoreError>;

    /// Records a consent for a contact whose preferences are locked.
    async fn record_consent(&mut self, consent: &Consent) -> Result<(), StoreError>;

    /// Closes an address. `false` when it is closed for this reason already; then nothing changes.
    async fn close_address(&mut self, hold: &AddressHold) -> Result<bool, StoreError>;

    /// Opens an address that was closed for this reason. `false` when it was not closed.
    async fn open_address(
        &mut self,
        channel: Channel,
        address: &Address,
        closed: Closed,
        how: &SingleLine<500>,
        at: OffsetDateTime,
    ) -> Result<bool, StoreError>;
}

/// A transaction on communications of one account.
pub trait Communications: Commit {
    /// The account's messages.
    fn messages(&mut self) -> &mut dyn Messages;
    /// The account's preferences.
    fn preferences(&mut self) -> &mut dyn Preferences;
    /// The account's background jobs.
    fn jobs(&mut self) -> &mut dyn Jobs;
}

/// The transaction as a use case holds it.
pub type CommunicationsTx = Box<dyn Communications>;

/// Begins transactions on communications.
#[async_trait]
pub trait CommunicationsStore: Send + Sync {
    /// Begins a transaction for an account. Every query in it is limited to that account.
    async fn begin(&self, account: AccountId) -> Result<CommunicationsTx, StoreError>;
}

/// Where a page of messages starts: behind this one, newest first.
pub type MessagePosition = MessageId;

/// Reads messages and preferences outside any transaction.
#[async_trait]
pub trait CommunicationsReads: Send + Sync {
    /// One message of the account.
    async fn message(&self, account: AccountId, id: MessageId) -> Result<Option<Message>, StoreError>;

    /// At most `most` of the account's messages behind a place, newest first, of one contact or of all.
    async fn messages(
        &self,
        account: AccountId,
        contact: Option<ContactId>,
        after: Option<MessagePosition>,
        most: usize,
    ) -> Result<Vec<Message>, StoreError>;

    /// The message with this token, in the account that the token names.
    async fn message_by_token(&self, token: &ReplyToken) -> Result<Option<Message>, StoreError>;

    /// The messages of the account with these `Message-ID`s.
    async fn messages_by_internet_id(
        &self,
        account: AccountId,
        ids: &[String],
    ) -> Result<Vec<Message>, StoreError>;

    /// The message of the account with the provider's id of it.
    async fn message_by_provider_id(
        &self,
        account: AccountId,
        provider_id: &str,
    ) -> Result<Option<Message>, StoreError>;

    /// The invoices that a message is about.
    async fn invoices_of(&self, account: AccountId, message: MessageId)
    -> Result<Vec<InvoiceId>, StoreError>;

    /// The preferences of a contact; without consents where nothing was recorded.
    async fn preferences(
        &self,
        account: AccountId,
        contact: ContactId,
    ) -> Result<ContactPreferences, StoreError>;

    /// Why an address of the account was closed, standing holds and lifted ones, newest first.
    async fn address_holds(
        &self,
        account: AccountId,
        channel: Channel,
        address: &Address,
    ) -> Result<Vec<AddressHold>, StoreError>;
}
