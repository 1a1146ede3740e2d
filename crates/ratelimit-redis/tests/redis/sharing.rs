//! What Redis sees as several processes, with one quota.

use std::sync::Arc;
use std::time::Duration;

use access::{Bucket, RateLimiter as _};
use futures_util::future::join_all;
use kernel::{Clock as _, SystemClock};
use ratelimit_redis::Options;

use super::{connect, new_key, options, patient, take, until};

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn two_hundred_at_once_from_two_processes_get_exactly_the_quota() {
    let Some(server) = testkit::redis::server() else {
        return;
    };
    let limiters = [Arc::new(connect(&server, patient()).await), Arc::new(connect(&server, patient()).await)];
    let key = new_key();
    let tries = limiters.iter().cycle().take(200).map(|limiter| {
        let limiter = limiter.clone();
        tokio::spawn(async move { take(&limiter, key, 30).await })
    });
    let verdicts: Vec<_> =
        join_all(tries.collect::<Vec<_>>()).await.into_iter().map(Result::unwrap).collect();
    let mut left: Vec<_> =
        verdicts.iter().filter(|decision| decision.allowed).map(|decision| decision.remaining).collect();
    left.sort_unstable();
    // Each remaining place was given out once.
    assert_eq!(left, (0..30).collect::<Vec<_>>());
    assert!(limiters.iter().all(|limiter| limiter.is_shared()));
    assert!(server.ask(&["DBSIZE"]).contains(":"));
}

#[tokio::test]
async fn clock_difference_changes_neither_quota_nor_retry_time() {
    let Some(server) = testkit::redis::server() else {
        return;
    };
    let (one, other) = (connect(&server, patient()).await, connect(&server, patient()).await);
    let (key, now) = (new_key(), SystemClock.now());
    let ahead = now + time::Duration::hours(1);
    assert!(one.take(key, Bucket::Reads, 1, now).await.allowed);
    let refused = other.take(key, Bucket::Reads, 1, ahead).await;
    assert!(!refused.allowed);
    assert!((1..=60).contains(&refused.retry_after(ahead)));
}

#[tokio::test]
async fn microseconds_are_kept_exactly_and_each_request_is_a_member() {
    let Some(server) = testkit::redis::server() else {
        return;
    };
    let limiter = connect(&server, patient()).await;
    let key = new_key();
    for _ in 0..20 {
        take(&limiter, key, 20).await;
    }
    let name = format!("countinghouse:{{{}}}:writes", key.uuid());
    assert!(server.ask(&["ZCARD", &name]).contains(":20"));
    let members = server.ask(&["ZRANGE", &name, "0", "-1", "WITHSCORES"]);
    let lines: Vec<_> = members.lines().filter(|line| !line.starts_with(['*', '$', '+'])).collect();
    for pair in lines.chunks_exact(2) {
        let (member, score) = (pair.first().unwrap(), pair.last().unwrap());
        assert_eq!(score.len(), 16, "{score}: microseconds have 16 digits until 2286");
        assert!(member.starts_with(score), "{member} {score}");
    }
    // Some of the twenty may end in zeros at random, but not all.
    assert!(lines.iter().any(|line| !line.ends_with("00")));
    // The window expires by itself, but not before its last request has left it.
    let expiry = server.ask(&["PTTL", &name]);
    let expiry = expiry.lines().next().unwrap().trim_start_matches(':');
    assert!((1..=60_001).contains(&expiry.parse::<i64>().unwrap()), "{expiry}");
}

#[tokio::test]
async fn a_server_whose_clock_is_turned_back_locks_nobody_out() {
    let Some(server) = testkit::redis::server() else {
        return;
    };
    let window = Duration::from_millis(200);
    let options = Options { window, ..patient() };
    let limiter = connect(&server, options).await;
    let key = new_key();
    let name = format!("countinghouse:{{{}}}:writes", key.uuid());
    // A request counted before the clock was turned back looks to the server like one from the future.
    let future = (SystemClock.now() + time::Duration::hours(1)).unix_timestamp() * 1_000_000;
    let added = server.ask(&["ZADD", &name, &future.to_string(), "of-the-future"]);
    assert!(added.contains(":1"));
    let refused = take(&limiter, key, 1).await;
    assert!(!refused.allowed);
    assert!(refused.resets_at <= SystemClock.now() + window);
    until("the request has left", async || take(&limiter, key, 1).await.allowed).await;
}

#[tokio::test]
async fn the_server_may_forget_the_script_and_the_windows() {
    let Some(server) = testkit::redis::server() else {
        return;
    };
    let limiter = connect(&server, patient()).await;
    let key = new_key();
    assert!(take(&limiter, key, 1).await.allowed);
    assert!(server.ask(&["SCRIPT", "FLUSH"]).contains("+OK"));
    assert!(!take(&limiter, key, 1).await.allowed);
    assert!(limiter.is_shared());
    assert!(server.ask(&["FLUSHALL"]).contains("+OK"));
    assert!(take(&limiter, key, 1).await.allowed);
    assert!(limiter.is_shared());
}

#[tokio::test]
async fn a_password_is_used_and_a_wrong_one_is_not_shown() {
    let Some(server) = testkit::redis::server_with_password("open-sesame") else {
        return;
    };
    let limiter = connect(&server, patient()).await;
    assert!(limiter.is_shared());
    assert!(!format!("{limiter:?}").contains("sesame"));
    let wrong = server.url().replace("open-sesame", "shut-sesame");
    let wrong = ratelimit_redis::RedisAddress::parse(&wrong).unwrap();
    let alone = ratelimit_redis::SharedLimits::connect(&wrong, options()).await.unwrap().windows();
    assert!(!alone.is_shared());
    assert!(take(&alone, new_key(), 1).await.allowed);
}

#[tokio::test]
async fn by_tls_the_server_must_show_a_certificate_that_is_trusted() {
    // The client needs a provider; the first test to get here installs it.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let folder = tempfile::tempdir().unwrap();
    let made = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).unwrap();
    let (certificate, key) = (folder.path().join("cert.pem"), folder.path().join("key.pem"));
    std::fs::write(&certificate, made.cert.pem()).unwrap();
    std::fs::write(&key, made.signing_key.serialize_pem()).unwrap();
    let Some(server) = testkit::redis::server_with_tls(&certificate, &key) else {
        return;
    };
    let trusting = Options { extra_ca_file: Some(certificate), ..patient() };
    let limiter = connect(&server, trusting).await;
    assert!(limiter.is_shared());
    assert!(take(&limiter, new_key(), 1).await.allowed);
    assert!(!connect(&server, patient()).await.is_shared());
}
