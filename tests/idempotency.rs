//! Contract, "Idempotency": a request is carried out once, whatever happens.

use serde_json::json;

use crate::test_app::{invoice_body, on_both};

#[tokio::test]
async fn a_repeated_request_returns_the_stored_response_byte_for_byte() {
    on_both(async |server| {
        let account = server.account().await;
        let first = account.post_with_key("/invoices", "k1", &invoice_body()).await.expect(201);
        assert_eq!(first.header("Idempotency-Replayed"), "");
        // The order of fields, the notation of numbers and quotes around the key do not matter.
        let same = br#"{"line_items":[{"tax_rate":10.0,"unit_amount":5e1,"quantity":2,"description":"Consulting"}],"contact":{"email":"ada@example.com","name":"Ada Lovelace"}}"#;
        let again = account.send(reqwest::Method::POST, "/invoices", &[("Idempotency-Key", "\"k1\"")], Some(same.to_vec())).await.expect(201);
        assert_eq!((again.header("Idempotency-Replayed"), &again.bytes), ("true", &first.bytes));
        assert_eq!(account.get("/invoices").await.expect(200).body["data"].as_array().unwrap().len(), 1);
        let created = account.post_with_key("/contacts", "k1", &json!({"name": "B", "phone": "1", "external_id": "B"})).await.expect(201);
        let replayed = account.post_with_key("/contacts", "k1", &json!({"name": "B", "phone": "1", "external_id": "B"})).await.expect(201);
        assert_eq!(created.bytes, replayed.bytes);
    })
    .await;
}

#[tokio::test]
async fn another_body_under_the_key_is_refused() {
    on_both(async |server| {
        let account = server.account().await;
        let first = account.post_with_key("/invoices", "k", &invoice_body()).await.expect(201);
        let mut other = invoice_body();
        other["reference"] = json!("other");
        let reused =
            account.post_with_key("/invoices", "k", &other).await.refused(409, "IDEMPOTENCY_KEY_REUSED");
        assert_eq!(reused.body["original_response"], first.body);
        // A faulty body is also a different body.
        let reused = account
            .send(reqwest::Method::POST, "/invoices", &[("Idempotency-Key", "k")], Some(b"{".to_vec()))
            .await;
        reused.refused(409, "IDEMPOTENCY_KEY_REUSED");
        // Another account may use the same key.
        server.account().await.post_with_key("/invoices", "k", &other).await.expect(201);
    })
    .await;
}

#[tokio::test]
async fn errors_are_stored_and_replayed() {
    on_both(async |server| {
        let account = server.account().await;
        let taken = { let mut body = invoice_body(); body["invoice_number"] = json!("X"); body };
        account.post("/invoices", &taken).await.expect(201);
        for (key, body, status) in [("dup", taken, 409), ("bad", json!({}), 400), ("none", json!({"contact": {"id": "019aa1b2-0000-7000-8000-0123456789ab"}, "line_items": [{"description": "x", "unit_amount": 1}]}), 404)] {
            let first = account.post_with_key("/invoices", key, &body).await.expect(status);
            let again = account.post_with_key("/invoices", key, &body).await.expect(status);
            assert_eq!((again.header("Idempotency-Replayed"), &again.bytes), ("true", &first.bytes), "{key}");
        }
        let broken = [("Idempotency-Key", "broken")];
        let first = account.send(reqwest::Method::POST, "/invoices", &broken, Some(b"{".to_vec())).await.expect(400);
        let again = account.send(reqwest::Method::POST, "/invoices", &broken, Some(b"{".to_vec())).await.expect(400);
        assert_eq!((again.header("Idempotency-Replayed"), &again.bytes), ("true", &first.bytes));
    })
    .await;
}

#[tokio::test]
async fn other_endpoints_ignore_the_header() {
    on_both(async |server| {
        let account = server.account().await;
        let answer = account.send(reqwest::Method::GET, "/invoices", &[("Idempotency-Key", "")], None).await;
        answer.expect(200);
        let partner = server.partner();
        for email in ["a@example.com", "b@example.com"] {
            partner
                .post_with_key("/partner/accounts", "same", &json!({"company_name": "A", "email": email}))
                .await
                .expect(201);
        }
    })
    .await;
}
