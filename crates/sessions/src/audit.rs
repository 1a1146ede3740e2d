//! Audit entries: what an owner or the operator did that changes security or money. They are never changed.

use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;

use async_trait::async_trait;
use kernel::{AccountId, Clock, EmailAddress, Id, Ids, StoreResult};
use serde_json::Value;
use time::OffsetDateTime;

/// Marks ids of audit entries.
pub enum AuditEntity {}

pub type AuditEntryId = Id<AuditEntity>;

/// Who made a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Actor {
    /// The owner of the account, by the e-mail address of the login.
    Owner(EmailAddress),
    /// The operator, at the command line.
    Operator,
}

/// What was done, and what it changed. Neither `before` nor `after` holds a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditedChange {
    /// Such as `password.changed`: a record and a verb in the past.
    pub action: &'static str,
    pub before: Option<Value>,
    pub after: Option<Value>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditEntry {
    pub id: AuditEntryId,
    pub account: AccountId,
    pub at: OffsetDateTime,
    /// The e-mail address of the owner, or `operator`.
    pub actor: String,
    /// The client address of the request; `None` at the command line.
    pub address: Option<String>,
    pub action: String,
    pub before: Option<Value>,
    pub after: Option<Value>,
}

/// The audit entries of all accounts.
#[async_trait]
pub trait AuditLog: Send + Sync {
    /// Adds an entry.
    async fn record(&self, entry: &AuditEntry) -> StoreResult<()>;

    /// The entries of an account, newest first, at most `limit`, older than `before` if that is given.
    async fn list(
        &self,
        account: AccountId,
        before: Option<AuditEntryId>,
        limit: usize,
    ) -> StoreResult<Vec<AuditEntry>>;
}

/// Makes and records entries.
#[derive(Clone)]
pub struct Audit {
    pub log: Arc<dyn AuditLog>,
    pub clock: Arc<dyn Clock>,
    pub ids: Arc<dyn Ids>,
}

impl AuditedChange {
    /// A change without values before and after.
    #[must_use]
    pub const fn of(action: &'static str) -> Self {
        Self { action, before: None, after: None }
    }

    /// Sets the value before the change.
    #[must_use]
    pub fn from(self, before: impl Into<Value>) -> Self {
        Self { before: Some(before.into()), ..self }
    }

    /// Sets the value after the change.
    #[must_use]
    pub fn to(self, after: impl Into<Value>) -> Self {
        Self { after: Some(after.into()), ..self }
    }
}

impl Audit {
    /// Records a change in an account.
    pub async fn record(
        &self,
        account: AccountId,
        actor: &Actor,
        address: Option<IpAddr>,
        change: AuditedChange,
    ) -> StoreResult<()> {
        self.log.record(&self.entry(account, actor, address, change)).await
    }

    /// The entry of a change to come, for a store that writes it in the transaction of the change.
    #[must_use]
    pub fn entry(
        &self,
        account: AccountId,
        actor: &Actor,
        address: Option<IpAddr>,
        change: AuditedChange,
    ) -> AuditEntry {
        entry(&*self.ids, self.clock.now(), account, actor, address, change)
    }
}

/// The entry of a change.
pub(crate) fn entry(
    ids: &dyn Ids,
    at: OffsetDateTime,
    account: AccountId,
    actor: &Actor,
    address: Option<IpAddr>,
    change: AuditedChange,
) -> AuditEntry {
    AuditEntry {
        id: Id::new(ids, at),
        account,
        at,
        actor: actor.to_string(),
        address: address.map(|address| address.to_string()),
        action: change.action.to_owned(),
        before: change.before,
        after: change.after,
    }
}

impl fmt::Display for Actor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Owner(email) => email.fmt(f),
            Self::Operator => f.write_str("operator"),
        }
    }
}
