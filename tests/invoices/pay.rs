//! Payments, recorded by the operator beside the running server.

use serde_json::{Value, json};

use crate::test_app::{invoice_body, json_text, on_both};

fn words<'a>(account: &'a Value, invoice: &'a str, amount: &'a str) -> Vec<&'a str> {
    let account = account["id"].as_str().unwrap();
    vec![
        "payment", "record", "--account", account, "--invoice", invoice, "--amount", amount, "--method",
        "bank_transfer",
    ]
}

#[tokio::test]
async fn a_partial_payment_then_the_rest_makes_an_invoice_paid() {
    on_both(async |server| {
        let (account, made) = server.account_of(&server.partner(), json!({})).await;
        let invoice = account.post("/invoices", &invoice_body()).await.expect(201);
        let mut partly = words(&made, invoice.text("id"), "50.00");
        partly.extend(["--reference", "R 1", "--received-at", "2026-01-02T03:04:05.678+01:00"]);
        let shown = server.command_json(&partly);
        assert_eq!(
            (&shown["status"], json_text(&shown["amount_due"]).as_str()),
            (&json!("PARTIALLY_PAID"), "60.00")
        );
        let payment = &shown["payments"][0];
        assert_eq!(
            (json_text(&payment["amount"]).as_str(), &payment["received_at"]),
            ("50.00", &json!("2026-01-02T02:04:05.678Z"))
        );
        assert_eq!(
            (&payment["method"], &payment["recorded_by"], &payment["reference"], &payment["currency"]),
            (&json!("bank_transfer"), &json!("operator"), &json!("R 1"), &json!("AUD"))
        );
        let read = account.get(&format!("/invoices/{}", invoice.text("id"))).await.expect(200);
        assert_eq!(read.body["payments"], shown["payments"]);
        let shown = server.command_json(&words(&made, invoice.text("id"), "60"));
        assert_eq!(
            (
                &shown["status"],
                json_text(&shown["amount_paid"]).as_str(),
                json_text(&shown["amount_due"]).as_str()
            ),
            (&json!("PAID"), "110.00", "0.00")
        );
    })
    .await;
}

#[tokio::test]
async fn a_repetition_under_the_same_key_prints_the_first_result() {
    on_both(async |server| {
        let (account, made) = server.account_of(&server.partner(), json!({})).await;
        let invoice = account.post("/invoices", &invoice_body()).await.expect(201);
        let record = |amount, json: &[&str]| {
            let key = ["--idempotency-key", "june"];
            let words = words(&made, invoice.text("id"), amount);
            server.command(&[&words[..], &key, json].concat())
        };
        let refused = record("110.01", &[]);
        assert_eq!(refused.status.code(), Some(1), "{refused:?}");
        let first = record("50.00", &["--json"]);
        assert!(first.status.success(), "{first:?}");
        server.command_json(&words(&made, invoice.text("id"), "10"));
        assert_eq!(record("50", &["--json"]).stdout, first.stdout);
        let text = String::from_utf8(record("50.00", &[]).stdout).unwrap();
        assert!(text.contains("50.00 AUD paid, 60.00 AUD due"), "{text}");
        let other = record("51", &[]);
        assert_eq!(other.status.code(), Some(1), "{other:?}");
        let errors = String::from_utf8_lossy(&other.stderr).into_owned();
        assert!(errors.contains("other content"), "{errors}");
        let path = format!("/invoices/{}", invoice.text("id"));
        let read = account.get(&path).await.expect(200);
        assert_eq!(json_text(&read.body["amount_paid"]), "60.00");
    })
    .await;
}

#[tokio::test]
async fn invalid_payments_are_refused() {
    on_both(async |server| {
        let (account, made) = server.account_of(&server.partner(), json!({})).await;
        let invoice = account.post("/invoices", &invoice_body()).await.expect(201);
        let draft = account.post("/invoices", &json!({"is_draft": true})).await.expect(201);
        for (id, amount, status, said) in [
            (invoice.text("id"), "110.01", 1, "above what is due"),
            (invoice.text("id"), "0", 1, "above 0"),
            (invoice.text("id"), "-5", 1, "above 0"),
            (invoice.text("id"), "1.001", 1, "2 decimals"),
            (invoice.text("id"), "1.000", 1, "2 decimals"),
            (invoice.text("id"), "1e1", 1, "written with digits"),
            (invoice.text("id"), "ten", 2, "number"),
            (draft.text("id"), "1", 1, "DRAFT"),
            ("019aa1b2-0000-7000-8000-0123456789ab", "1", 1, "no such invoice"),
        ] {
            let output = server.command(&words(&made, id, amount));
            let errors = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(status), "{amount}: {errors}");
            assert!(errors.contains(said), "{amount}: {errors}");
        }
        let words = words(&made, invoice.text("id"), "1");
        let later = server.command(&[&words[..], &["--received-at", "2999-01-01T00:00:00Z"]].concat());
        let errors = String::from_utf8_lossy(&later.stderr);
        assert!(later.status.code() == Some(1) && errors.contains("in the future"), "{errors}");
        let read = account.get(&format!("/invoices/{}", invoice.text("id"))).await.expect(200);
        assert_eq!(read.bytes, invoice.bytes);
    })
    .await;
}

#[tokio::test]
async fn payment_that_was_not_made_online_is_not_refunded() {
    on_both(async |server| {
        let (account, made) = server.account_of(&server.partner(), json!({})).await;
        let invoice = account.post("/invoices", &invoice_body()).await.expect(201);
        let paid = server.command_json(&words(&made, invoice.text("id"), "110"));
        let payment = paid["payments"][0]["id"].as_str().unwrap();
        let refund = ["payment", "refund", "--account", made["id"].as_str().unwrap(), "--payment", payment];
        let refused = server.command(&[&refund[..], &["--amount", "1", "--idempotency-key", "k"]].concat());
        let errors = String::from_utf8_lossy(&refused.stderr);
        assert!(refused.status.code() == Some(1) && errors.contains("was made online"), "{errors}");
    })
    .await;
}

#[tokio::test]
async fn amendments_see_payments() {
    on_both(async |server| {
        let (account, made) = server.account_of(&server.partner(), json!({})).await;
        let invoice = account.post("/invoices", &invoice_body()).await.expect(201);
        server.command_json(&words(&made, invoice.text("id"), "50"));
        let path = format!("/invoices/{}", invoice.text("id"));
        let put = async |body: Value| {
            account.send(reqwest::Method::PUT, &path, &[], Some(body.to_string().into_bytes())).await
        };
        put(json!({"currency": "USD"})).await.refused(409, "CONFLICT");
        put(json!({"line_items": [{"description": "x", "unit_amount": 49.99}]}))
            .await
            .refused(409, "CONFLICT");
        let paid = put(json!({"line_items": [{"description": "x", "unit_amount": 50}]})).await.expect(200);
        assert_eq!(paid.text("status"), "PAID");
    })
    .await;
}
