//! What access needs from outside.

use async_trait::async_trait;
use kernel::StoreError;
use time::OffsetDateTime;

use crate::caller::{AccountStanding, PartnerStanding};
use crate::key::{KeyHash, KeyId, KeyUse};
use crate::quota::{Bucket, QuotaDecision};

/// Looks keys up.
///
/// An implementation reads the key and every switch that concerns it in one round trip, from committed data
/// and never from a cache: a key that is revoked or an account that is switched off is refused by the next
/// request anywhere.
#[cfg_attr(test, mockall::automock)]
#[async_trait]
pub trait Credentials: Send + Sync {
    /// The account key with this hash; `None` when there is none or it was revoked.
    async fn account_key(&self, hash: &KeyHash) -> Result<Option<AccountStanding>, StoreError>;

    /// The partner key with this hash; `None` when there is none or it was revoked.
    async fn partner_key(&self, hash: &KeyHash) -> Result<Option<PartnerStanding>, StoreError>;
}

/// Keeps when account keys were last used.
#[async_trait]
pub trait KeyUseStore: Send + Sync {
    /// Stores uses, at most one of a key. An earlier one than is stored changes nothing.
    async fn record_uses(&self, uses: &[KeyUse]) -> Result<(), StoreError>;
}

/// Counts requests in a rolling window of one minute.
///
/// An implementation counts a request exactly when it allows it: one that is refused leaves the window as it
/// was. At no moment have more than `quota` requests been allowed in the minute before it.
#[async_trait]
pub trait RateLimiter: Send + Sync {
    /// Counts one request of a key at an instant, if it fits into the quota.
    async fn take(&self, key: KeyId, bucket: Bucket, quota: u32, now: OffsetDateTime) -> QuotaDecision;
}

/// Counts attempts of callers without a key in a rolling window. Each limiter has its own kind of attempt.
///
/// An implementation counts an attempt exactly when it allows it.
#[async_trait]
pub trait AttemptLimiter: Send + Sync {
    /// Counts one attempt of a subject, such as a network address, at an instant, if it is one of the first
    /// `most` in the window.
    async fn attempt(&self, subject: &str, most: u32, now: OffsetDateTime) -> QuotaDecision;
}
