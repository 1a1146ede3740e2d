//! The due date that follows from the terms. Status and time zones are tested in the domain crates.

use serde_json::json;

use crate::test_app::{invoice_body, on_both_with};

#[tokio::test]
async fn payment_terms_give_the_default_due_date() {
    on_both_with(&[("COUNTINGHOUSE_PAYMENT_TERMS_DAYS", "30")], async |server| {
        let account = server.account().await;
        let mut body = invoice_body();
        body["invoice_date"] = json!("2026-01-31");
        assert_eq!(account.post("/invoices", &body).await.expect(201).text("due_date"), "2026-03-02");
    })
    .await;
}
