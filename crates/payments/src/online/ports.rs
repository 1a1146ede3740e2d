//! The ports of online payments to the store.

use async_trait::async_trait;
use invoices::{
    Addressee, Invoice, InvoiceId, InvoicingTx, PayToken, PaymentId, TimelineEntry, TimelineKind,
};
use kernel::{AccountId, EmailAddress, Money, StoreResult, TimeZone};
use mail::NoticeRecipient;
use time::OffsetDateTime;

use super::charge::Charge;
use super::charge_id::ChargeRowId;
use super::gateway_account::GatewayAccount;
use super::intent::Intent;
use super::reversal::{Reversal, ReversalId, ReversalReason};
use super::settings::{PaymentSettings, PaymentTerms};
use super::stored_gateway_event::StoredGatewayEvent;
use crate::gateway::{CheckoutId, GatewayAccountId, IntentId, RefundState};

/// The account that is paid, with the fields that payments need.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Payee {
    /// Its owner.
    pub owner: NoticeRecipient,
    /// The name of its company.
    pub company_name: String,
    /// The time zone of the account.
    pub time_zone: TimeZone,
    /// Whether the account is active.
    pub is_active: bool,
}

/// The recipient of a payment's receipt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Payer {
    /// The invoice's contact.
    pub contact: Addressee,
    /// The name of the contact.
    pub name: String,
    /// The contact's e-mail address.
    pub email: EmailAddress,
}

/// The stored data that settling a charge for an invoice needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettlementContext {
    /// The account that is paid.
    pub payee: Payee,
    /// The owner's settings.
    pub settings: PaymentSettings,
    /// The stored charges for the invoice, oldest first.
    pub charges: Vec<Charge>,
    /// The invoice's present contact, locked until the transaction ends, if it has an e-mail address.
    pub payer: Option<Payer>,
}

/// The online payments of one invoice.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PaymentsOfInvoice {
    /// The account's gateway accounts, including disconnected ones.
    pub gateways: Vec<GatewayAccount>,
    /// The owner's settings.
    pub settings: PaymentSettings,
    /// The charges for the invoice, oldest first.
    pub charges: Vec<Charge>,
    /// The reversals of these charges.
    pub reversals: Vec<Reversal>,
    /// The intents for the invoice that are pending, oldest first.
    pub pending: Vec<Intent>,
}

/// What was paid online in one currency.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OnlineFigures {
    /// The amount in progress: debits that have not succeeded yet.
    pub processing: Money,
    /// The amount captured in the last [`OnlineFigures::DAYS`] days.
    pub captured: Money,
    /// The amount refunded or disputed in that time.
    pub refunded: Money,
    /// The amount being refunded, including failed refunds that are retried.
    pub refunding: Money,
}

impl OnlineFigures {
    /// How many days of captures and refunds are summed up.
    pub const DAYS: i64 = 30;
}

impl PaymentsOfInvoice {
    /// The completed refunds, returns and disputes, as the invoice's timeline shows them.
    #[must_use]
    pub fn timeline(&self) -> Vec<TimelineEntry> {
        let succeeded = self.reversals.iter().filter(|one| one.state == RefundState::Succeeded);
        let kind = |amount, reason| match reason {
            ReversalReason::Return => TimelineKind::Returned { amount },
            ReversalReason::Refund | ReversalReason::Elsewhere => {
                TimelineKind::Refunded { amount, by_bank: false }
            }
            ReversalReason::Dispute => TimelineKind::Refunded { amount, by_bank: true },
        };
        succeeded.map(|one| TimelineEntry { at: one.at(), kind: kind(one.amount, one.reason) }).collect()
    }

    /// The refunded part of a payment.
    #[must_use]
    pub fn refunded(&self, payment: PaymentId) -> Option<Money> {
        let charge = self.charges.iter().find(|charge| charge.payment == Some(payment))?;
        Some(charge.figures(&self.reversals).reversed).filter(|reversed| !reversed.is_zero())
    }
}

/// The online payments of the transaction's account. Callers that change records of an invoice have locked
/// the invoice.
#[async_trait]
pub trait AccountPayments: Send {
    /// The account; `None` when there is none.
    async fn payee(&mut self) -> StoreResult<Option<Payee>>;

