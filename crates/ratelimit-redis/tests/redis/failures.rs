//! Failed sign-ins and attempts without a key, counted by what Redis sees as several processes.

use access::{AttemptLimiter as _, AttemptWindow};
use kernel::{Clock as _, SystemClock};
use ratelimit_redis::{RedisAddress, SharedFailures, SharedLimits};
use sessions::{Failures as _, OverLimit, ThrottledSubject, Wait};
use testkit::redis::Server;
use time::Duration;

use super::{options, patient, until};

const LIMIT: u32 = 5;
const TOKENS: AttemptWindow =
    AttemptWindow { name: "unknown-tokens", length: Duration::minutes(10), most_subjects: 32 };

async fn limits(server: &Server) -> SharedLimits {
    let address = RedisAddress::parse(&server.url()).unwrap();
    SharedLimits::connect(&address, patient()).await.unwrap()
}

fn subject() -> ThrottledSubject {
    ThrottledSubject::email("ada@example.com")
}

async fn count(failures: &SharedFailures) -> Result<(), Wait> {
    try_to_count(failures).await.map_err(|over_limit| over_limit.wait)
}

async fn try_to_count(failures: &SharedFailures) -> Result<(), OverLimit> {
    failures.count(&subject(), LIMIT, SystemClock.now()).await
}

async fn forgive(failures: &SharedFailures) {
    failures.forgive(&subject(), SystemClock.now()).await;
}

/// The wait in whole minutes, rounded up, because the server's clock advances between two calls.
fn minutes(wait: Result<(), Wait>) -> i64 {
    wait.unwrap_err().seconds().saturating_add(59) / 60
}

/// The key of the latest wait.
fn key_of_wait(server: &Server) -> String {
    let keys = server.ask(&["KEYS", "*:wait"]);
    keys.lines().find(|line| line.starts_with("countinghouse:")).unwrap().trim().to_owned()
}

/// Ends the wait now.
fn end_wait(server: &Server) {
    let now = SystemClock.now().unix_timestamp() * 1_000_000;
    let set = server.ask(&["HSET", &key_of_wait(server), "until", &now.to_string()]);
    assert!(set.starts_with(":0"), "{set}");
}

#[tokio::test]
async fn failures_of_two_processes_make_the_next_wait_in_both_and_the_wait_doubles() {
    let Some(server) = testkit::redis::server() else {
        return;
    };
    let [one, other] = [limits(&server).await.failures(), limits(&server).await.failures()];
    for _ in 0..2 {
        assert_eq!(count(&one).await, Ok(()));
        assert_eq!(count(&other).await, Ok(()));
    }
    assert_eq!(count(&one).await, Ok(()));
    assert_eq!(minutes(count(&other).await), 1);
    assert_eq!(minutes(count(&one).await), 1);
    for expected in [2, 4, 8, 16, 32, 60, 60] {
        end_wait(&server);
        assert_eq!(count(&other).await, Ok(()));
        assert_eq!(minutes(count(&one).await), expected);
    }
    // The keys expire by themselves, but not before the wait is over and forgotten.
    let expiry = server.ask(&["PTTL", &key_of_wait(&server)]);
    let expiry = expiry.lines().next().unwrap().trim_start_matches(':').parse::<i64>().unwrap();
    assert!((74 * 60_000..=75 * 60_000 + 2).contains(&expiry), "{expiry}");
    let names = server.ask(&["KEYS", "*"]);
    assert!(!names.contains("ada"), "{names}");
}

#[tokio::test]
async fn forgiven_failure_does_not_reset_the_waits() {
    let Some(server) = testkit::redis::server() else {
        return;
    };
    let failures = limits(&server).await.failures();
    for _ in 0..5 {
        assert_eq!(count(&failures).await, Ok(()));
    }
    for expected in [2, 4, 8, 16, 32, 60, 60] {
        end_wait(&server);
        assert_eq!(count(&failures).await, Ok(()));
        forgive(&failures).await;
        assert_eq!(count(&failures).await, Ok(()));
        assert_eq!(minutes(count(&failures).await), expected);
    }
}

