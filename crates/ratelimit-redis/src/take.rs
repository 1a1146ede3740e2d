//! The script that judges one request, and how its answer is read.

use std::time::Duration;

use access::{Bucket, KeyId, QuotaDecision};
use redis::aio::MultiplexedConnection;
use redis::{RedisResult, Script};
use time::OffsetDateTime;

const SCRIPT: &str = include_str!("take.lua");

/// The script. Redis knows it by its hash; where it does not (after a restart, say), the library hands it over again.
#[derive(Debug)]
pub(crate) struct Take(Script);

/// What the script answered.
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

    /// Counts one request in the window of that name, if it fits.
    pub(crate) async fn run(
        &self,
        connection: &mut MultiplexedConnection,
        window: &str,
        quota: u32,
        length: Duration,
    ) -> RedisResult<Taken> {
        let mut call = self.0.key(window);
        let length = u64::try_from(length.as_micros()).unwrap_or(u64::MAX);
        let answer: (bool, u32, i64) = call.arg(quota).arg(length).invoke_async(connection).await?;
        Ok(Taken::from(answer))
    }

    /// Does with a window of its own all that [`Take::run`] may do, writing too, so that a Redis which answers but would refuse (no
    /// memory, read only, no such rights) is not taken for one that is back. Nothing of it counts: the window is a millisecond long.
    pub(crate) async fn try_out(&self, connection: &mut MultiplexedConnection) -> RedisResult<()> {
        let window = "countinghouse:{trial}";
        self.run(connection, window, 1, Duration::from_millis(1))
            .await
            .map(|_any_answer_will_do| ())
    }
}

impl From<(bool, u32, i64)> for Taken {
    fn from((allowed, counted_before, microseconds): (bool, u32, i64)) -> Self {
        Self {
            allowed,
            counted_before,
            oldest_leaves_in: time::Duration::microseconds(microseconds),
        }
    }
}

impl Taken {
    /// The decision for a caller whose clock says `now`.
    ///
    /// Redis judges by its own clock. What is passed on is how long the wait is, so that `Retry-After` and `X-RateLimit-Reset` agree with
    /// the clock that dates the answer, and with the in-memory limiter, however far the two clocks are apart.
    pub(crate) fn decision(self, quota: u32, now: OffsetDateTime) -> QuotaDecision {
        QuotaDecision {
            allowed: self.allowed,
            limit: quota,
            remaining: quota
                .saturating_sub(self.counted_before)
                .saturating_sub(u32::from(self.allowed)),
            resets_at: now.saturating_add(self.oldest_leaves_in),
        }
    }
}

/// The name of a window in Redis. `key` is the id of the key's record, of no use for calling the API; the braces keep the windows of
/// one key together in a cluster.
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
    fn an_answer_is_read_as_the_in_memory_limiter_would_put_it() {
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
        let key = kernel::Id::from_uuid(
            "0199f7a0-0000-7000-8000-000000000001"
                .parse()
                .expect("an id"),
        );
        assert_eq!(
            window_name(key, Bucket::Reads),
            "countinghouse:{0199f7a0-0000-7000-8000-000000000001}:reads"
        );
        assert_ne!(
            window_name(key, Bucket::Reads),
            window_name(key, Bucket::Writes)
        );
    }
}
