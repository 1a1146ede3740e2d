//! The ports of access.

use async_trait::async_trait;
use kernel::StoreResult;
use time::OffsetDateTime;

use crate::caller::{AccountKeyRecord, PartnerKeyRecord};
use crate::key::{KeyHash, KeyId, KeyUse};
use crate::quota::{Bucket, QuotaDecision};

/// Looks up keys.
///
/// An implementation reads the key and every switch that applies to it in one round trip, from committed data
/// and never from a cache: after a key is revoked or an account is switched off, the next request is refused
/// on every process.
#[cfg_attr(test, mockall::automock)]
#[async_trait]
pub trait Credentials: Send + Sync {
    /// The account key with this hash; `None` when there is none or it was revoked.
    async fn account_key(&self, hash: &KeyHash) -> StoreResult<Option<AccountKeyRecord>>;

    /// The partner key with this hash; `None` when there is none or it was revoked.
    async fn partner_key(&self, hash: &KeyHash) -> StoreResult<Option<PartnerKeyRecord>>;
}

/// Stores when account keys were last used.
#[async_trait]
pub trait KeyUseStore: Send + Sync {
    /// Stores uses, at most one for each key. A use older than the stored one changes nothing.
    async fn record_uses(&self, uses: &[KeyUse]) -> StoreResult<()>;
}

/// Counts requests in a rolling window of one minute.
///
/// An implementation counts a request exactly if it allows the request: a refused request leaves the window
/// unchanged. At any moment, at most `quota` requests were allowed in the preceding minute.
#[async_trait]
pub trait RateLimiter: Send + Sync {
    /// Counts one request of a key at an instant, if the quota allows it.
    async fn take(&self, key: KeyId, bucket: Bucket, quota: u32, now: OffsetDateTime) -> QuotaDecision;
}

/// Counts attempts of callers without a key in a rolling window. Each limiter has its own kind of attempt.
///
/// An implementation counts an attempt exactly if it allows the attempt.
#[async_trait]
pub trait AttemptLimiter: Send + Sync {
    /// Counts one attempt of a subject, such as a network address, at an instant, if it is among the first
    /// `most` in the window.
    async fn attempt(&self, subject: &str, most: u32, now: OffsetDateTime) -> QuotaDecision;
}
