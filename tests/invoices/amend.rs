//! PUT /invoices/{id}.

use reqwest::Method;
use serde_json::{Value, json};

use crate::test_app::{Caller, TestApp, TestResponse, invoice_body, json_text, on_both};

async fn put(account: &Caller, id: &str, body: &Value) -> TestResponse {
    let body = body.to_string().into_bytes();
    account.send(Method::PUT, &format!("/invoices/{id}"), &[], Some(body)).await
}

#[tokio::test]
async fn only_sent_fields_change_and_null_clears() {
    on_both(async |server| {
        let account = server.account().await;
        let made = account.invoice(json!({"reference": "PO 1", "notes": "n", "staff": "Grace"})).await;
        let changed =
            put(&account, made.text("id"), &json!({"reference": "PO 2", "notes": null, "staff": " "}))
                .await
                .expect(200);
        let mut expected = made.body.clone();
        expected["reference"] = json!("PO 2");
        (expected["notes"], expected["staff"]) = (Value::Null, Value::Null);
        expected["updated_at"] = changed.body["updated_at"].clone();
        assert_eq!(changed.body, expected);
        assert_eq!(
            account.get(&format!("/invoices/{}", made.text("id"))).await.expect(200).bytes,
            changed.bytes
        );
    })
    .await;
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
async fn bad_amendments_name_every_fault_and_change_nothing() {
    on_both(async |server| {
        let account = server.account().await;
        let made = account.invoice(json!({"invoice_number": "A"})).await;
        account.invoice(json!({"invoice_number": "B"})).await;
        let id = made.text("id");
        let faulty = json!({"currency": null, "due_date": "x", "line_items": [{"unit_amount": "1"}], "send_invoice": "yes", "contact": null});
        let answer = put(&account, id, &faulty).await.refused(400, "VALIDATION_ERROR");
        assert_eq!(answer.fields(), ["contact", "currency", "due_date", "line_items.0.description", "line_items.0.unit_amount", "send_invoice"]);
        for empty in [json!({}), json!({"unknown": 1})] {
            put(&account, id, &empty).await.refused(400, "VALIDATION_ERROR");
        }
        put(&account, id, &json!({"invoice_number": "B"})).await.refused(409, "DUPLICATE_INVOICE_NUMBER");
        put(&account, id, &json!({"contact": {"id": "019aa1b2-0000-7000-8000-0123456789ab"}})).await.refused(404, "NOT_FOUND");
        put(&account, "019aa1b2-0000-7000-8000-0123456789ab", &json!({"notes": "x"})).await.refused(404, "NOT_FOUND");
        put(&server.account().await, id, &json!({"notes": "x"})).await.refused(404, "NOT_FOUND");
        assert_eq!(account.get(&format!("/invoices/{id}")).await.expect(200).bytes, made.bytes);
    })
    .await;
}

#[tokio::test]
async fn paid_and_cancelled_invoices_are_locked() {
    on_both(async |server: TestApp| {
        let (account, made) = server.account_of(&server.partner(), json!({})).await;
        let paid = account.invoice(json!({})).await;
        let shown = server.record_payment(made["id"].as_str().unwrap(), paid.text("id"), "110");
        assert_eq!(shown["status"], "PAID");
        put(&account, paid.text("id"), &json!({"notes": "x"})).await.refused(409, "INVOICE_LOCKED");
        let cancelled = account.invoice(json!({})).await;
        account.post(&format!("/invoices/{}/cancel", cancelled.text("id")), &json!({})).await.expect(200);
        put(&account, cancelled.text("id"), &json!({"notes": "x"})).await.refused(409, "INVOICE_LOCKED");
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
