//! The shared limiters against a real Redis server, private to each test (see `testkit::redis`).
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that is wrong should stop there")]

mod contract;
mod failures;
mod outage;
mod sharing;

use std::time::Duration;

use access::{Bucket, KeyId, QuotaDecision, RateLimiter as _};
use kernel::{Clock as _, Id, Ids as _, SystemClock, SystemIds};
use ratelimit_redis::{Options, RedisAddress, SharedLimits, SharedWindows};
use testkit::redis::Server;

/// The service's own options, with a shorter pause before reconnecting.
fn options() -> Options {
    Options { pause: Duration::from_millis(20), ..Options::default() }
}

/// Long time limits, because a busy machine responds late; only the tests of outages need short ones.
fn patient() -> Options {
    Options { command: Duration::from_secs(20), connect: Duration::from_secs(20), ..options() }
}

async fn connect(server: &Server, options: Options) -> SharedWindows {
    let address = RedisAddress::parse(&server.url()).unwrap();
    SharedLimits::connect(&address, options).await.unwrap().windows()
}

fn new_key() -> KeyId {
    Id::from_uuid(SystemIds::default().uuid_at(SystemClock.now()))
}

async fn take(limiter: &SharedWindows, key: KeyId, quota: u32) -> QuotaDecision {
    limiter.take(key, Bucket::Writes, quota, SystemClock.now()).await
}

/// Polls a condition, with a deadline that no machine should need.
async fn until(what: &str, mut holds: impl AsyncFnMut() -> bool) {
    let looking = async {
        while !holds().await {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    if tokio::time::timeout(Duration::from_secs(60), looking).await.is_err() {
        panic!("still not so after a minute: {what}");
    }
}
