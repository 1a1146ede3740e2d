//! Callers. Holding one is the permission: only a valid key makes one.

use std::fmt;

use kernel::{AccountScope, PartnerScope};

use crate::key::KeyId;

/// The result of looking up an account key: its account, and whether that is switched off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountStanding {
    pub key: KeyId,
    pub scope: AccountScope,
    /// Who switched the account off; `None` while it is on. The operator's switch takes precedence over the
    /// partner's.
    pub switched_off_by: Option<SwitchedOffBy>,
}

#[cfg(test)]
impl AccountStanding {
    /// A sample.
    pub(crate) fn of_some_key() -> Self {
        use kernel::{Currency, Id, Ids as _, SystemIds, TimeZone};
        let uuid = || SystemIds::default().uuid_at(time::OffsetDateTime::UNIX_EPOCH);
        Self {
            key: Id::from_uuid(uuid()),
            scope: AccountScope {
                id: Id::from_uuid(uuid()),
                time_zone: TimeZone::utc(),
                currency: Currency::parse("AUD").unwrap(),
                invoice_prefix: None,
                communications_enabled: true,
                monthly_invoice_limit: None,
            },
            switched_off_by: None,
        }
    }
}

/// The result of looking up a partner key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartnerStanding {
    pub key: KeyId,
    pub scope: PartnerScope,
    pub switched_off: bool,
}

/// Who switched an account off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SwitchedOffBy {
    Partner,
    /// The service's operator.
    Operator,
}

impl fmt::Display for SwitchedOffBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Partner => "the partner that manages it",
            Self::Operator => "the operator of this service",
        })
    }
}

/// A caller that may work inside one account.
#[derive(Debug, Clone)]
pub struct AccountCaller {
    pub(crate) key: KeyId,
    pub(crate) scope: AccountScope,
}

impl AccountCaller {
    /// The key that was presented.
    #[must_use]
    pub const fn key(&self) -> KeyId {
        self.key
    }

    /// The account to work in.
    #[must_use]
    pub const fn scope(&self) -> &AccountScope {
        &self.scope
    }
}

/// A caller that may manage one partner's accounts.
#[derive(Debug, Clone)]
pub struct PartnerCaller {
    pub(crate) key: KeyId,
    pub(crate) scope: PartnerScope,
}

impl PartnerCaller {
    /// The key that was presented.
    #[must_use]
    pub const fn key(&self) -> KeyId {
        self.key
    }

    /// The partner to work for.
    #[must_use]
    pub const fn scope(&self) -> PartnerScope {
        self.scope
    }
}
