//! Two processes with one Redis share a quota; without Redis they serve all the same.

use futures_util::future::join_all;
use serde_json::json;
use testkit::redis;

use crate::test_app::{Browser, Caller, Database, TestApp, TestResponse, invoice_body};

const AWAY: &str = "Redis does not respond";
const PASSWORD: &str = "correct horse battery";
const BACK: &str = "Redis responds again";

/// Runs a test with two processes on one database and one Redis, on each kind of database in turn.
async fn on_both_with_two(
    redis: &redis::Server,
    quotas: &[(&str, &str)],
    test: impl AsyncFn(&TestApp, &TestApp),
) {
    for database in Database::both() {
        let url = redis.url();
        let settings = [&[("COUNTINGHOUSE_REDIS_URL", url.as_str())], quotas].concat();
        let one = TestApp::start(database, &settings).await;
        let other = one.second_process().await;
        test(&one, &other).await;
    }
}

/// Waits until both logs contain a text.
async fn until_both_log(one: &TestApp, other: &TestApp, said: &str, times: usize) {
    one.until_logged(said, times).await;
    other.until_logged(said, times).await;
}

fn left(answer: &TestResponse) -> u32 {
    answer.header("X-RateLimit-Remaining").parse().unwrap()
}

#[tokio::test]
async fn two_processes_with_one_redis_share_a_quota() {
    let Some(redis) = redis::server_with_password("open-sesame") else {
        return;
    };
    let quotas = [("COUNTINGHOUSE_READS_PER_MINUTE", "20"), ("COUNTINGHOUSE_WRITES_PER_MINUTE", "2")];
    on_both_with_two(&redis, &quotas, async |one, other| {
        let here = one.account().await;
        let there = here.at(&other.base);
        assert_eq!(left(&here.get("/invoices").await.expect(200)), 19);
        assert_eq!(left(&there.get("/invoices").await.expect(200)), 18);
        // Concurrent requests to both processes: the rest of the quota is given out once.
        let tries = (0..40).map(|n| {
            let caller: &Caller = if n % 2 == 0 { &here } else { &there };
            caller.get("/invoices")
        });
        let answers = join_all(tries).await;
        let mut places: Vec<_> = answers.iter().filter(|answer| answer.status == 200).map(left).collect();
        places.sort_unstable();
        assert_eq!(places, (0..18).collect::<Vec<_>>());
        for refused in answers.into_iter().filter(|answer| answer.status != 200) {
            let refused = refused.refused(429, "RATE_LIMITED");
            let wait: i64 = refused.header("Retry-After").parse().unwrap();
            assert!((1..=60).contains(&wait), "{wait}");
        }
        // Writes are counted separately in both processes.
        here.post("/invoices", &invoice_body()).await.expect(201);
        there.post("/invoices", &invoice_body()).await.expect(201);
        here.post("/invoices", &invoice_body()).await.refused(429, "RATE_LIMITED");
        for server in [one, other] {
            let log = server.log();
            assert!(!log.contains(AWAY) && !log.contains("sesame"), "{log}");
        }
    })
    .await;
    // Redis names windows after the key's record, not after the key.
    let names = redis.ask(&["KEYS", "*"]);
    assert!(names.contains("countinghouse:{"), "{names}");
    assert!(!names.contains("ct_"), "{names}");
}

#[tokio::test]
async fn requests_succeed_while_redis_is_away() {
    let Some(mut redis) = redis::server() else {
        return;
    };
    for database in Database::both() {
        redis.start();
        let url = redis.url();
        let one = TestApp::start(database, &[("COUNTINGHOUSE_REDIS_URL", &url)]).await;
        let other = one.second_process().await;
        let here = one.account().await;
        let there = here.at(&other.base);
        let (stop, stopped) = tokio::sync::watch::channel(false);
        let asking: Vec<_> = [&here, &there, &here, &there]
            .into_iter()
            .cloned()
            .map(|caller| {
                let stopped = stopped.clone();
                tokio::spawn(async move {
                    let mut served = 0_u32;
                    while !*stopped.borrow() {
                        // The quota is far from used up, so only 200 is correct.
                        caller.get("/invoices?limit=1").await.expect(200);
                        served += 1;
                    }
                    served
                })
            })
            .collect();
        redis.stop();
        until_both_log(&one, &other, AWAY, 1).await;
        redis.start();
        until_both_log(&one, &other, BACK, 1).await;
        // A Redis that hangs also counts as unreachable.
        redis.hold();
        until_both_log(&one, &other, AWAY, 2).await;
        redis.resume();
        until_both_log(&one, &other, BACK, 2).await;
        stop.send_replace(true);
        for served in join_all(asking).await {
            assert!(served.unwrap() > 0);
        }
        // A new key shows that the two processes count together again.
        let fresh = one.account().await;
        let first = left(&fresh.get("/invoices").await.expect(200));
        let second = left(&fresh.at(&other.base).get("/invoices").await.expect(200));
        assert_eq!(second, first - 1);
        // There is one warning for each outage, not for each request. A busy machine may cause an additional
        // outage.
        let warnings = one.log().matches(AWAY).count();
        assert!((2..6).contains(&warnings), "{}", one.log());
        redis.stop();
    }
}

