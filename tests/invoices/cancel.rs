//! POST /invoices/{id}/cancel.

use reqwest::Method;
use serde_json::json;

use crate::test_app::{invoice_body, json_text, on_both};

#[tokio::test]
async fn cancelling_is_done_once_and_nothing_is_due() {
    on_both(async |server| {
        let account = server.account().await;
        let made = account.post("/invoices", &invoice_body()).await.expect(201);
        let path = format!("/invoices/{}/cancel", made.text("id"));
        let cancelled = account.send(Method::POST, &path, &[("Idempotency-Key", "")], None).await.expect(200);
        assert_eq!(
            (cancelled.text("status"), json_text(&cancelled.body["amount_due"]).as_str()),
            ("CANCELLED", "0.00")
        );
        assert_eq!(
            (json_text(&cancelled.body["total"]).as_str(), cancelled.body["is_editable"].as_bool()),
            ("110.00", Some(false))
        );
        account.send(Method::POST, &path, &[], None).await.refused(400, "INVOICE_NOT_CANCELLABLE");
        let read = account.get(&format!("/invoices/{}", made.text("id"))).await.expect(200);
        assert_eq!(read.bytes, cancelled.bytes, "a second cancellation is harmless");
        server.account().await.send(Method::POST, &path, &[], None).await.refused(404, "NOT_FOUND");
        account.send(Method::POST, "/invoices/7/cancel", &[], None).await.refused(400, "VALIDATION_ERROR");
    })
    .await;
}

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
