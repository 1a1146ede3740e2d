//! Payments recorded against an invoice.

use kernel::{Entity, Id, Money, SingleLine};
use time::OffsetDateTime;

/// Names the payment.
#[derive(Debug, Clone, Copy)]
pub enum PaymentEntity {}
impl Entity for PaymentEntity {
    const NAME: &'static str = "payment";
}

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
    /// What the payer or the bank wrote with it.
    pub reference: Option<SingleLine<255>>,
    /// Who recorded it.
    pub recorded_by: RecordedBy,
}

/// How a payment was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RecordedBy {
    /// The invoice's payment page.
    PaymentPage,
    /// A user of the dashboard.
    Dashboard,
    /// The service's operator.
    Operator,
}

/// The text names no payment method or recorder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be {0}")]
pub struct UnknownName(&'static str);

impl PaymentMethod {
    const ALL: [Self; 6] = [
        Self::Card,
        Self::BankTransfer,
        Self::DirectDebit,
        Self::Cash,
        Self::Cheque,
        Self::Other,
    ];

    /// The name as the API and the store write it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Card => "card",
            Self::BankTransfer => "bank_transfer",
            Self::DirectDebit => "direct_debit",
            Self::Cash => "cash",
            Self::Cheque => "cheque",
            Self::Other => "other",
        }
    }

    /// Reads a name.
    ///
    /// # Errors
    /// [`UnknownName`], which lists the names.
    pub fn parse(text: &str) -> Result<Self, UnknownName> {
        let names = "card, bank_transfer, direct_debit, cash, cheque or other";
        Self::ALL
            .into_iter()
            .find(|method| method.as_str() == text)
            .ok_or(UnknownName(names))
    }
}

impl RecordedBy {
    const ALL: [Self; 3] = [Self::PaymentPage, Self::Dashboard, Self::Operator];

    /// The name as the API and the store write it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::PaymentPage => "payment_page",
            Self::Dashboard => "dashboard",
            Self::Operator => "operator",
        }
    }

    /// Reads a name.
    ///
    /// # Errors
    /// [`UnknownName`], which lists the names.
    pub fn parse(text: &str) -> Result<Self, UnknownName> {
        let names = "payment_page, dashboard or operator";
        Self::ALL
            .into_iter()
            .find(|by| by.as_str() == text)
            .ok_or(UnknownName(names))
    }
}
