//! The quotas of one process, in memory: an exact rolling window for each key.

use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasher as _, Hash, RandomState};
use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use time::{Duration, OffsetDateTime};

use crate::key::KeyId;
use crate::ports::RateLimiter;
use crate::quota::{Bucket, QuotaDecision, WINDOW};

/// Recent counts by key. By default a key is an API key's id with a bucket, and requests are counted.
///
/// The windows are spread over several locks, each held only while one window is accessed. Empty windows are
/// removed as the map grows, so that memory depends on the keys in use and not on all keys ever seen.
#[derive(Debug)]
pub struct RollingWindows<K = (KeyId, Bucket)> {
    length: Duration,
    most_keys: usize,
    hasher: RandomState,
    shards: Vec<Mutex<WindowShard<K>>>,
}

#[derive(Debug)]
struct WindowShard<K> {
    windows: HashMap<K, Window>,
    drop_expired_at: usize,
}

/// The times of counted requests, oldest first, in nanoseconds since 1970: half the size of a date and time;
/// there is one entry for each request of the last minute.
type Window = VecDeque<i64>;

const SHARDS: usize = 16;
const DROP_EXPIRED_FIRST_AT: usize = 1_024;

impl Default for RollingWindows {
    fn default() -> Self {
        Self::of(WINDOW, usize::MAX)
    }
}

impl<K: Hash + Eq> RollingWindows<K> {
    /// Windows of this length, for at most about `most_keys` keys, so that callers who can invent keys, such
    /// as network addresses, cannot exhaust the memory. A further key takes the place of others with few
    /// counts.
    #[must_use]
    pub fn of(length: Duration, most_keys: usize) -> Self {
        let shard =
            |_| Mutex::new(WindowShard { windows: HashMap::new(), drop_expired_at: DROP_EXPIRED_FIRST_AT });
        Self { length, most_keys, hasher: RandomState::new(), shards: (0..SHARDS).map(shard).collect() }
    }

    /// Counts once for a key at an instant, if the quota allows it.
    #[must_use]
    pub fn count(&self, key: K, quota: u32, now: OffsetDateTime) -> QuotaDecision {
        let Some(mut shard) = self.shard(&key) else {
            return self.refused(quota, now);
        };
        shard.drop_expired_when_grown(self.length, now);
        if shard.windows.len() >= self.most_keys / SHARDS && !shard.windows.contains_key(&key) {
            shard.make_room(self.most_keys / SHARDS, self.length, now);
        }
        let window = shard.windows.entry(key).or_default();
        leave(window, self.length, now);
        let counted = u32::try_from(window.len()).unwrap_or(u32::MAX);
        let allowed = counted < quota;
        if allowed {
            window.push_back(nanoseconds(now));
        }
        QuotaDecision {
            allowed,
            limit: quota,
            remaining: quota.saturating_sub(counted).saturating_sub(u32::from(allowed)),
            resets_at: oldest(window).unwrap_or(now).saturating_add(self.length),
        }
    }

    /// The refusal that a request would receive at this instant; `None` when it would be allowed. Counts
    /// nothing.
    ///
    /// For a limiter that decides elsewhere and keeps these windows in addition.
    #[must_use]
    pub fn refusal(&self, key: &K, quota: u32, now: OffsetDateTime) -> Option<QuotaDecision> {
        let mut shard = self.shard(key)?;
        let window = shard.windows.get_mut(key);
        let (counted, oldest) = window.map_or((0, None), |window| {
            leave(window, self.length, now);
            (window.len(), oldest(window))
        });
        let full = u32::try_from(counted).map_or(true, |counted| counted >= quota);
        full.then(|| self.refused(quota, oldest.unwrap_or(now)))
    }

    fn shard(&self, key: &K) -> Option<MutexGuard<'_, WindowShard<K>>> {
        let place = self.hasher.hash_one(key).checked_rem(self.shards.len().try_into().ok()?)?;
        let shard = self.shards.get(usize::try_from(place).ok()?)?;
        // A panic elsewhere cannot leave a window half-changed: each change is a single push or pop.
        Some(shard.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn refused(&self, quota: u32, oldest: OffsetDateTime) -> QuotaDecision {
        QuotaDecision {
            allowed: false,
            limit: quota,
            remaining: 0,
            resets_at: oldest.saturating_add(self.length),
        }
    }
}

#[async_trait]
impl RateLimiter for RollingWindows {
    async fn take(&self, key: KeyId, bucket: Bucket, quota: u32, now: OffsetDateTime) -> QuotaDecision {
        self.count((key, bucket), quota, now)
    }
}

impl<K: Hash + Eq> WindowShard<K> {
    fn drop_expired_when_grown(&mut self, length: Duration, now: OffsetDateTime) {
        if self.windows.len() < self.drop_expired_at.max(DROP_EXPIRED_FIRST_AT) {
            return;
        }
        self.drop_expired(length, now);
        // Doubling keeps the cost of this per request constant for any number of keys.
        self.drop_expired_at = self.windows.len().saturating_mul(2);
    }

