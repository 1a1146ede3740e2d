//! The ports of partner accounts.

use access::NewKey;
use async_trait::async_trait;
use kernel::{
    AccountId, Commit, Currency, EmailAddress, OffsetPage, Operator, PartnerId, PartnerScope, SingleLine,
    StoreResult,
};
use mail::SilencedNotices;
use outbox::Jobs;
use time::OffsetDateTime;
use webhooks::Endpoints;

use crate::account::Account;
use crate::invitation::Invitation;
use crate::logo::AccountLogos;
use crate::partner::Partner;
use crate::slug::PaymentSlug;

/// The result of inserting an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InsertedAccount {
    /// The account was inserted with its login.
    Done,
    /// The external id, the e-mail address or the name of the payment page is taken. Nothing was changed, the
    /// transaction continues, and its look-ups find the account that has it.
    Taken,
}

/// The result of updating an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UpdatedAccount {
    Done,
    /// A concurrent transaction gave another account the external id or the name of the payment page. This
    /// transaction has failed; the look-ups of a new one find that account.
    Taken,
}

/// The names of the payment pages of all accounts.
#[async_trait]
pub trait PaymentSlugs: Send {
    /// Those of the names that any account of the service has.
    async fn taken_slugs(&mut self, names: &[PaymentSlug]) -> StoreResult<Vec<PaymentSlug>>;
}

/// The accounts of the transaction's partner.
#[async_trait]
pub trait Accounts: PaymentSlugs {
    /// The partner's account with this external id.
    async fn with_external_id(&mut self, external_id: &SingleLine<255>) -> StoreResult<Option<Account>>;

    /// Whether any account of the service has this e-mail address in any case. It does not reveal which
    /// account.
    async fn email_is_taken(&mut self, email: &EmailAddress) -> StoreResult<bool>;

    /// Inserts a new account with its owner's login.
    async fn insert_new(&mut self, account: &Account) -> StoreResult<InsertedAccount>;

    /// An account of the partner, locked until the transaction ends: other transactions that lock it wait.
    async fn lock(&mut self, id: AccountId) -> StoreResult<Option<Account>>;

    /// Updates a locked account: external id, name of the payment page, profile, the partner's switch and the
    /// instant of the change.
    async fn update(&mut self, account: &Account) -> StoreResult<UpdatedAccount>;

    /// Makes this the account's only key: all earlier keys are revoked. `false` when the partner has no such
    /// account. Two concurrent calls leave exactly one key.
    async fn put_key(&mut self, account: AccountId, key: &NewKey) -> StoreResult<bool>;
}

/// The invitations to the partner's accounts.
#[async_trait]
pub trait Invitations: Send {
    /// Inserts an invitation for the owner of one of the partner's accounts.
    async fn insert(&mut self, invitation: &Invitation) -> StoreResult<()>;
}

/// The transaction that provisioning needs.
pub trait ProvisioningTx: Commit {
    /// The partner's accounts.
    fn accounts(&mut self) -> &mut dyn Accounts;

    /// The webhook endpoints of these accounts.
    fn endpoints(&mut self) -> &mut dyn Endpoints;

    /// The copies of their logos.
    fn logos(&mut self) -> &mut dyn AccountLogos;

    /// The invitations of their owners.
    fn invitations(&mut self) -> &mut dyn Invitations;

    /// The background jobs of these accounts.
    fn jobs(&mut self) -> &mut dyn Jobs;
}

/// The account of the transaction.
#[async_trait]
pub trait OwnAccount: Send {
    /// The account, locked until the transaction ends: other transactions that lock it wait. `None` when
    /// there is none.
    async fn lock(&mut self) -> StoreResult<Option<Account>>;

    /// Updates the locked account: name of the payment page, profile, logo and the instant of the change.
    async fn update(&mut self, account: &Account) -> StoreResult<UpdatedAccount>;

    /// Makes this the account's only key: all earlier keys are revoked. `false` when there is no such
    /// account. Two concurrent calls leave exactly one key.
    async fn put_key(&mut self, key: &NewKey) -> StoreResult<bool>;
}

/// The transaction in which an owner changes the account.
pub trait OwnAccountTx: Commit {
    fn own_account(&mut self) -> &mut dyn OwnAccount;

    /// The names of payment pages.
    fn slugs(&mut self) -> &mut dyn PaymentSlugs;

    /// The copies of its logo.
    fn logos(&mut self) -> &mut dyn AccountLogos;
}

/// Begins transactions on an account for its owner, and reads it.
#[async_trait]
pub trait OwnAccountStore: Send + Sync {
    /// Begins a transaction. Every query in it is limited to that account.
    async fn begin(&self, account: AccountId) -> StoreResult<Box<dyn OwnAccountTx>>;

    async fn get(&self, account: AccountId) -> StoreResult<Option<Account>>;