    /// The contact of an invoice as it is now; `None` without a contact or its e-mail address.
    async fn payer(&mut self, invoice: &Invoice) -> StoreResult<Option<Payer>>;

    /// Locks the account until the transaction ends; `false` when there is none.
    async fn lock_account(&mut self) -> StoreResult<bool>;

    /// The owner's settings.
    async fn settings(&mut self) -> StoreResult<PaymentSettings>;

    /// The owner's terms, with the account locked until the transaction ends; `None` when there is none.
    async fn lock_terms(&mut self) -> StoreResult<Option<PaymentTerms>>;

    /// Stores the owner's settings.
    async fn put_settings(&mut self, settings: &PaymentSettings) -> StoreResult<()>;

    /// Sets how many days from today payers of the locked account may promise to pay within.
    async fn set_promise_days(&mut self, days: u16) -> StoreResult<()>;

    /// The account's gateway accounts, oldest first. [`AccountPayments::lock_gateways`] waits until the
    /// transaction ends.
    async fn gateways(&mut self) -> StoreResult<Vec<GatewayAccount>>;

    /// The account's gateway accounts, oldest first, locked until the transaction ends. What is found
    /// afterwards includes the intents of all transactions that read these gateway accounts before.
    async fn lock_gateways(&mut self) -> StoreResult<Vec<GatewayAccount>>;

    /// Inserts or updates a gateway account.
    async fn put_gateway(&mut self, gateway: &GatewayAccount) -> StoreResult<()>;

    /// Whether a gateway account has unfinished intents that were begun before an instant.
    async fn has_open_intents(
        &mut self,
        gateway: GatewayAccountId,
        begun_before: OffsetDateTime,
    ) -> StoreResult<bool>;

    /// Whether money of charges whose payments were begun before an instant is still to be returned or
    /// refunded through a gateway account, of what was requested at another instant or later.
    async fn has_waiting_refunds(
        &mut self,
        gateway: GatewayAccountId,
        begun_before: OffsetDateTime,
        requested_since: OffsetDateTime,
    ) -> StoreResult<bool>;

    /// The unfinished intents of a gateway account that were begun at an instant or later, each with its
    /// invoice.
    async fn open_intents_since(
        &mut self,
        gateway: GatewayAccountId,
        begun_since: OffsetDateTime,
    ) -> StoreResult<Vec<(IntentId, InvoiceId)>>;

    /// One intent.
    async fn intent(&mut self, id: IntentId) -> StoreResult<Option<Intent>>;

    /// The unfinished intents of a locked invoice, oldest first.
    async fn open_intents(&mut self, invoice: InvoiceId) -> StoreResult<Vec<Intent>>;

    /// Inserts or updates an intent.
    async fn put_intent(&mut self, intent: &Intent) -> StoreResult<()>;

    /// The charges for a locked invoice, oldest first.
    async fn charges(&mut self, invoice: InvoiceId) -> StoreResult<Vec<Charge>>;

    /// The data for settling a charge of a locked invoice; `None` when there is no such account.
    async fn settlement_context(&mut self, invoice: &Invoice) -> StoreResult<Option<SettlementContext>>;

    /// Inserts a charge.
    async fn add_charge(&mut self, charge: &Charge) -> StoreResult<()>;

    /// Updates a stored charge.
    async fn update_charge(&mut self, charge: &Charge) -> StoreResult<()>;

    /// The reversals of a charge, oldest first.
    async fn reversals(&mut self, charge: ChargeRowId) -> StoreResult<Vec<Reversal>>;

    /// Inserts or updates a reversal.
    async fn put_reversal(&mut self, reversal: &Reversal) -> StoreResult<()>;

    /// Stores an event. `false` when it is stored already.
    async fn store_event(&mut self, event: &StoredGatewayEvent) -> StoreResult<bool>;
}

/// The transaction that online payments need: that of invoices, with online payments.
pub trait OnlineTx: InvoicingTx {
    /// The account's online payments.
    fn online(&mut self) -> &mut dyn AccountPayments;
    /// This transaction as the port of invoicing.
    fn invoicing(&mut self) -> &mut dyn InvoicingTx;
}

