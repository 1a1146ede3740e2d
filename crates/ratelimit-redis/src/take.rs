//! The script that counts one request, and its result.

use std::time::Duration;

use access::{Bucket, KeyId, QuotaDecision};
use redis::aio::MultiplexedConnection;
use redis::{RedisResult, Script, ScriptInvocation};
use time::OffsetDateTime;

const SCRIPT: &str = include_str!("take.lua");

/// The script. It is called by its hash; the library loads it again if Redis does not have it.
#[derive(Debug)]
pub(crate) struct Take(Script);

/// The result of the script.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Taken {
    allowed: bool,
    counted_before: u32,
    oldest_leaves_in: time::Duration,
}

impl Take {
    pub(crate) fn new() -> Self {
        Self(Script::new(SCRIPT))
    }

    /// The call that counts one request in the window of this name, if it fits.
    pub(crate) fn call(&self, window: &str, quota: u32, length: Duration) -> ScriptInvocation<'_> {
        let mut call = self.0.key(window);
        let length = u64::try_from(length.as_micros()).unwrap_or(u64::MAX);
        call.arg(quota).arg(length);
        call
    }

    /// Runs the script once on a window of its own, one millisecond long, so that a Redis that responds but
    /// refuses writes (no memory, read-only, no permission) does not count as up.
    pub(crate) async fn try_out(&self, connection: &mut MultiplexedConnection) -> RedisResult<()> {
        let window = "countinghouse:{trial}";
        let call = self.call(window, 1, Duration::from_millis(1));
        call.invoke_async::<(bool, u32, i64)>(connection).await.map(|_any_answer_will_do| ())
    }
}

impl From<(bool, u32, i64)> for Taken {
    fn from((allowed, counted_before, microseconds): (bool, u32, i64)) -> Self {
        Self { allowed, counted_before, oldest_leaves_in: time::Duration::microseconds(microseconds) }
    }
}

impl Taken {
    /// The decision for a caller whose clock shows `now`.
    ///
    /// Redis uses its own clock and returns the length of the wait, so that `Retry-After` and
    /// `X-RateLimit-Reset` agree with the caller's clock.
    pub(crate) fn decision(self, quota: u32, now: OffsetDateTime) -> QuotaDecision {
        QuotaDecision {
            allowed: self.allowed,
            limit: quota,
            remaining: quota.saturating_sub(self.counted_before).saturating_sub(u32::from(self.allowed)),
            resets_at: now.saturating_add(self.oldest_leaves_in),
        }
    }
}

/// The Redis key of a window. `key` is the id of the API key's record, not the secret. The braces put the
/// windows of one API key into one slot of a cluster.
pub(crate) fn window_name(key: KeyId, bucket: Bucket) -> String {
    let bucket = match bucket {
        Bucket::Reads => "reads",
        Bucket::Writes => "writes",
    };
    format!("countinghouse:{{{}}}:{bucket}", key.uuid())
}

#[cfg(test)]
mod tests {
    use super::*;
    use time::macros::datetime;

    const NOW: OffsetDateTime = datetime!(2026-11-20 02:00:00.25 UTC);

    #[test]
    fn the_decision_equals_that_of_the_in_memory_limiter() {
        let first = Taken::from((true, 0, 60_000_000)).decision(3, NOW);
        assert_eq!((first.allowed, first.limit, first.remaining), (true, 3, 2));
        assert_eq!(first.reset_timestamp(), NOW.unix_timestamp() + 61);
        let refused = Taken::from((false, 3, 1)).decision(3, NOW);
        assert_eq!((refused.allowed, refused.remaining), (false, 0));
        assert_eq!(refused.retry_after(NOW), 1);
        assert_eq!(refused.resets_at, NOW + time::Duration::MICROSECOND);
    }

    #[test]
    fn a_quota_that_was_lowered_leaves_nothing_and_nothing_below() {
        let refused = Taken::from((false, 30, 5_000_000)).decision(3, NOW);
        assert_eq!((refused.remaining, refused.retry_after(NOW)), (0, 5));
    }

    #[test]
    fn windows_are_named_by_record_and_bucket() {
        let key = kernel::Id::from_uuid("0199f7a0-0000-7000-8000-000000000001".parse().expect("an id"));
        assert_eq!(
            window_name(key, Bucket::Reads),
            "countinghouse:{0199f7a0-0000-7000-8000-000000000001}:reads"
        );
        assert_ne!(window_name(key, Bucket::Reads), window_name(key, Bucket::Writes));
    }
}