    /// The notices that the owner has switched off; `None` when there is no such account.
    async fn silenced(&self, account: AccountId) -> StoreResult<Option<SilencedNotices>>;

    /// Sets the notices that the owner has switched off, if they are still `from`; else returns `false`. If
    /// `to` is the same, nothing changes, and there is no audit entry.
    async fn silence(
        &self,
        account: AccountId,
        from: SilencedNotices,
        to: SilencedNotices,
    ) -> StoreResult<bool>;
}

/// Begins transactions for a partner.
#[async_trait]
pub trait ProvisioningStore: Send + Sync {
    /// Begins a transaction. Every query in it is limited to that partner.
    async fn begin(&self, partner: PartnerScope) -> StoreResult<Box<dyn ProvisioningTx>>;
}

/// Reads a partner's accounts outside any transaction.
#[async_trait]
pub trait AccountReads: Send + Sync {
    /// One account of the partner.
    async fn get(&self, partner: PartnerScope, id: AccountId) -> StoreResult<Option<Account>>;

    /// The partner's account with this external id.
    async fn with_external_id(
        &self,
        partner: PartnerScope,
        external_id: &SingleLine<255>,
    ) -> StoreResult<Option<Account>>;

    /// The partner's accounts, newest first by creation (ids descending), with their total number.
    async fn list(
        &self,
        partner: PartnerScope,
        limit: usize,
        offset: u64,
    ) -> StoreResult<OffsetPage<Account>>;
}

/// One change that the operator makes to an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccountChange {
    /// Switches it off or on.
    OffByOperator(bool),
    /// Sets how many invoices it may create in a calendar month.
    MonthlyInvoiceLimit(Option<u64>),
    /// How many text messages and calls it may send in a month.
    MonthlyMessageLimit(Option<u64>),
    /// Sets the default currency of its invoices.
    Currency(Currency),
}

impl AccountChange {
    /// Whether the account is already as the change would make it.
    #[must_use]
    pub fn is_made_in(self, account: &Account) -> bool {
        match self {
            Self::OffByOperator(off) => account.switches.disabled_by_operator == off,
            Self::MonthlyInvoiceLimit(limit) => account.monthly_invoice_limit == limit,
            Self::MonthlyMessageLimit(limit) => account.monthly_message_limit == limit,
            Self::Currency(currency) => account.currency == currency,
        }
    }
}

/// The first partner and its first account, to be inserted together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BootstrapRecords {
    pub partner: Partner,
    pub partner_key: NewKey,
    pub account: Account,
    pub account_key: NewKey,
}

/// Reads and changes partners and accounts of all tenants; each method requires the operator.
#[async_trait]
pub trait OperatorStore: Send + Sync {
    /// Inserts a partner with its first key.
    async fn insert_partner(&self, operator: Operator, partner: &Partner, key: &NewKey) -> StoreResult<()>;

    /// Inserts a first partner with its key, and one account of this partner with its login and key, all or
    /// nothing. `false` when there is a partner already, or another process was faster: then nothing was
    /// changed.
    async fn bootstrap(&self, operator: Operator, records: &BootstrapRecords) -> StoreResult<bool>;

    /// Every partner, newest first.
    async fn partners(&self, operator: Operator) -> StoreResult<Vec<Partner>>;

    /// Switches a partner off or on; `None` when there is no partner with this id.
    async fn set_partner_disabled(
        &self,
        operator: Operator,
        id: PartnerId,
        disabled: bool,
    ) -> StoreResult<Option<Partner>>;

    /// Makes this the partner's only key; `false` when there is no partner with this id.
    async fn put_partner_key(&self, operator: Operator, id: PartnerId, key: &NewKey) -> StoreResult<bool>;

    async fn account(&self, operator: Operator, id: AccountId) -> StoreResult<Option<Account>>;

    /// At most `limit` accounts, newest first, of one partner or of all, and if `before` is given, only older
    /// ones.
    async fn accounts(
        &self,
        operator: Operator,
        partner: Option<PartnerId>,
        before: Option<AccountId>,
        limit: usize,
    ) -> StoreResult<Vec<Account>>;

    /// Changes an account and returns it; `None` when there is no account with this id. An account that has
    /// the value already is returned as it is: it is not updated, and no audit entry is written. An entry
    /// says what [`AccountChange::audited`] says of the locked account.
    async fn change_account(
        &self,
        operator: Operator,
        id: AccountId,
        change: AccountChange,
        now: OffsetDateTime,
    ) -> StoreResult<Option<Account>>;

    /// Makes this the account's only key; `false` when there is no account with this id. An audit entry names
    /// the key that is replaced ([`new_key`](crate::audited::new_key)).
    async fn put_account_key(&self, operator: Operator, id: AccountId, key: &NewKey) -> StoreResult<bool>;
}
