//! Rolling windows over Redis, with the process's own windows as a fallback.

use std::fmt;
use std::hash::Hash;
use std::sync::Arc;
use std::time::Duration;

use access::{Bucket, KeyId, QuotaDecision, RateLimiter, RollingWindows};
use async_trait::async_trait;
use time::OffsetDateTime;

use crate::redis_link::RedisLink;
use crate::take::window_name;

/// Rolling windows that all processes with the same Redis share; those of API keys are the rate-limit port.
///
/// Redis decides while it is up. What it allows is also recorded in the process's own windows, which decide
/// while Redis is down, and for the length of a window after that may also refuse, since Redis does not know
/// what came during the outage.
pub struct SharedWindows<K = (KeyId, Bucket)> {
    link: Arc<RedisLink>,
    length: Duration,
    own: RollingWindows<K>,
}

impl SharedWindows {
    pub(crate) fn of_keys(link: Arc<RedisLink>) -> Self {
        let length = link.window();
        Self { link, length, own: RollingWindows::default() }
    }
}

impl<K: Hash + Eq> SharedWindows<K> {
    /// `own` has windows of the same length.
    pub(crate) const fn new(link: Arc<RedisLink>, length: Duration, own: RollingWindows<K>) -> Self {
        Self { link, length, own }
    }

    /// Whether the latest call to Redis succeeded.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        self.link.live().is_some()
    }

    /// Counts once in the window of a key, which Redis knows by `name`, if at most `most` are counted then.
    pub(crate) async fn count(&self, key: K, name: &str, most: u32, now: OffsetDateTime) -> QuotaDecision {
        let Some(live) = self.link.live() else {
            return self.own.count(key, most, now);
        };
        let was_down = self.link.was_down(&live, self.length);
        if was_down && let Some(refusal) = self.own.refusal(&key, most, now) {
            return refusal;
        }
        let Some(taken) = self.link.take(live, name, most, self.length).await else {
            return self.own.count(key, most, now);
        };
        let shared = taken.decision(most, now);
        if !shared.allowed {
            return shared;
        }
        let own = self.own.count(key, most, now);
        // Others may have been counted since the refusal was looked for. Redis counts this one.
        if was_down && !own.allowed {
            return own;
        }
        let remaining = if was_down { shared.remaining.min(own.remaining) } else { shared.remaining };
        QuotaDecision { remaining, ..shared }
    }
}

#[async_trait]
impl RateLimiter for SharedWindows {
    async fn take(&self, key: KeyId, bucket: Bucket, quota: u32, now: OffsetDateTime) -> QuotaDecision {
        self.count((key, bucket), &window_name(key, bucket), quota, now).await
    }
}

impl<K: Hash + Eq> fmt::Debug for SharedWindows<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedWindows").field("is_shared", &self.is_shared()).finish_non_exhaustive()
    }
}