#[tokio::test]
async fn a_redis_that_is_missing_at_the_start_is_a_warning() {
    let settings = [
        ("COUNTINGHOUSE_REDIS_URL", "redis://:open-sesame@127.0.0.1:1"),
        ("COUNTINGHOUSE_READS_PER_MINUTE", "1"),
    ];
    let server = TestApp::start(Database::sqlite(), &settings).await;
    let account = server.account().await;
    account.get("/invoices").await.expect(200);
    account.get("/invoices").await.refused(429, "RATE_LIMITED");
    let log = server.log();
    assert!(log.contains(AWAY) && log.contains("WARN"), "{log}");
    assert!(!log.contains("sesame"), "{log}");
}

#[tokio::test]
async fn two_processes_with_one_redis_share_failed_sign_ins() {
    let Some(redis) = redis::server() else {
        return;
    };
    on_both_with_two(&redis, &[], async |one, other| {
        let made = one.account_of(&one.partner(), json!({})).await.1;
        let (account, email) = (made["id"].as_str().unwrap(), made["email"].as_str().unwrap());
        let invited = one.command_json(&["account", "invite", account]);
        // The URL has the base of the process that was started last.
        let token = invited["invitation_url"].as_str().unwrap().rsplit('/').next().unwrap();
        let path = format!("/invitations/{token}");
        Browser::new(one).post(&path, &[("password", PASSWORD)]).await.expect(303);
        let sign_in = async |server: &TestApp, password: &str| {
            Browser::new(server).post("/login", &[("email", email), ("password", password)]).await
        };
        // Concurrent attempts at both processes: each process makes attempts wait while those at the other
        // one are checked.
        let at_once = (0..50).map(|n| sign_in(if n % 2 == 0 { one } else { other }, PASSWORD));
        for answer in join_all(at_once).await {
            answer.expect(303);
        }
        for server in [one, other, one, other, one] {
            sign_in(server, "wrong password").await.expect(422);
        }
        for server in [one, other] {
            let waits = sign_in(server, PASSWORD).await.expect(429);
            let seconds: i64 = waits.header("Retry-After").parse().unwrap();
            assert!((1..=60).contains(&seconds), "{seconds}");
        }
        // The network address has five of twenty failures now. They are removed for the next database.
        assert!(!redis.ask(&["KEYS", "*"]).contains(email));
        assert!(redis.ask(&["FLUSHALL"]).contains("+OK"));
    })
    .await;
}

#[tokio::test]
async fn two_processes_with_one_redis_share_the_throttles_of_the_payment_page() {
    let Some(redis) = redis::server() else {
        return;
    };
    on_both_with_two(&redis, &[], async |one, other| {
        let account = one.account().await;
        let invoice = account.post("/invoices", &invoice_body()).await.expect(201).body;
        let pay = one.pay_path(&invoice);
        let help = format!("{pay}/help");
        let browsers = [Browser::new(one), Browser::new(other)];
        // Forms of a token count although they are refused.
        for n in 0..10 {
            browsers[n % 2].post(&help, &[("reason", "dispute")]).await.expect(409);
        }
        for browser in &browsers {
            browser.post(&help, &[("reason", "dispute")]).await.expect(429);
        }
        for n in 0..30 {
            browsers[n % 2].get(&format!("/pay/unknown{n}")).await.expect(404);
        }
        for browser in &browsers {
            browser.get("/pay/unknown").await.expect(429);
            browser.get(&pay).await.expect(200);
        }
        let names = redis.ask(&["KEYS", "*"]);
        assert!(names.contains("{payer-forms:") && names.contains("{unknown-tokens:"), "{names}");
        assert!(redis.ask(&["FLUSHALL"]).contains("+OK"));
    })
    .await;
}
