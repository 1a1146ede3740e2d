//! Dates and the status on issue. Edge cases of time zones are tested with a clock in the domain crates.

use serde_json::json;

use crate::test_app::{invoice_body, on_both, on_both_with};

#[tokio::test]
async fn status_on_issue_follows_from_the_dates() {
    on_both(async |server| {
        let account = server.account().await;
        for (invoice_date, due_date, status) in [
            ("2020-01-01", "2020-01-31", "OVERDUE"),
            ("2020-01-01", "9998-01-31", "UNPAID"),
            ("9998-01-01", "9998-01-31", "SCHEDULED"),
        ] {
            let mut body = invoice_body();
            body["invoice_date"] = json!(invoice_date);
            body["due_date"] = json!(due_date);
            let made = account.post("/invoices", &body).await.expect(201);
            assert_eq!(
                (made.text("status"), made.text("invoice_date"), made.text("due_date")),
                (status, invoice_date, due_date)
            );
        }
    })
    .await;
}

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
