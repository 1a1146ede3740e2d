//! Sending: the mail is queued with the invoice and arrives within seconds.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use reqwest::Method;
use serde_json::json;

use crate::test_app::{TestApp, invoice_body, json_text, on_both};

/// The mails that have arrived, once there are as many as expected. Arrival is an event outside this process:
/// it is polled for, for at most half a minute.
async fn mails(server: &TestApp, count: usize) -> Vec<String> {
    let folder = server.database.folder.path().join("mail");
    let deadline = Instant::now() + Duration::from_secs(30);
    loop {
        let entries = std::fs::read_dir(&folder).into_iter().flatten().flatten();
        let files: Vec<PathBuf> = entries
            .map(|entry| entry.path())
            .filter(|path| path.extension().is_some_and(|kind| kind == "eml"))
            .collect();
        // The invitation of the account's owner is in the same folder, and is not counted.
        let sent: Vec<String> = files
            .iter()
            .map(|file| std::fs::read_to_string(file).unwrap())
            .filter(|mail| !mail.contains("Subject: Your invoicing account"))
            .collect();
        if sent.len() >= count {
            return sent;
        }
        assert!(Instant::now() < deadline, "{} of {count} mails", sent.len());
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
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
        let mail = mails(&server, 1).await.remove(0);
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
        mails(&server, 2).await;
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
