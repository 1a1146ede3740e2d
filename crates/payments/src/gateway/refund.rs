//! Refunds at a gateway.

use kernel::Money;
use kernel::names::{self, UnknownName};
use strum::{EnumString, IntoStaticStr, VariantNames};

use super::ids::{ChargeId, RefundId};

/// A refund to make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewRefund {
    /// Its id. Making it again with the same id makes it once.
    pub id: RefundId,
    /// The charge that the money goes back from.
    pub charge: ChargeId,
    /// How much of it.
    pub amount: Money,
}

/// Where a refund stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EnumString, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum RefundState {
    /// It is on its way.
    Pending,
    /// The money went back.
    Succeeded,
    /// It did not go back.
    Failed,
}

impl RefundState {
    /// The name in the store and in commands.
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

/// A refund as the gateway answers it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefundReport {
    /// The gateway's id of it.
    pub id: String,
    /// Where it stands.
    pub state: RefundState,
}
