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
            account
                .send(Method::POST, &format!("/invoices/{}/cancel", invoice.text("id")), &[], None)
                .await
                .expect(status);
        }
        let part = account.get(&format!("/invoices/{}", part.text("id"))).await.expect(200);
        assert_eq!(
            (json_text(&part.body["amount_paid"]).as_str(), part.body["payments"].as_array().unwrap().len()),
            ("10.00", 1)
        );
    })
    .await;
}
