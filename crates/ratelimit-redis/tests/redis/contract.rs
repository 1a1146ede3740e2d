//! The contract of every limiter: the same assertions on the one in memory and the one in Redis.

use std::time::Duration;

use access::{Bucket, RateLimiter, RollingWindows};
use kernel::Clock;
use testkit::FixedClock;

use super::{connect, new_key, patient};

/// A limiter, the length of its window, and the clock of its calls.
struct Subject {
    limiter: Box<dyn RateLimiter>,
    window: time::Duration,
    clock: Box<dyn Clock>,
    /// Lets a little time pass: a step of the still clock, or a moment of the real one.
    moment: Box<dyn Fn()>,
}

async fn on_both(window: Duration, test: impl AsyncFn(Subject)) {
    let clock = FixedClock::default();
    let steps = clock.clone();
    test(Subject {
        limiter: Box::new(RollingWindows::default()),
        window: access::quota::WINDOW,
        clock: Box::new(clock),
        moment: Box::new(move || {
            steps.advance(time::Duration::milliseconds(500));
        }),
    })
    .await;
    let Some(server) = testkit::redis::server() else {
        return;
    };
    let options = ratelimit_redis::Options { window, ..patient() };
    test(Subject {
        limiter: Box::new(connect(&server, options).await),
        window: time::Duration::try_from(window).unwrap(),
        clock: Box::new(kernel::SystemClock),
        moment: Box::new(|| ()),
    })
    .await;
}

const A_MINUTE: Duration = Duration::from_secs(60);

#[tokio::test]
async fn exhausted_quota_is_refused_with_the_time_to_retry() {
    on_both(A_MINUTE, async |subject| {
        let key = new_key();
        let first_at = subject.clock.now();
        for left in [2, 1, 0] {
            let now = subject.clock.now();
            let decision = subject.limiter.take(key, Bucket::Reads, 3, now).await;
            assert_eq!((decision.allowed, decision.limit, decision.remaining), (true, 3, left));
            assert!(decision.resets_at <= now + subject.window);
        }
        for _ in 0..5 {
            let now = subject.clock.now();
            let refused = subject.limiter.take(key, Bucket::Reads, 3, now).await;
            assert_eq!((refused.allowed, refused.limit, refused.remaining), (false, 3, 0));
            // The first request leaves the window first.
            assert!(refused.resets_at >= now);
            let late = refused.resets_at - (first_at + subject.window);
            assert!(late.abs() < time::Duration::seconds(30), "{late}");
            let wait = refused.retry_after(now);
            assert!((1..=60).contains(&wait), "{wait}");
            assert!(refused.reset_timestamp() >= now.unix_timestamp() + wait - 1);
        }
    })
    .await;
}

#[tokio::test]
async fn keys_and_buckets_are_counted_apart() {
    on_both(A_MINUTE, async |subject| {
        let (one, other) = (new_key(), new_key());
        let take = async |key, bucket| {
            let now = subject.clock.now();
            subject.limiter.take(key, bucket, 1, now).await.allowed
        };
        assert!(take(one, Bucket::Writes).await);
        assert!(!take(one, Bucket::Writes).await);
        assert!(take(one, Bucket::Reads).await);
        assert!(take(other, Bucket::Writes).await);
        assert!(!take(other, Bucket::Writes).await);
    })
    .await;
}

#[tokio::test]
async fn a_request_that_is_refused_is_not_counted() {
    on_both(Duration::from_millis(300), async |subject| {
        let key = new_key();
        let take = async || {
            let now = subject.clock.now();
            subject.limiter.take(key, Bucket::Writes, 1, now).await
        };
        assert!(take().await.allowed);
        // If refusals were counted, continuous requests would keep the window full for ever.
        let mut asked = 0_u32;
        while !take().await.allowed {
            asked += 1;
            (subject.moment)();
            tokio::task::yield_now().await;
            assert!(asked < 1_000_000);
        }
        assert!(asked > 0 || subject.window < time::Duration::SECOND);
    })
    .await;
}

#[tokio::test]
async fn never_more_than_the_quota_in_any_window() {
    const QUOTA: usize = 7;
    on_both(Duration::from_millis(40), async |subject| {
        let key = new_key();
        let mut allowed = Vec::new();
        while allowed.len() < QUOTA * 8 {
            let asked = subject.clock.now();
            let decision = subject.limiter.take(key, Bucket::Reads, 7, asked).await;
            let answered = subject.clock.now();
            if decision.allowed {
                allowed.push((asked, answered));
            }
            (subject.moment)();
        }
        for pair in allowed.windows(QUOTA + 1) {
            let (first, last) = (pair.first().unwrap(), pair.last().unwrap());
            // The request was counted between the call and its return, so this is the longest possible
            // distance between the two.
            let apart = last.1 - first.0;
            assert!(apart >= subject.window, "{apart} of {}", subject.window);
        }
    })
    .await;
}

#[tokio::test]
async fn quota_of_zero_refuses_every_request() {
    on_both(A_MINUTE, async |subject| {
        let now = subject.clock.now();
        let refused = subject.limiter.take(new_key(), Bucket::Reads, 0, now).await;
        assert_eq!((refused.allowed, refused.remaining), (false, 0));
        assert_eq!(refused.resets_at, now + subject.window);
        assert_eq!(refused.retry_after(now), 60);
    })
    .await;
}

#[tokio::test]
async fn a_quota_that_is_lowered_holds_at_once() {
    on_both(A_MINUTE, async |subject| {
        let key = new_key();
        for _ in 0..5 {
            let now = subject.clock.now();
            assert!(subject.limiter.take(key, Bucket::Reads, 5, now).await.allowed);
        }
        let now = subject.clock.now();
        let refused = subject.limiter.take(key, Bucket::Reads, 2, now).await;
        assert_eq!((refused.allowed, refused.limit, refused.remaining), (false, 2, 0));
    })
    .await;
}
