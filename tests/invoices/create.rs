//! POST /invoices: the created invoice, and refused requests.

use serde_json::{Value, json};

use crate::test_app::{invoice_body, json_text, on_both};

#[tokio::test]
async fn every_field_of_the_contract_is_there() {
    on_both(async |server| {
        let account = server.account().await;
        let mut body = invoice_body();
        body["reference"] = json!("PO 7");
        body["notes"] = json!("Line one\nline two");
        body["staff"] = json!("Grace");
        body["line_items"][0]["tax_type"] = json!("GST");
        let made = account.post("/invoices", &body).await.expect(201);
        let mut names: Vec<_> = made.body.as_object().unwrap().keys().map(String::as_str).collect();
        names.sort_unstable();
        let mut expected = [
            "id", "invoice_number", "status", "is_draft", "contact", "invoice_date", "due_date", "currency",
            "line_amount_types", "sub_total", "tax_total", "total", "amount_paid", "amount_due",
            "line_items", "payments", "reference", "notes", "staff", "is_editable", "sent_to_contact",
            "last_sent_at", "send_count", "pay_url", "ledger_invoice_id", "created_at", "updated_at",
        ];
        expected.sort_unstable();
        assert_eq!(names, expected);
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
    })
    .await;
}

#[tokio::test]
async fn every_fault_is_named_at_once_with_its_path() {
    on_both(async |server| {
        let account = server.account().await;
        let body = json!({
            "contact": {"email": "nobody", "id": "x"}, "invoice_date": "2026-13-01", "due_date": 7, "currency": "ZZZ",
            "line_amount_types": "SOME", "reference": "x".repeat(256), "notes": "\u{1b}", "invoice_number": "x".repeat(51),
            "is_draft": "no", "staff": {},
            "line_items": [
                {"description": "fine", "unit_amount": 1},
                {"quantity": "2", "unit_amount": null, "tax_rate": 101, "description": ""},
                7,
                {"description": "x".repeat(4_001), "unit_amount": 1.23456, "quantity": 0, "tax_type": "x".repeat(51)},
            ],
        });
        let answer = account.post("/invoices", &body).await.refused(400, "VALIDATION_ERROR");
        let mut expected = vec![
            "contact.email", "contact.id", "invoice_date", "due_date", "currency", "line_amount_types", "reference", "notes",
            "invoice_number", "is_draft", "staff", "line_items.1.description", "line_items.1.quantity", "line_items.1.unit_amount",
            "line_items.1.tax_rate", "line_items.2", "line_items.3.description", "line_items.3.quantity", "line_items.3.unit_amount",
            "line_items.3.tax_type",
        ];
        expected.sort_unstable();
        assert_eq!(answer.fields(), expected);
    })
    .await;
}

#[tokio::test]
async fn missing_and_contradictory_fields_are_refused() {
    on_both(async |server| {
        let account = server.account().await;
        let refused = async |body: Value| {
            let answer = account.post("/invoices", &body).await.refused(400, "VALIDATION_ERROR");
            answer.fields().into_iter().map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(refused(json!({})).await, ["contact", "line_items"]);
        assert_eq!(refused(json!({"is_draft": true, "send_invoice": true})).await, ["send_invoice"]);
        let with = |name: &str, value: Value| {
            let mut body = invoice_body();
            body[name] = value;
            body
        };
        assert_eq!(refused(with("due_date", json!("2020-01-01"))).await, ["due_date"]);
        assert_eq!(refused(with("line_items", json!([]))).await, ["line_items"]);
        assert_eq!(refused(with("line_amount_types", json!("NoTax"))).await, ["line_items.0.tax_rate"]);
        assert_eq!(
            refused(with("contact", json!({"name": "Ada"}))).await,
            ["contact.email", "contact.phone"]
        );
        let lines = vec![json!({"description": "x", "unit_amount": 1}); 501];
        assert_eq!(refused(with("line_items", json!(lines))).await, ["line_items"]);
        assert_eq!(
            refused(with("line_items", json!([{"description": "x", "unit_amount": -1}]))).await,
            ["line_items"]
        );
        let unknown = json!({"id": "019aa1b2-0000-7000-8000-0123456789ab"});
        account.post("/invoices", &with("contact", unknown)).await.refused(404, "NOT_FOUND");
        // None of these requests has left a contact or used up a number.
        account.get("/contacts?email=ada@example.com").await.refused(404, "NOT_FOUND");
        assert_eq!(
            account.post("/invoices", &invoice_body()).await.expect(201).text("invoice_number"),
            "INV-0001"
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
