//! Tenant scope: the account or partner that a use case works for.

use crate::currency::Currency;
use crate::id::Id;
use crate::zone::TimeZone;

/// Marks ids of accounts.
pub enum AccountEntity {}

/// The id of an account.
pub type AccountId = Id<AccountEntity>;

/// Marks ids of partners.
pub enum PartnerEntity {}

/// The id of a partner.
pub type PartnerId = Id<PartnerEntity>;

/// The account that a use case works for, with its settings for invoicing.
///
/// Authentication reads it in the same query as the key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountScope {
    /// The account.
    pub id: AccountId,
    /// Its time zone, which determines dates.
    pub time_zone: TimeZone,
    /// The default currency of its invoices.
    pub currency: Currency,
    /// The prefix of its invoice numbers; `None` for the service's default.
    pub invoice_prefix: Option<String>,
    /// Whether the service may send messages to the account's customers.
    pub communications_enabled: bool,
    /// How many invoices it may create in a calendar month of its own time zone; `None` for no limit.
    pub monthly_invoice_limit: Option<u64>,
}

/// The partner that a use case works for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PartnerScope {
    /// The partner.
    pub id: PartnerId,
}

/// The operator, who runs commands on the server itself and is not limited to an account or partner.
///
/// Only the command line creates this value. Every port method that is not limited to an account or partner
/// requires it, so that no query without a scope is written by accident.
#[derive(Debug, Clone, Copy)]
pub struct Operator {
    _made_at_the_command_line: (),
}

impl Operator {
    /// The operator of this process's command line.
    #[must_use]
    pub const fn at_the_command_line() -> Self {
        Self { _made_at_the_command_line: () }
    }
}
