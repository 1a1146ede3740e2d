//! Payments recorded against an invoice.

use kernel::{Id, Money, SingleLine};
use strum::{EnumString, IntoStaticStr, VariantNames};
use time::OffsetDateTime;

/// Marks ids of payments.
pub enum PaymentEntity {}

/// The id of a payment.
pub type PaymentId = Id<PaymentEntity>;

/// A payment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Payment {
    /// The payment's id.
    pub id: PaymentId,
    /// What was paid, in the invoice's currency.
    pub amount: Money,
    /// When it was received, UTC.
    pub received_at: OffsetDateTime,
    /// How it was paid.
    pub method: PaymentMethod,
    /// The reference that the payer or the bank gave.
    pub reference: Option<SingleLine<255>>,
    /// Who recorded it.
    pub recorded_by: RecordedBy,
}

/// How a payment was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EnumString, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum PaymentMethod {
    /// By card.
    Card,
    /// By bank transfer.
    BankTransfer,
    /// By direct debit.
    DirectDebit,
    /// In cash.
    Cash,
    /// By cheque.
    Cheque,
    /// In another way.
    Other,
}

/// Who recorded a payment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EnumString, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum RecordedBy {
    /// The invoice's payment page.
    PaymentPage,
    /// A user of the dashboard.
    Dashboard,
    /// The service's operator.
    Operator,
}