    /// Drops the windows that have expired, and if that is not enough, half of the others: those with the
    /// fewest counts, and of equal ones the oldest.
    ///
    /// If further keys were refused instead, a caller who can invent keys could stop all others. A caller who
    /// wants to free a key of its counts by inventing others displaces these others first: to displace a key
    /// that is at its quota, it must use up the quota of thousands of others, which gains nothing.
    fn make_room(&mut self, most: usize, length: Duration, now: OffsetDateTime) {
        self.drop_expired(length, now);
        if self.windows.len() < most {
            return;
        }
        let mut ranks: Vec<_> = self.windows.values().map(rank).collect();
        ranks.sort_unstable();
        let mut to_drop = ranks.len().div_ceil(2);
        let Some(highest) = to_drop.checked_sub(1).and_then(|last| ranks.get(last)) else {
            return;
        };
        self.windows.retain(|_, window| {
            let drops = to_drop > 0 && rank(window) <= *highest;
            to_drop = to_drop.saturating_sub(usize::from(drops));
            !drops
        });
    }

    fn drop_expired(&mut self, length: Duration, now: OffsetDateTime) {
        self.windows.retain(|_, window| {
            leave(window, length, now);
            !window.is_empty()
        });
    }
}

/// Removes entries that have left the window: those at least as old as the window is long.
///
/// After the clock was set back, entries seem to lie in the future. They are moved to the present, so that
/// they leave after the window's length instead of after the whole step.
fn leave(window: &mut Window, length: Duration, now: OffsetDateTime) {
    let now = nanoseconds(now);
    for counted in window.iter_mut().rev().take_while(|counted| **counted > now) {
        *counted = now;
    }
    while window.front().is_some_and(|counted| Duration::nanoseconds(now.saturating_sub(*counted)) >= length)
    {
        window.pop_front();
    }
}

/// How many counts a window has, and when the last one was.
fn rank(window: &Window) -> (usize, Option<i64>) {
    (window.len(), window.back().copied())
}

fn oldest(window: &Window) -> Option<OffsetDateTime> {
    OffsetDateTime::from_unix_timestamp_nanos((*window.front()?).into()).ok()
}

/// Nanoseconds since 1970, up to the year 2262.
fn nanoseconds(at: OffsetDateTime) -> i64 {
    i64::try_from(at.unix_timestamp_nanos()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use kernel::{Id, Ids, SystemIds};
    use proptest::prelude::*;
    use time::macros::datetime;

    const START: OffsetDateTime = datetime!(2026-11-20 02:00:00.25 UTC);

    fn key() -> KeyId {
        Id::from_uuid(SystemIds::default().uuid_at(START))
    }

    fn at(seconds: f64) -> OffsetDateTime {
        START + Duration::seconds_f64(seconds)
    }

    #[tokio::test]
    async fn a_request_fits_again_exactly_when_the_oldest_is_a_minute_old() {
        let (windows, key) = (RollingWindows::default(), key());
        assert!(windows.take(key, Bucket::Writes, 2, at(0.0)).await.allowed);
        let second = windows.take(key, Bucket::Writes, 2, at(30.0)).await;
        assert_eq!((second.allowed, second.remaining, second.limit), (true, 0, 2));
        let refused = windows.take(key, Bucket::Writes, 2, at(59.9)).await;
        assert!(!refused.allowed);
        assert_eq!(refused.resets_at, at(60.0));
        assert_eq!(refused.retry_after(at(59.9)), 1);
        assert_eq!(refused.retry_after(at(30.5)), 30);
        assert_eq!(refused.reset_timestamp(), START.unix_timestamp() + 61);
        assert!(windows.take(key, Bucket::Writes, 2, at(60.0)).await.allowed);
        assert!(!windows.take(key, Bucket::Writes, 2, at(60.0)).await.allowed);
    }

    #[test]
    fn windows_have_the_length_and_the_keys_that_they_are_made_for() {
        let windows = RollingWindows::of(Duration::minutes(10), usize::MAX);
        assert!(windows.count("a", 1, at(0.0)).allowed);
        let refused = windows.count("a", 1, at(599.0));
        assert_eq!((refused.allowed, refused.retry_after(at(599.0))), (false, 1));
        assert!(windows.count("b", 1, at(599.0)).allowed);
        assert!(windows.count("a", 1, at(600.0)).allowed);
    }

    #[test]
    fn keys_beyond_the_limit_take_the_place_of_those_with_the_fewest_counts() {
        let windows = RollingWindows::of(Duration::minutes(10), 32 * SHARDS);
        let allowed = |key: u32, seconds| windows.count(key, 2, at(seconds)).allowed;
        assert!(allowed(0, 0.0) && allowed(0, 1.0));
        assert!((1..10_000).all(|key| allowed(key, 2.0)));
        assert!(!allowed(0, 3.0), "a key at its quota stays");
        assert!(allowed(20_000, 599.0) && allowed(20_000, 600.0));
        assert!((30_000..40_000).all(|key| allowed(key, 610.0)), "the windows before have expired");
        assert!(!allowed(20_000, 611.0), "what has expired makes room first");
        let in_memory: usize = windows.shards.iter().map(|shard| shard.lock().unwrap().windows.len()).sum();
        assert!(in_memory <= 32 * SHARDS, "{in_memory}");
    }

    #[tokio::test]
    async fn a_refusal_is_predicted_without_counting() {
        let (windows, key) = (RollingWindows::default(), key());
        let refusal = |now| windows.refusal(&(key, Bucket::Writes), 2, now);
        for second in [0.0, 1.0] {
            assert_eq!(refusal(at(second)), None);
            assert_eq!(refusal(at(second)), None);
            windows.take(key, Bucket::Writes, 2, at(second)).await;
        }
        let predicted = refusal(at(2.0));
        assert_eq!(predicted, Some(windows.take(key, Bucket::Writes, 2, at(2.0)).await));
        assert_eq!(refusal(at(60.0)), None);
        assert_eq!(windows.refusal(&(key, Bucket::Reads), 2, at(2.0)), None);
        assert!(windows.refusal(&(key, Bucket::Reads), 0, at(2.0)).is_some());
    }

    #[tokio::test]
    async fn windows_of_keys_no_longer_in_use_are_swept_out() {
        let windows = RollingWindows::default();
        let keys_a_minute = SHARDS * DROP_EXPIRED_FIRST_AT;
        for minute in 0..5 {
            for _ in 0..keys_a_minute {
                windows.take(key(), Bucket::Reads, 1, at(f64::from(minute) * 61.0)).await;
            }
        }
        // Keys of five minutes were counted; those of at most about two minutes are kept.
        let in_memory: usize = windows.shards.iter().map(|shard| shard.lock().unwrap().windows.len()).sum();
        assert!(in_memory <= keys_a_minute * 5 / 2, "{in_memory}");
    }

    #[tokio::test]
    async fn a_clock_set_back_refuses_no_key_for_longer_than_a_window() {
        let (windows, key) = (RollingWindows::default(), key());
        let hour = 3_600.0;
        assert!(windows.take(key, Bucket::Writes, 1, at(hour)).await.allowed);
        let refused = windows.take(key, Bucket::Writes, 1, at(0.0)).await;
        assert_eq!((refused.allowed, refused.retry_after(at(0.0))), (false, 60));
        assert!(windows.take(key, Bucket::Writes, 1, at(60.0)).await.allowed);
    }

    proptest! {
        #[test]
        fn never_more_than_the_quota_in_any_minute(steps in prop::collection::vec(0_u32..30_000, 1..200), quota in 1_u32..8) {
            let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
            let (windows, key) = (RollingWindows::default(), key());
            let mut now = START;
            let mut allowed: Vec<OffsetDateTime> = Vec::new();
            for step in steps {
                now += Duration::milliseconds(step.into());
                let recent = allowed.iter().filter(|at| now - **at < WINDOW).count();
                let decision = runtime.block_on(windows.take(key, Bucket::Reads, quota, now));
                prop_assert_eq!(decision.allowed, recent < usize::try_from(quota).unwrap());
                if decision.allowed {
                    allowed.push(now);
                }
            }
        }
    }
}
