//! Sending: the mail is queued with the invoice and arrives within seconds.

use reqwest::Method;
use serde_json::json;

use crate::test_app::{invoice_body, json_text, on_both};

/// Whether a mail is none of those that invite owners.
fn is_to_payer(mail: &str) -> bool {
    !mail.contains("Subject: Your invoicing account")
}

#[tokio::test]
async fn an_invoice_is_created_and_mailed_at_once() {
    on_both(async |server| {
        let account = server.account().await;
        let mut body = invoice_body();
        body["send_invoice"] = json!(true);
        body["invoice_date"] = json!("9998-01-01");
        let sent = account.post("/invoices", &body).await.expect(201);
        // An invoice that is sent now is issued now, whatever its date.
        assert_eq!(
            (
                sent.text("status"),
                sent.body["sent_to_contact"].as_bool(),
                json_text(&sent.body["send_count"]).as_str()
            ),
            ("UNPAID", Some(true), "1")
        );
        assert_eq!(sent.body["last_sent_at"], sent.body["created_at"]);
        let mail = server.mails(1, is_to_payer).await.remove(0);
        assert!(
            mail.contains("ada@example.com") && mail.contains("INV-0001") && mail.contains("application/pdf"),
            "{mail}"
        );
        let again = account
            .send(
                Method::PUT,
                &format!("/invoices/{}", sent.text("id")),
                &[],
                Some(br#"{"send_invoice": true}"#.to_vec()),
            )
            .await
            .expect(200);
        assert_eq!(json_text(&again.body["send_count"]), "2");
        server.mails(2, is_to_payer).await;
    })
    .await;
}

#[tokio::test]
async fn an_invoice_that_cannot_be_sent_is_refused_and_not_created() {
    on_both(async |server| {
        let partner = server.partner();
        let (silent, _) = server.account_of(&partner, json!({"communications_enabled": false})).await;
        let mut body = invoice_body();
        body["send_invoice"] = json!(true);
        let refused = silent.post("/invoices", &body).await.refused(400, "VALIDATION_ERROR");
        assert_eq!(refused.fields(), ["send_invoice"]);
        let account = server.account().await;
        body["contact"] = json!({"name": "Ada", "phone": "1"});
        let refused = account.post("/invoices", &body).await.refused(400, "VALIDATION_ERROR");
        assert_eq!(refused.fields(), ["contact.email"]);
        body["send_invoice"] = json!(false);
        let made = account.post("/invoices", &body).await.expect(201);
        assert_eq!(made.text("invoice_number"), "INV-0001");
        let refused = account
            .send(
                Method::PUT,
                &format!("/invoices/{}", made.text("id")),
                &[],
                Some(br#"{"send_invoice": true}"#.to_vec()),
            )
            .await;
        assert_eq!(refused.refused(400, "VALIDATION_ERROR").fields(), ["contact.email"]);
        assert_eq!(
            account.get(&format!("/invoices/{}", made.text("id"))).await.expect(200).bytes,
            made.bytes
        );
    })
    .await;
}
