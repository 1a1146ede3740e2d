//! The ports of contacts to the store.

use async_trait::async_trait;
use idempotency::{Claim, StoredResponses, Ticket};
use kernel::{AccountId, Commit, Cursor, EmailAddress, PageSize, ResultsPage, StoreResult};
use time::OffsetDateTime;

use crate::contact::{Contact, ContactId, ExternalId};
use crate::reference::ContactReference;
use crate::search::SearchText;

/// The contacts of the transaction's account.
#[async_trait]
pub trait Contacts: Send {
    /// All contacts of the account that have the reference's id, external id or e-mail address (in any case),
    /// in one round trip. At most three. The contacts may be changed before the transaction ends.
    async fn matching(&mut self, reference: &ContactReference) -> StoreResult<Vec<Contact>>;

    /// The same contacts, none of which is erased before the transaction ends: for a caller that stores a
    /// copy of one, since erasing a contact also removes such copies.
    async fn lock_matching(&mut self, reference: &ContactReference) -> StoreResult<Vec<Contact>>;

    /// [`StoredResponses::claim`] and [`Contacts::lock_matching`] in one round trip.
    async fn claim_and_lock(
        &mut self,
        ticket: &Ticket,
        reference: &ContactReference,
    ) -> StoreResult<(Claim, Vec<Contact>)>;

    /// Inserts a new contact. `false` when another contact of the account has its external id or its e-mail
    /// address: then nothing was changed, the transaction continues, and [`Contacts::matching`] finds the
    /// other contact.
    async fn insert_new(&mut self, contact: &Contact) -> StoreResult<bool>;

    /// One contact, locked until the transaction ends.
    async fn lock(&mut self, id: ContactId) -> StoreResult<Option<Contact>>;

    /// Whether a locked contact was erased, and was given no way to reach it since.
    async fn is_erased(&mut self, id: ContactId) -> StoreResult<bool>;

    /// Whether a contact was erased since an instant.
    async fn was_erased_since(&mut self, id: ContactId, instant: OffsetDateTime) -> StoreResult<bool>;

    /// Locks a contact that something is to be sent to. `false` when it was erased, and was given no way to
    /// reach it since. One round trip for a contact with an e-mail address or a telephone number.
    async fn lock_to_send(&mut self, id: ContactId) -> StoreResult<bool> {
        let locked = self.lock(id).await?;
        let is_reachable = locked.is_some_and(|contact| contact.email.is_some() || contact.phone.is_some());
        Ok(is_reachable || !self.is_erased(id).await?)
    }

    /// Updates a locked contact. `before` is its state before the change. `false` when another contact of the
    /// account has its e-mail address: then nothing was changed, and the transaction continues.
    async fn update(&mut self, before: &Contact, contact: &Contact) -> StoreResult<bool>;
}

/// The transaction that creating a contact needs.
pub trait ContactsTx: Commit {
    /// The account's contacts.
    fn contacts(&mut self) -> &mut dyn Contacts;
    /// The account's stored responses.
    fn stored_responses(&mut self) -> &mut dyn StoredResponses;
}

/// Begins transactions on contacts.
#[async_trait]
pub trait ContactsStore: Send + Sync {
    /// Begins a transaction for an account. Every query in it is limited to that account.
    async fn begin(&self, account: AccountId) -> StoreResult<Box<dyn ContactsTx>>;
}

/// Reads contacts outside any transaction.
#[async_trait]
pub trait ContactReads: Send + Sync {
    /// One contact of the account.
    async fn get(&self, account: AccountId, id: ContactId) -> StoreResult<Option<Contact>>;

    /// The names of those of these contacts that the account has, in any order.
    async fn names(&self, account: AccountId, ids: &[ContactId]) -> StoreResult<Vec<(ContactId, String)>>;

    /// The contact of the account that matches all given values: the e-mail address in any case, the external
    /// id exactly.
    async fn look_up(
        &self,
        account: AccountId,
        email: Option<&EmailAddress>,
        external_id: Option<&ExternalId>,
    ) -> StoreResult<Option<Contact>>;

    /// One page of the account's contacts, newest first by creation (ids descending), starting after the
    /// cursor; with a search text, only the contacts that it finds ([`SearchText`]).
    async fn list(
        &self,
        account: AccountId,
        search: Option<&SearchText>,
        size: PageSize,
        after: Option<Cursor>,
    ) -> StoreResult<ResultsPage<Contact>>;
}
