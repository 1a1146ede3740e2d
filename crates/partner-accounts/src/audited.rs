//! What audit entries record of an account.

use access::NewKey;
use kernel::AuditDetails;
use serde_json::Value;

use crate::account::{Account, KeyInfo};
use crate::ports::AccountChange;

/// A new key, with the one that it replaces. Neither is in the clear.
#[must_use]
pub fn new_key(before: Option<&KeyInfo>, new: &NewKey) -> AuditDetails {
    AuditDetails { before: before.map(|key| key.masked().into()), after: Some(new.masked().into()) }
}

impl AccountChange {
    /// The changed value of an account before and after the change.
    #[must_use]
    pub fn audited(self, before: &Account) -> AuditDetails {
        let (before, after): (Option<Value>, Option<Value>) = match self {
            Self::OffByOperator(_) => (None, None),
            Self::MonthlyInvoiceLimit(limit) => {
                (before.monthly_invoice_limit.map(Into::into), limit.map(Into::into))
            }
            Self::MonthlyMessageLimit(limit) => {
                (before.monthly_message_limit.map(Into::into), limit.map(Into::into))
            }
            Self::Currency(currency) => (Some(before.currency.code().into()), Some(currency.code().into())),
        };
        AuditDetails { before, after }
    }
}
