//! The gateways, and the payment methods they support.

use invoices::PaymentMethod;
use strum::{EnumString, IntoStaticStr, VariantNames};

/// A gateway.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EnumString, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum GatewayKind {
    /// The sandbox for trials: no money moves.
    Sandbox,
    /// Stripe.
    Stripe,
}

impl GatewayKind {
    /// The name shown to people.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Sandbox => "the sandbox",
            Self::Stripe => "Stripe",
        }
    }

    /// Whether real money moves through it.
    #[must_use]
    pub const fn is_live(self) -> bool {
        !matches!(self, Self::Sandbox)
    }
}

/// How a payer paid at a gateway.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EnumString, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum MethodKind {
    /// By card or wallet.
    Card,
    /// By direct debit.
    DirectDebit,
    /// By bank transfer.
    BankTransfer,
}

impl MethodKind {
    /// The payment method to record.
    #[must_use]
    pub const fn payment_method(self) -> PaymentMethod {
        match self {
            Self::Card => PaymentMethod::Card,
            Self::DirectDebit => PaymentMethod::DirectDebit,
            Self::BankTransfer => PaymentMethod::BankTransfer,
        }
    }
}
