//! The ports of bank details to the store.

use async_trait::async_trait;
use kernel::{AccountId, Commit, Currency, EmailAddress, StoreResult, TimeZone, TokenHash};
use outbox::Jobs;
use time::OffsetDateTime;

use super::entry::{BankDetailsEntry, BankDetailsId};

/// The owner of an account, who receives a mail about each change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountOwner {
    /// The owner's e-mail address.
    pub email: EmailAddress,
    /// The name of the account's company.
    pub company_name: String,
    /// The time zone of the account.
    pub time_zone: TimeZone,
}

/// The bank details of the transaction's account.
#[async_trait]
pub trait AccountBankDetails: Send {
    /// Locks the account's bank details until the transaction ends, and returns the account's owner; `None`
    /// when there is no such account.
    async fn lock(&mut self) -> StoreResult<Option<AccountOwner>>;

    /// The entries that were not withdrawn, of all currencies, by currency and age. They were locked by
    /// [`Self::lock`].
    async fn not_withdrawn(&mut self) -> StoreResult<Vec<BankDetailsEntry>>;

    /// Inserts an entry.
    async fn insert(&mut self, entry: &BankDetailsEntry) -> StoreResult<()>;

    /// Withdraws those of the entries that were not withdrawn yet, and returns how many.
    async fn withdraw(&mut self, ids: &[BankDetailsId], at: OffsetDateTime) -> StoreResult<usize>;
}

/// The transaction that changes of bank details need.
pub trait BankDetailsTx: Commit {
    /// The account's bank details.
    fn bank_details(&mut self) -> &mut dyn AccountBankDetails;
    /// The account's background jobs.
    fn jobs(&mut self) -> &mut dyn Jobs;
}

/// Begins transactions on bank details.
#[async_trait]
pub trait BankDetailsStore: Send + Sync {
    /// Begins a transaction for an account. Every query in it is limited to that account.
    async fn begin(&self, account: AccountId) -> StoreResult<Box<dyn BankDetailsTx>>;
}

/// Reads bank details outside any transaction.
#[async_trait]
pub trait BankDetailsReads: Send + Sync {
    /// The account's entries that were not withdrawn, of all currencies, by currency and age.
    async fn not_withdrawn(&self, account: AccountId) -> StoreResult<Vec<BankDetailsEntry>>;

    /// The account's entry for a currency that is in force at an instant ([`in_force`](crate::in_force)).
    async fn in_force(
        &self,
        account: AccountId,
        currency: Currency,
        at: OffsetDateTime,
    ) -> StoreResult<Option<BankDetailsEntry>>;

    /// The account's entry with this undo token, withdrawn or not.
    async fn by_undo_token(
        &self,
        account: AccountId,
        hash: &TokenHash,
    ) -> StoreResult<Option<BankDetailsEntry>>;
}
