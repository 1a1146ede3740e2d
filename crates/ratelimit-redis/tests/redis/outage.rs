//! Redis stops, hangs and returns: requests are decided all the same.

use std::time::Duration;

use ratelimit_redis::{Options, RedisAddress, SharedLimits};

use super::{connect, new_key, options, patient, take, until};

#[tokio::test]
async fn while_redis_is_away_each_process_counts_for_itself_and_then_they_share_again() {
    let Some(mut server) = testkit::redis::server() else {
        return;
    };
    let (one, other) = (connect(&server, patient()).await, connect(&server, patient()).await);
    let known = new_key();
    assert!(take(&one, known, 2).await.allowed);
    server.stop();
    // Requests that this process allowed before the outage still count; the other process never saw them.
    assert_eq!(take(&one, known, 2).await.remaining, 0);
    assert!(!take(&one, known, 2).await.allowed);
    assert_eq!(take(&other, known, 2).await.remaining, 1);
    assert!(!one.is_shared() && !other.is_shared());

    server.start();
    until("both have found Redis", async || one.is_shared() && other.is_shared()).await;
    let fresh = new_key();
    assert!(take(&one, fresh, 1).await.allowed);
    assert!(!take(&other, fresh, 1).await.allowed);
    // Redis came back empty; requests allowed without it count in the process that counted them.
    assert!(!take(&one, known, 2).await.allowed);
    let second = take(&other, known, 2).await;
    assert_eq!((second.allowed, second.remaining), (true, 0));
}

/// Both requests pass the process's own window before Redis has answered either.
#[tokio::test]
async fn requests_at_once_after_an_outage_keep_to_the_quota_of_the_process() {
    let Some(mut server) = testkit::redis::server() else {
        return;
    };
    let limiter = connect(&server, patient()).await;
    let key = new_key();
    assert!(take(&limiter, key, 2).await.allowed);
    server.stop();
    assert!(!take(&limiter, key, 1).await.allowed);
    server.start();
    until("Redis is used again", async || limiter.is_shared()).await;
    let (one, other) = futures_util::join!(take(&limiter, key, 2), take(&limiter, key, 2));
    assert!(one.allowed != other.allowed, "Redis came back empty, and one of two was left");
}

#[tokio::test]
async fn a_redis_that_hangs_costs_one_short_wait_and_is_used_again_when_it_answers() {
    let Some(server) = testkit::redis::server() else {
        return;
    };
    let limiter = connect(&server, options()).await;
    server.hold();
    let key = new_key();
    let judging = async {
        for left in (0..200).rev() {
            let decision = take(&limiter, key, 200).await;
            assert_eq!((decision.allowed, decision.remaining), (true, left));
        }
    };
    // If each request waited its quarter of a second, all of them would take fifty seconds.
    let deadline = Duration::from_secs(25);
    tokio::time::timeout(deadline, judging).await.unwrap();
    assert!(!limiter.is_shared());
    server.resume();
    until("Redis is used again", async || limiter.is_shared()).await;
}

#[tokio::test]
async fn a_redis_that_is_not_there_at_the_start_is_used_when_it_comes() {
    let Some(mut server) = testkit::redis::server() else {
        return;
    };
    server.stop();
    let limiter = connect(&server, patient()).await;
    assert!(!limiter.is_shared());
    assert!(take(&limiter, new_key(), 1).await.allowed);
    server.start();
    until("Redis is used", async || limiter.is_shared()).await;
}

#[tokio::test]
async fn a_redis_that_answers_but_will_not_write_is_away() {
    let Some(server) = testkit::redis::server() else {
        return;
    };
    let limiter = connect(&server, patient()).await;
    // A server that has become a replica refuses writes.
    assert!(server.ask(&["REPLICAOF", "127.0.0.1", "1"]).contains("+OK"));
    let key = new_key();
    assert!(take(&limiter, key, 1).await.allowed);
    assert!(!take(&limiter, key, 1).await.allowed);
    assert!(!limiter.is_shared());
    assert!(server.ask(&["REPLICAOF", "NO", "ONE"]).contains("+OK"));
    until("Redis is used again", async || limiter.is_shared()).await;
}

#[tokio::test]
async fn unreachable_redis_leaves_the_quota_to_the_process() {
    // Port 1 of this machine refuses connections at once, without any server.
    let address = RedisAddress::parse("redis://127.0.0.1:1").unwrap();
    let limiter = SharedLimits::connect(&address, Options::default()).await.unwrap().windows();
    let key = new_key();
    assert!(take(&limiter, key, 1).await.allowed);
    assert!(!take(&limiter, key, 1).await.allowed);
}
