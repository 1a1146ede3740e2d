//! An owner's settings for payments.

use kernel::Version;
use strum::{EnumString, IntoStaticStr, VariantNames};

/// What happens to money that cannot be applied to its invoice, because the invoice was paid or cancelled
/// meanwhile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EnumString, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum UnappliedMoney {
    /// It is returned to the payer.
    Return,
    /// The account keeps it, and settles it with the payer in another way.
    Keep,
}

/// An owner's settings for online payments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PaymentSettings {
    /// The least share of an invoice's total that a payment must have, in percent from 1 to 100. With 100,
    /// part payments are not allowed.
    pub minimum_percent: u8,
    /// What happens to money that cannot be applied.
    pub unapplied: UnappliedMoney,
}

impl Default for PaymentSettings {
    fn default() -> Self {
        Self { minimum_percent: 100, unapplied: UnappliedMoney::Return }
    }
}

/// What an owner sets for payers, apart from bank details and gateways.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PaymentTerms {
    /// How many days from today payers may promise to pay within.
    pub promise_days: u16,
    /// The settings for online payments.
    pub online: PaymentSettings,
}

impl PaymentTerms {
    /// Identifies these values: a form sends it back, so that a change in between is noticed.
    #[must_use]
    pub fn version(&self) -> Version {
        Version::of(self)
    }
}
