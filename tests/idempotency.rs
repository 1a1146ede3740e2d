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
