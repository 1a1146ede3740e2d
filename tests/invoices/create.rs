//! POST /invoices and GET /invoices/{id}.

use serde_json::{Value, json};

use crate::test_app::{invoice_body, json_text, on_both};

#[tokio::test]
async fn created_invoice_is_answered_in_full_and_read_back() {
    on_both(async |server| {
        let account = server.account().await;
        let mut body = invoice_body();
        body["reference"] = json!("PO 7");
        body["notes"] = json!("Line one\nline two");
        body["staff"] = json!("Grace");
        body["line_items"][0]["tax_type"] = json!("GST");
        let made = account.post("/invoices", &body).await.expect(201);
        assert_eq!(made.text("invoice_number"), "INV-0001");
        assert_eq!(made.text("status"), "UNPAID");
        assert_eq!(made.body["contact"]["name"], "Ada Lovelace");
        assert_eq!(made.body["contact"]["address"], Value::Null);
        assert_eq!(
            (made.body["is_draft"].as_bool(), made.body["is_editable"].as_bool()),
            (Some(false), Some(true))
        );
        assert_eq!(
            (made.body["sent_to_contact"].as_bool(), &made.body["last_sent_at"]),
            (Some(false), &Value::Null)
        );
        assert_eq!(json_text(&made.body["send_count"]), "0");
        assert_eq!(made.body["ledger_invoice_id"], Value::Null);
        assert_eq!(made.body["payments"], json!([]));
        let pay_url = made.text("pay_url");
        assert!(pay_url.starts_with(&format!("{}/pay/", server.base)) && !pay_url.contains(made.text("id")));
        let created = made.text("created_at");
        assert!(created.len() == 24 && created.ends_with('Z'), "{created}");
        assert_eq!(
            account.get(&format!("/invoices/{}", made.text("id"))).await.expect(200).bytes,
            made.bytes
        );
    })
    .await;
}

#[tokio::test]
async fn a_draft_may_lack_contact_and_lines() {
    on_both(async |server| {
        let account = server.account().await;
        let draft = account.post("/invoices", &json!({"is_draft": true})).await.expect(201);
        assert_eq!((draft.text("status"), &draft.body["contact"]), ("DRAFT", &Value::Null));
        assert_eq!(json_text(&draft.body["total"]), "0.00");
        let full = account.post("/invoices", &{ let mut body = invoice_body(); body["is_draft"] = json!(true); body }).await.expect(201);
        assert_eq!(full.text("status"), "DRAFT");
        // An issued invoice with a total of zero is paid.
        let free = json!({"contact": {"email": "ada@example.com"}, "line_items": [{"description": "x", "unit_amount": 0}]});
        let free = account.post("/invoices", &free).await.expect(201);
        assert_eq!((free.text("status"), free.body["is_editable"].as_bool()), ("PAID", Some(false)));
    })
    .await;
}

#[tokio::test]
async fn the_invoice_keeps_the_contact_as_it_was() {
    on_both(async |server| {
        let account = server.account().await;
        let contact = account
            .post("/contacts", &json!({"name": "Ada", "email": "ada@example.com", "external_id": "A"}))
            .await
            .expect(201);
        let mut body = invoice_body();
        body["contact"] = json!({"email": "ADA@example.com", "name": "Somebody Else"});
        let made = account.post("/invoices", &body).await.expect(201);
        assert_eq!(made.body["contact"]["id"], contact.body["id"]);
        assert_eq!(made.body["contact"]["name"], "Ada");
        assert_eq!(made.body["contact"]["external_id"], "A");
    })
    .await;
}
