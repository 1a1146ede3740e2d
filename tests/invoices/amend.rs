//! PUT /invoices/{id}.

use reqwest::Method;
use serde_json::{Value, json};

use crate::test_app::{Caller, TestResponse, invoice_body, json_text, on_both};

async fn put(account: &Caller, id: &str, body: &Value) -> TestResponse {
    let body = body.to_string().into_bytes();
    account.send(Method::PUT, &format!("/invoices/{id}"), &[], Some(body)).await
}

#[tokio::test]
async fn lines_are_replaced_as_a_whole_and_totals_follow() {
    on_both(async |server| {
        let account = server.account().await;
        let made = account.invoice(json!({})).await;
        let lines = json!({"line_items": [{"description": "A", "unit_amount": 10}, {"description": "B", "unit_amount": 5, "tax_rate": 10}]});
        let changed = put(&account, made.text("id"), &lines).await.expect(200);
        assert_eq!(changed.body["line_items"].as_array().unwrap().len(), 2);
        assert_eq!(["sub_total", "tax_total", "total", "amount_due"].map(|name| json_text(&changed.body[name])), ["15.00", "0.50", "15.50", "15.50"]);
        let none = put(&account, made.text("id"), &json!({"line_items": []})).await;
        assert_eq!(none.refused(400, "VALIDATION_ERROR").fields(), ["line_items"]);
    })
    .await;
}

#[tokio::test]
async fn a_draft_is_issued_once() {
    on_both(async |server| {
        let account = server.account().await;
        let draft = account.post("/invoices", &json!({"is_draft": true})).await.expect(201);
        let id = draft.text("id");
        let early = put(&account, id, &json!({"is_draft": false})).await.refused(400, "VALIDATION_ERROR");
        assert_eq!(early.fields(), ["contact", "line_items"]);
        put(&account, id, &json!({"send_invoice": true})).await.refused(409, "CONFLICT");
        let mut body = invoice_body();
        body["is_draft"] = json!(false);
        let issued = put(&account, id, &body).await.expect(200);
        assert_eq!((issued.text("status"), issued.body["is_draft"].as_bool()), ("UNPAID", Some(false)));
        assert_eq!(issued.body["invoice_number"], draft.body["invoice_number"]);
        put(&account, id, &json!({"is_draft": true})).await.refused(409, "CONFLICT");
    })
    .await;
}

#[tokio::test]
async fn concurrent_amendments_keep_both_changes() {
    on_both(async |server| {
        let account = server.account().await;
        let made = account.invoice(json!({})).await;
        let id = made.text("id");
        let (left, right) = (json!({"reference": "left"}), json!({"staff": "right"}));
        for _ in 0..10 {
            let (one, other) = tokio::join!(put(&account, id, &left), put(&account, id, &right));
            for answer in [one, other] {
                assert!(answer.status == 200 || answer.code() == "CONFLICT");
            }
        }
        let read = account.get(&format!("/invoices/{id}")).await.expect(200);
        assert_eq!((read.text("reference"), read.text("staff")), ("left", "right"));
    })
    .await;
}
