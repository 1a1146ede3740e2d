//! Why a call to a gateway failed.

use kernel::Money;

/// Why a call to a gateway failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GatewayError {
    /// The gateway could not be reached, was too busy, or failed. The call may have taken effect; a retry may
    /// succeed.
    #[error("the gateway cannot be reached: {0}")]
    Unreachable(String),
    /// The gateway failed, and repeats this for every call with the same id.
    #[error("the gateway repeats its failure: {0}")]
    Repeated(String),
    /// The gateway rejects the key.
    #[error("the gateway refuses the key: {0}")]
    KeyRefused(String),
    /// The gateway has no such checkout or charge.
    #[error("the gateway has no such record")]
    NotFound,
    /// The gateway refuses the call now, and may take it later.
    #[error("the gateway refuses for now: {0}")]
    NotYet(String),
    /// The gateway refuses the call permanently.
    #[error("the gateway refuses: {0}")]
    Refused(String),
    /// The gateway cannot take the amount.
    #[error(transparent)]
    Amount(#[from] AmountRefused),
}

impl GatewayError {
    /// Whether the same call may succeed later: a gateway forgets ids.
    #[must_use]
    pub const fn may_pass(&self) -> bool {
        matches!(self, Self::Unreachable(_) | Self::Repeated(_) | Self::KeyRefused(_) | Self::NotYet(_))
    }
}

/// Why an amount cannot be paid at a gateway. The payment page shows the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AmountRefused {
    /// The amount is below the gateway's minimum.
    #[error("is below the least amount that can be paid online, {cur} {0}", cur = .0.currency())]
    BelowMinimum(Money),
    /// The amount is below the gateway's minimum, which the gateway did not state.
    #[error("is below the least amount that can be paid online")]
    BelowUnknownMinimum,
    /// The amount is above the gateway's maximum.
    #[error("is above the largest amount that can be paid online")]
    AboveMaximum,
    /// The amount cannot be expressed in the gateway's units of the currency.
    #[error("cannot be paid online to its last decimal in {cur}", cur = .0.currency())]
    NotWritable(Money),
    /// The gateway does not take the currency.
    #[error("cannot be paid online in {0}")]
    CurrencyNotTaken(kernel::Currency),
}