/// Begins transactions on online payments.
#[async_trait]
pub trait OnlineStore: Send + Sync {
    /// Begins a transaction for an account. Every query in it is limited to that account.
    async fn begin(&self, account: AccountId) -> StoreResult<Box<dyn OnlineTx>>;

    /// Records up to which instant the charges of a gateway account were listed.
    async fn record_listed_until(&self, gateway: &GatewayAccount, until: OffsetDateTime) -> StoreResult<()>;

    /// Deletes events of all accounts that were received before an instant, at most `limit` of them, and
    /// returns how many. If a deleted event is received again, it is settled again, which changes nothing.
    async fn prune_events(&self, received_before: OffsetDateTime, limit: u32) -> StoreResult<u64>;
}

/// Rows of all accounts with their keys. One with a value that the domain refuses does not keep the others
/// from being read.
pub type OfAllAccounts<Id, T> = Vec<((AccountId, Id), StoreResult<T>)>;

/// Reads online payments outside any transaction.
#[async_trait]
pub trait OnlineReads: Send + Sync {
    /// One intent.
    async fn intent(&self, account: AccountId, id: IntentId) -> StoreResult<Option<Intent>>;

    /// The intent with this checkout.
    async fn intent_of(
        &self,
        account: AccountId,
        gateway: GatewayAccountId,
        checkout: &CheckoutId,
    ) -> StoreResult<Option<Intent>>;

    /// The latest intent that was begun on the payment page with this token.
    async fn latest_intent(&self, token: &PayToken) -> StoreResult<Option<Intent>>;

    /// One gateway account of the account.
    async fn gateway(&self, account: AccountId, id: GatewayAccountId) -> StoreResult<Option<GatewayAccount>>;

    /// The gateway account with this id, of any account: for its events and for the operator.
    async fn gateway_by_id(&self, id: GatewayAccountId) -> StoreResult<Option<GatewayAccount>>;

    /// The account's gateway accounts, including disconnected ones, oldest first.
    async fn gateways(&self, account: AccountId) -> StoreResult<Vec<GatewayAccount>>;

    /// The gateway accounts of all accounts, starting after `after`.
    async fn all_gateways(
        &self,
        after: Option<(AccountId, GatewayAccountId)>,
        limit: u32,
    ) -> StoreResult<OfAllAccounts<GatewayAccountId, GatewayAccount>>;

    /// The gateway accounts of all accounts with a key that replaced another before an instant, starting
    /// after `after`.
    async fn replaced_keys(
        &self,
        in_force_before: OffsetDateTime,
        after: Option<(AccountId, GatewayAccountId)>,
        limit: u32,
    ) -> StoreResult<Vec<(AccountId, GatewayAccountId)>>;

    /// Unfinished intents of all accounts, by account and age, starting after `after`.
    async fn open_intents(
        &self,
        after: Option<(AccountId, IntentId)>,
        limit: u32,
    ) -> StoreResult<OfAllAccounts<IntentId, Intent>>;

    /// The online payments of an invoice.
    async fn of_invoice(&self, account: AccountId, invoice: InvoiceId) -> StoreResult<PaymentsOfInvoice>;

    /// The owner's settings.
    async fn settings(&self, account: AccountId) -> StoreResult<PaymentSettings>;

    /// The charges of an account with their reversals, newest first, at most `limit`.
    async fn charges(&self, account: AccountId, limit: u32) -> StoreResult<Vec<(Charge, Vec<Reversal>)>>;

    /// The gateway's ids of charges whose applied part is not one payment by the payment page of that amount,
    /// and the references of such payments without a charge. An invoice that was created since an instant is
    /// also checked for one event for each of its payments; events of older ones may have been deleted.
    async fn unaccounted(
        &self,
        account: AccountId,
        invoices_since: OffsetDateTime,
    ) -> StoreResult<Vec<String>>;

    /// The amounts paid online and refunded since an instant, and those in progress, for each currency.
    async fn figures(&self, account: AccountId, since: OffsetDateTime) -> StoreResult<Vec<OnlineFigures>>;

    /// The charge that a payment was recorded for.
    async fn charge_of(&self, account: AccountId, payment: PaymentId) -> StoreResult<Option<Charge>>;

    /// One reversal with its charge.
    async fn reversal(&self, account: AccountId, id: ReversalId) -> StoreResult<Option<(Charge, Reversal)>>;
}
