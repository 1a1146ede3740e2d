//! What an owner decides about online payments.

use kernel::names::{self, UnknownName};
use strum::{EnumString, IntoStaticStr, VariantNames};

/// What becomes of money that cannot be applied to its invoice, because that was paid or cancelled meanwhile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EnumString, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum UnappliedMoney {
    /// It goes back to the payer.
    Return,
    /// The account keeps it, and settles it with the payer in another way.
    Keep,
}

impl UnappliedMoney {
    /// The name in forms and in the store.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// Reads a name.
    ///
    /// # Errors
    /// [`UnknownName`], which lists the names.
    pub fn parse(text: &str) -> Result<Self, UnknownName> {
        names::parse(text)
    }
}

/// What an owner decided about online payments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PaymentSettings {
    /// How much of an invoice's total a payment is of at the least, in percent from 1 to 100. With 100 there
    /// are no part payments.
    pub minimum_percent: u8,
    /// What becomes of money that cannot be applied.
    pub unapplied: UnappliedMoney,
}

impl Default for PaymentSettings {
    fn default() -> Self {
        Self { minimum_percent: 100, unapplied: UnappliedMoney::Return }
    }
}
