//! The two kinds of callers, as extractors see them.

use access::{AccessError, AccountCaller, Authenticator, KeyId, PartnerCaller};
use kernel::{AccountId, PartnerId};

/// Who a request turned out to come from, for the log.
#[derive(Debug, Clone, Copy)]
pub(crate) enum CallerName {
    /// An account.
    Account(AccountId),
    /// A partner.
    Partner(PartnerId),
}

/// A kind of caller: the key space that opens the route.
pub(crate) trait Caller: Sized + 'static {
    /// The caller behind a presented token.
    async fn enter(authenticator: &Authenticator, token: &str) -> Result<Self, AccessError>;
    /// The key that quotas are counted by.
    fn key(&self) -> KeyId;
    /// Who it is.
    fn name(&self) -> CallerName;
}

impl Caller for AccountCaller {
    async fn enter(authenticator: &Authenticator, token: &str) -> Result<Self, AccessError> {
        authenticator.account(token).await
    }

    fn key(&self) -> KeyId {
        self.key()
    }

    fn name(&self) -> CallerName {
        CallerName::Account(self.scope().id)
    }
}

impl Caller for PartnerCaller {
    async fn enter(authenticator: &Authenticator, token: &str) -> Result<Self, AccessError> {
        authenticator.partner(token).await
    }

    fn key(&self) -> KeyId {
        self.key()
    }

    fn name(&self) -> CallerName {
        CallerName::Partner(self.scope().id)
    }
}
