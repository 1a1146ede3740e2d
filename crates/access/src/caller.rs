//! Callers. Having one is proof of permission: only a valid key creates it.

use std::fmt;

use kernel::{AccountScope, PartnerScope};

use crate::key::KeyId;

/// The result of looking up an account key: its account, and whether the account is switched off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountKeyRecord {
    pub key: KeyId,
    pub scope: AccountScope,
    /// Who switched the account off; `None` while it is on. The operator's switch takes precedence over the
    /// partner's.
    pub switched_off_by: Option<SwitchedOffBy>,
}

/// The result of looking up a partner key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartnerKeyRecord {
    pub key: KeyId,
    pub scope: PartnerScope,
    pub switched_off: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SwitchedOffBy {
    Partner,
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

/// A caller with a valid key, who may work in the key's scope.
#[derive(Debug, Clone)]
pub struct Caller<S> {
    pub(crate) key: KeyId,
    pub(crate) scope: S,
}

/// A caller that may work inside one account.
pub type AccountCaller = Caller<AccountScope>;

/// A caller that may manage one partner's accounts.
pub type PartnerCaller = Caller<PartnerScope>;

impl<S> Caller<S> {
    /// The key that was presented.
    #[must_use]
    pub const fn key(&self) -> KeyId {
        self.key
    }
}

impl AccountCaller {
    /// The account to work in.
    #[must_use]
    pub const fn scope(&self) -> &AccountScope {
        &self.scope
    }
}

impl PartnerCaller {
    /// The partner to work for.
    #[must_use]
    pub const fn scope(&self) -> PartnerScope {
        self.scope
    }
}

#[cfg(test)]
mod tests {
    use kernel::{Currency, Id, Ids as _, SystemIds, TimeZone};

    use super::*;

    impl AccountKeyRecord {
        /// A caller for tests.
        pub(crate) fn of_some_key() -> Self {
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
}
