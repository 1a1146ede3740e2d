//! What online payments need from the store.

use async_trait::async_trait;
use invoices::{Happening, Invoice, InvoiceId, InvoicingTx, PayToken, PaymentId, TimelineEntry};
use kernel::{AccountId, EmailAddress, Money, StoreError};
use mail::Owner;
use time::OffsetDateTime;

use super::charge::Charge;
use super::charge_id::ChargeRowId;
use super::gateway_account::GatewayAccount;
use super::inbox_event::InboxEvent;
use super::intent::Intent;
use super::reversal::{Reversal, ReversalReason};
use super::settings::PaymentSettings;
use crate::gateway::{CheckoutId, GatewayAccountId, IntentId, RefundId, RefundState};

/// The account that is paid, as its payments need it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Payee {
    /// Its owner.
    pub owner: Owner,
    /// The name of its company.
    pub company_name: String,
    /// Whether it is switched on.
    pub is_active: bool,
}

/// Whoever gets the receipt of a payment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Payer {
    /// The name of the invoice's contact.
    pub name: String,
    /// Its address.
    pub email: EmailAddress,
}

/// What is known before a charge for an invoice is settled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BeforeSettling {
    /// The account that is paid.
    pub payee: Payee,
    /// What its owner decided.
    pub settings: PaymentSettings,
    /// The charges for the invoice that are known, the first first.
    pub charges: Vec<Charge>,
    /// The invoice's contact as it is now, locked until the transaction ends, if it has an address.
    pub payer: Option<Payer>,
}

/// The online payments of one invoice.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PaymentsOfInvoice {
    /// The account's connections, disconnected ones too.
    pub gateways: Vec<GatewayAccount>,
    /// What the owner decided.
    pub settings: PaymentSettings,
    /// The charges for the invoice, the first first.
    pub charges: Vec<Charge>,
    /// What of them goes back.
    pub reversals: Vec<Reversal>,
}

/// What was paid online in one currency.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OnlineFigures {
    /// What is being processed: debits that have not succeeded yet.
    pub processing: Money,
    /// What was captured in the last days.
    pub captured: Money,
    /// What went back in the last days.
    pub refunded: Money,
    /// What is on its way back, refunds that failed and are tried again among it.
    pub refunding: Money,
}

impl OnlineFigures {
    /// How many days back captures and refunds are summed up.
    pub const DAYS: i64 = 30;
}

impl PaymentsOfInvoice {
    /// What went back to the payer, as the invoice's timeline shows it.
    #[must_use]
    pub fn refunds(&self) -> Vec<TimelineEntry> {
        let gone = self.reversals.iter().filter(|one| one.state == RefundState::Succeeded);
        let entry = |one: &Reversal| TimelineEntry {
            at: one.created_at,
            what: Happening::Refunded { amount: one.amount, by_bank: one.reason == ReversalReason::Dispute },
        };
        gone.map(entry).collect()
    }

    /// What of a payment went back.
    #[must_use]
    pub fn refunded(&self, payment: PaymentId) -> Option<Money> {
        let charge = self.charges.iter().find(|charge| charge.payment == Some(payment))?;
        Some(charge.figures(&self.reversals).reversed).filter(|reversed| !reversed.is_zero())
    }
}

/// The online payments of the transaction's account. Whoever changes what belongs to an invoice has locked
/// the invoice.
#[async_trait]
pub trait HeldPayments: Send {
    /// The account; `None` when it is not there.
    async fn payee(&mut self) -> Result<Option<Payee>, StoreError>;

    /// Locks the account until the transaction ends; `false` when it is not there.
    async fn lock_account(&mut self) -> Result<bool, StoreError>;

    /// What its owner decided.
    async fn settings(&mut self) -> Result<PaymentSettings, StoreError>;

    /// Stores what the owner decided.
    async fn put_settings(&mut self, settings: &PaymentSettings) -> Result<(), StoreError>;

    /// The account's connections, the first first.
    async fn gateways(&mut self) -> Result<Vec<GatewayAccount>, StoreError>;

    /// Stores a connection, a new one or one that is there.
    async fn put_gateway(&mut self, gateway: &GatewayAccount) -> Result<(), StoreError>;

    /// Whether a connection has intents that have not ended and were begun before an instant.
    async fn has_open_intents(
        &mut self,
        gateway: GatewayAccountId,
        begun_before: OffsetDateTime,
    ) -> Result<bool, StoreError>;

    /// The intents of a connection that have not ended and were begun at an instant or later, each with its
    /// invoice.
    async fn open_intents_since(
        &mut self,
        gateway: GatewayAccountId,
        begun_since: OffsetDateTime,
    ) -> Result<Vec<(IntentId, InvoiceId)>, StoreError>;

    /// One intent.
    async fn intent(&mut self, id: IntentId) -> Result<Option<Intent>, StoreError>;

    /// The intents of a locked invoice that have not ended, the first first.
    async fn open_intents(&mut self, invoice: InvoiceId) -> Result<Vec<Intent>, StoreError>;

    /// Stores an intent, a new one or one that is there.
    async fn put_intent(&mut self, intent: &Intent) -> Result<(), StoreError>;

