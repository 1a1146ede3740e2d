//! Why a gateway did not do what it was asked to.

use kernel::Money;

/// Why a call to a gateway failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GatewayError {
    /// It could not be reached, was too busy, or failed: the same call may succeed later. What it was asked
    /// for may have happened all the same.
    #[error("the gateway cannot be reached: {0}")]
    Unreachable(String),
    /// It refuses the key.
    #[error("the gateway refuses the key: {0}")]
    KeyRefused(String),
    /// It knows no such checkout or charge.
    #[error("the gateway has no such record")]
    NotFound,
    /// It refuses, and would again.
    #[error("the gateway refuses: {0}")]
    Refused(String),
    /// The amount cannot be paid there.
    #[error(transparent)]
    Amount(#[from] AmountRefused),
}

impl GatewayError {
    /// Whether the same call may succeed later.
    #[must_use]
    pub const fn may_pass(&self) -> bool {
        matches!(self, Self::Unreachable(_) | Self::KeyRefused(_))
    }
}

/// Why an amount cannot be paid at a gateway. The text stands on the payment page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AmountRefused {
    /// It is below what the gateway takes.
    #[error("is below the least amount that can be paid online, {0} {cur}", cur = .0.currency())]
    BelowMinimum(Money),
    /// It is below what the gateway takes, and the gateway did not say how much that is.
    #[error("is below the least amount that can be paid online")]
    BelowUnknownMinimum,
    /// It is above what the gateway takes.
    #[error("is above the largest amount that can be paid online")]
    AboveMaximum,
    /// It cannot be written in the gateway's units of the currency.
    #[error("cannot be paid online to its last decimal in {cur}", cur = .0.currency())]
    NotWritable(Money),
    /// The gateway does not take the currency.
    #[error("cannot be paid online in {0}")]
    CurrencyNotTaken(kernel::Currency),
}
