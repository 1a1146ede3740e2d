//! The rate-limit port over Redis, with the process's own window as a fallback.

use std::fmt;
use std::sync::Arc;

use access::{Bucket, KeyId, QuotaDecision, RateLimiter, RollingWindows};
use async_trait::async_trait;
use time::OffsetDateTime;

use crate::redis_link::{LiveConnection, RedisLink};
use crate::take::window_name;

/// Rolling windows that all processes with the same Redis share.
///
/// Redis decides while it is up. Requests that it allows are also recorded in the process's own window, which
/// decides while Redis is down, and in the first minute after that may also refuse, since Redis does not know
/// the requests of the outage.
pub struct SharedWindows {
    link: Arc<RedisLink>,
    own: RollingWindows,
}

impl SharedWindows {
    pub(crate) fn new(link: Arc<RedisLink>) -> Self {
        Self { link, own: RollingWindows::default() }
    }

    /// Whether the latest call to Redis succeeded.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        self.link.live().is_some()
    }

    async fn take_shared(
        &self,
        live: LiveConnection,
        (key, bucket): (KeyId, Bucket),
        quota: u32,
        now: OffsetDateTime,
    ) -> Option<QuotaDecision> {
        let was_down = self.link.was_down(&live, self.link.window());
        if was_down && let Some(refusal) = self.own.refusal(&(key, bucket), quota, now) {
            return Some(refusal);
        }
        let name = window_name(key, bucket);
        let shared = self.link.take(live, &name, quota, self.link.window()).await?.decision(quota, now);
        if !shared.allowed {
            return Some(shared);
        }
        let own = self.own.take(key, bucket, quota, now).await;
        // Other requests may have been counted since the refusal was looked for. Redis counts this one.
        if was_down && !own.allowed {
            return Some(own);
        }
        let remaining = if was_down { shared.remaining.min(own.remaining) } else { shared.remaining };
        Some(QuotaDecision { remaining, ..shared })
    }
}

#[async_trait]
impl RateLimiter for SharedWindows {
    async fn take(&self, key: KeyId, bucket: Bucket, quota: u32, now: OffsetDateTime) -> QuotaDecision {
        if let Some(live) = self.link.live()
            && let Some(decision) = self.take_shared(live, (key, bucket), quota, now).await
        {
            return decision;
        }
        self.own.take(key, bucket, quota, now).await
    }
}

impl fmt::Debug for SharedWindows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedWindows").field("is_shared", &self.is_shared()).finish_non_exhaustive()
    }
}
