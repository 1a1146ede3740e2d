//! POST /invoices/{id}/cancel.

use reqwest::Method;
use serde_json::json;

use crate::test_app::{invoice_body, json_text, on_both};

#[tokio::test]
async fn drafts_and_part_paid_invoices_can_be_cancelled_and_paid_ones_not() {
    on_both(async |server| {
        let (account, made) = server.account_of(&server.partner(), json!({})).await;
        let account_id = made["id"].as_str().unwrap();
        let draft = account.post("/invoices", &json!({"is_draft": true})).await.expect(201);
        let part = account.post("/invoices", &invoice_body()).await.expect(201);
        let paid = account.post("/invoices", &invoice_body()).await.expect(201);
        for (invoice, amount) in [(&part, "10"), (&paid, "110")] {
            server.record_payment(account_id, invoice.text("id"), amount);
        }
        for (invoice, status) in [(&draft, 200), (&part, 200), (&paid, 400)] {
            let path = format!("/invoices/{}/cancel", invoice.text("id"));
            let cancelled = account.send(Method::POST, &path, &[], None).await;
            match status {
                400 => drop(cancelled.refused(400, "INVOICE_NOT_CANCELLABLE")),
                _ => assert_eq!(cancelled.expect(status).text("status"), "CANCELLED"),
            }
        }
        let part = account.get(&format!("/invoices/{}", part.text("id"))).await.expect(200);
        let amounts = ["amount_paid", "amount_due"].map(|name| json_text(&part.body[name]));
        assert_eq!((part.text("status"), amounts), ("CANCELLED", ["10.00".to_owned(), "0.00".to_owned()]));
        assert_eq!(part.body["payments"].as_array().unwrap().len(), 1);
    })
    .await;
}
