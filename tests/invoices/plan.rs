//! The plan limit: exact under concurrency.

use futures_util::future::join_all;
use serde_json::json;

use crate::test_app::{invoice_body, on_both};

#[tokio::test]
async fn the_invoice_limit_is_exact_under_concurrency() {
    on_both(async |server| {
        let (account, made) = server.account_of(&server.partner(), json!({})).await;
        let id = made["id"].as_str().unwrap();
        server.command_json(&["account", "set-invoice-limit", id, "3"]);
        account.post("/invoices", &json!({"is_draft": true})).await.expect(201);
        let body = invoice_body();
        let all = join_all((0..10).map(|_| account.post("/invoices", &body))).await;
        assert_eq!(all.iter().filter(|made| made.status == 201).count(), 2);
        assert!(
            all.iter()
                .filter(|made| made.status != 201)
                .all(|made| made.code() == "PLAN_LIMIT_REACHED" && made.status == 409)
        );
        server.command_json(&["account", "set-invoice-limit", id, "none"]);
        assert_eq!(
            account.post("/invoices", &invoice_body()).await.expect(201).text("invoice_number"),
            "INV-0004"
        );
    })
    .await;
}