#[tokio::test]
async fn forgiving_and_forgetting_apply_in_every_process() {
    let Some(server) = testkit::redis::server() else {
        return;
    };
    let [one, other] = [limits(&server).await.failures(), limits(&server).await.failures()];
    for _ in 0..5 {
        assert_eq!(count(&one).await, Ok(()));
    }
    assert!(count(&other).await.is_err());
    forgive(&one).await;
    assert_eq!(count(&other).await, Ok(()), "four are left");
    assert_eq!(minutes(count(&one).await), 1, "and the wait begins anew");
    other.forget(&subject()).await;
    for _ in 0..5 {
        assert_eq!(count(&one).await, Ok(()));
        forgive(&one).await;
    }
    assert_eq!(count(&one).await, Ok(()));
}

#[tokio::test]
async fn attempts_that_have_not_ended_are_seen_by_every_process() {
    let Some(server) = testkit::redis::server() else {
        return;
    };
    let [one, other] = [limits(&server).await.failures(), limits(&server).await.failures()];
    let has_open = async |failures: &SharedFailures| try_to_count(failures).await.unwrap_err().has_open;
    for _ in 0..5 {
        assert_eq!(count(&one).await, Ok(()));
    }
    assert!(has_open(&other).await && has_open(&one).await);
    for _ in 0..4 {
        one.fail(&subject()).await;
    }
    assert!(has_open(&other).await);
    one.fail(&subject()).await;
    assert!(!has_open(&one).await && !has_open(&other).await);
    other.forget(&subject()).await;
    assert_eq!(count(&other).await, Ok(()));
    // A process that ended reports nothing more: its open attempts are forgotten after a while.
    let expiry = server.ask(&["PTTL", &key_of_wait(&server).replace(":wait", ":open")]);
    let expiry = expiry.lines().next().unwrap().trim_start_matches(':').parse::<i64>().unwrap();
    assert!((1..=30_002).contains(&expiry), "{expiry}");
}

#[tokio::test]
async fn attempts_of_a_subject_are_counted_once_for_all_processes() {
    let Some(server) = testkit::redis::server() else {
        return;
    };
    let [one, other] = [limits(&server).await.attempts(TOKENS), limits(&server).await.attempts(TOKENS)];
    let now = SystemClock.now();
    for _ in 0..2 {
        assert!(one.attempt("192.0.2.1", 4, now).await.allowed);
        assert!(other.attempt("192.0.2.1", 4, now).await.allowed);
    }
    let refused = one.attempt("192.0.2.1", 4, now).await;
    assert!(!refused.allowed && (590..=600).contains(&refused.retry_after(now)));
    assert!(!other.attempt("192.0.2.1", 4, now).await.allowed);
    assert!(other.attempt("192.0.2.2", 4, now).await.allowed);
    let names = server.ask(&["KEYS", "*"]);
    assert!(names.contains("countinghouse:{unknown-tokens:") && !names.contains("192.0.2"), "{names}");
}

#[tokio::test]
async fn local_count_decides_while_redis_is_away_and_counts_after_it() {
    let Some(mut server) = testkit::redis::server() else {
        return;
    };
    let address = RedisAddress::parse(&server.url()).unwrap();
    let limits = SharedLimits::connect(&address, options()).await.unwrap();
    let (failures, tokens) = (limits.failures(), limits.attempts(TOKENS));
    for _ in 0..3 {
        assert_eq!(count(&failures).await, Ok(()));
        assert!(tokens.attempt("192.0.2.1", 5, SystemClock.now()).await.allowed);
    }
    server.stop();
    for _ in 0..2 {
        assert_eq!(count(&failures).await, Ok(()));
        assert!(tokens.attempt("192.0.2.1", 5, SystemClock.now()).await.allowed);
    }
    assert!(count(&failures).await.is_err());
    assert!(!tokens.attempt("192.0.2.1", 5, SystemClock.now()).await.allowed);
    // Redis is back, but empty.
    server.start();
    until("Redis is used again", async || limits.is_shared()).await;
    assert!(count(&failures).await.is_err());
    assert!(!tokens.attempt("192.0.2.1", 5, SystemClock.now()).await.allowed);
}