    /// The charges for a locked invoice, the first first.
    async fn charges(&mut self, invoice: InvoiceId) -> Result<Vec<Charge>, StoreError>;

    /// What is known before a charge for a locked invoice is settled; `None` when the account is not there.
    async fn before_settling(&mut self, invoice: &Invoice) -> Result<Option<BeforeSettling>, StoreError>;

    /// Stores a charge that is not known.
    async fn add_charge(&mut self, charge: &Charge) -> Result<(), StoreError>;

    /// Stores a known charge as it is now.
    async fn update_charge(&mut self, charge: &Charge) -> Result<(), StoreError>;

    /// What of a charge goes back, the first first.
    async fn reversals(&mut self, charge: ChargeRowId) -> Result<Vec<Reversal>, StoreError>;

    /// Stores a reversal, a new one or one that is there.
    async fn put_reversal(&mut self, reversal: &Reversal) -> Result<(), StoreError>;

    /// Keeps an event. `false` when it is kept already.
    async fn keep_event(&mut self, event: &InboxEvent) -> Result<bool, StoreError>;
}

/// The transaction that online payments need: that of invoices, and the payments.
pub trait OnlineTx: InvoicingTx {
    /// The account's online payments.
    fn online(&mut self) -> &mut dyn HeldPayments;
    /// The same transaction as invoices see it.
    fn invoicing(&mut self) -> &mut dyn InvoicingTx;
}

/// Begins transactions on online payments.
#[async_trait]
pub trait OnlineStore: Send + Sync {
    /// Begins a transaction for an account. Every query in it is limited to that account.
    async fn begin(&self, account: AccountId) -> Result<Box<dyn OnlineTx>, StoreError>;

    /// Forgets events of all accounts that were received before an instant, at most `most` of them. Returns
    /// how many it were. An event that comes once more afterwards is settled once more, which changes
    /// nothing.
    async fn forget_events(&self, received_before: OffsetDateTime, most: u32) -> Result<u64, StoreError>;
}

/// Reads online payments outside any transaction.
#[async_trait]
pub trait OnlineReads: Send + Sync {
    /// One intent.
    async fn intent(&self, account: AccountId, id: IntentId) -> Result<Option<Intent>, StoreError>;

    /// The intent that has this checkout.
    async fn intent_of(
        &self,
        account: AccountId,
        gateway: GatewayAccountId,
        checkout: &CheckoutId,
    ) -> Result<Option<Intent>, StoreError>;

    /// The latest intent that was begun on a payment page with this token.
    async fn latest_intent(&self, token: &PayToken) -> Result<Option<Intent>, StoreError>;

    /// One connection of the account.
    async fn gateway(
        &self,
        account: AccountId,
        id: GatewayAccountId,
    ) -> Result<Option<GatewayAccount>, StoreError>;

    /// The connection with this id, of whichever account: for its events and for the operator.
    async fn gateway_by_id(&self, id: GatewayAccountId) -> Result<Option<GatewayAccount>, StoreError>;

    /// The account's connections, disconnected ones too, the first first.
    async fn gateways(&self, account: AccountId) -> Result<Vec<GatewayAccount>, StoreError>;

    /// The connections of all accounts, behind one.
    async fn all_gateways(
        &self,
        after: Option<(AccountId, GatewayAccountId)>,
        most: u32,
    ) -> Result<Vec<GatewayAccount>, StoreError>;

    /// The connections of all accounts that have a key which took the place of another one before an instant,
    /// behind one.
    async fn replaced_keys(
        &self,
        in_force_before: OffsetDateTime,
        after: Option<(AccountId, GatewayAccountId)>,
        most: u32,
    ) -> Result<Vec<GatewayAccount>, StoreError>;

    /// Notes up to when the charges of a connection were listed.
    async fn listed(&self, gateway: &GatewayAccount, until: OffsetDateTime) -> Result<(), StoreError>;

    /// Intents of all accounts that have not ended, behind one, by account and age.
    async fn open_intents(
        &self,
        after: Option<(AccountId, IntentId)>,
        most: u32,
    ) -> Result<Vec<Intent>, StoreError>;

    /// The online payments of an invoice.
    async fn of_invoice(
        &self,
        account: AccountId,
        invoice: InvoiceId,
    ) -> Result<PaymentsOfInvoice, StoreError>;

    /// What the owner decided.
    async fn settings(&self, account: AccountId) -> Result<PaymentSettings, StoreError>;

    /// The charges of an account with what of them goes back, the newest first, at most `most`.
    async fn charges(
        &self,
        account: AccountId,
        most: u32,
    ) -> Result<Vec<(Charge, Vec<Reversal>)>, StoreError>;

    /// What was paid online and went back since an instant, and what is under way, for each currency.
    async fn figures(
        &self,
        account: AccountId,
        since: OffsetDateTime,
    ) -> Result<Vec<OnlineFigures>, StoreError>;

    /// The charge that a payment was recorded with.
    async fn charge_of(&self, account: AccountId, payment: PaymentId) -> Result<Option<Charge>, StoreError>;

    /// One reversal with its charge.
    async fn reversal(
        &self,
        account: AccountId,
        id: RefundId,
    ) -> Result<Option<(Charge, Reversal)>, StoreError>;
}
