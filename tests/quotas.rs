//! Contract, "Limits": the rolling window over HTTP. Its exact limits are tested with a clock in the access
//! crate.

use reqwest::Method;

use crate::test_app::{invoice_body, on_both_with};

#[tokio::test]
async fn reads_and_writes_are_counted_apart_and_429_says_when_to_come_back() {
    let settings = [("COUNTINGHOUSE_READS_PER_MINUTE", "3"), ("COUNTINGHOUSE_WRITES_PER_MINUTE", "2")];
    on_both_with(&settings, async |server| {
        let account = server.account().await;
        for left in ["2", "1", "0"] {
            let answer = account.get("/invoices").await.expect(200);
            assert_eq!(answer.header("X-RateLimit-Limit"), "3");
            assert_eq!(answer.header("X-RateLimit-Remaining"), left);
            assert_eq!(answer.header("Retry-After"), "");
        }
        let refused = account.get("/invoices").await.refused(429, "RATE_LIMITED");
        assert_eq!(
            (refused.header("X-RateLimit-Limit"), refused.header("X-RateLimit-Remaining")),
            ("3", "0")
        );
        let wait: i64 = refused.header("Retry-After").parse().unwrap();
        assert!((1..=60).contains(&wait), "{wait}");
        assert!(refused.header("X-RateLimit-Reset").parse::<i64>().unwrap() > 1_700_000_000);
        account.send(Method::HEAD, "/invoices", &[], None).await.expect(429);
        // Writes are counted separately, and a request that is refused for its body counts.
        let faulty = account.post_bytes("/invoices", b"{").await.refused(400, "VALIDATION_ERROR");
        assert_eq!(faulty.header("X-RateLimit-Remaining"), "1");
        account.post("/invoices", &invoice_body()).await.expect(201);
        account.post("/invoices", &invoice_body()).await.refused(429, "RATE_LIMITED");
        // Another key has its own window.
        server.account().await.get("/invoices").await.expect(200);
    })
    .await;
}
