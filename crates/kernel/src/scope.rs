//! Tenant scope: the account or partner that a use case works for.

use crate::currency::Currency;
use crate::id::{Entity, Id};
use crate::zone::TimeZone;

/// Marks ids of accounts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AccountEntity {}
impl Entity for AccountEntity {
    const NAME: &'static str = "account";
}

/// The id of an account.
pub type AccountId = Id<AccountEntity>;

/// Marks ids of partners.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PartnerEntity {}
impl Entity for PartnerEntity {
    const NAME: &'static str = "partner";
}

/// The id of a partner.
pub type PartnerId = Id<PartnerEntity>;

/// The account a use case works for, with the settings that invoicing needs of it.
///
/// Authentication reads it in the same query as the key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountScope {
    /// The account.
    pub id: AccountId,
    /// Where its days begin and end.
    pub time_zone: TimeZone,
    /// The currency of an invoice that names none.
    pub currency: Currency,
    /// What its invoice numbers begin with; `None` is the service's default.
    pub invoice_prefix: Option<String>,
    /// Whether the service may write to the account's customers.
    pub communications_enabled: bool,
    /// How many invoices it may create in a calendar month of its own zone; `None` is any number.
    pub monthly_invoice_limit: Option<u64>,
}

/// The partner a use case works for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PartnerScope {
    /// The partner.
    pub id: PartnerId,
}

/// The operator, who runs commands on the machine itself and is limited to no account or partner.
///
/// Only the command line makes one. Every port method that is not limited to an account or partner takes it,
/// so that no query without a scope is written by accident.
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
