//! Switching accounts off and on: by the partner, and by the operator, whose decision takes precedence.

use serde_json::json;

use super::path;
use crate::test_app::{TestResponse, on_both};

fn message(answer: &TestResponse) -> &str {
    answer.body["error"]["message"].as_str().unwrap_or_default()
}

#[tokio::test]
async fn delete_deactivates_and_is_harmless_when_repeated() {
    on_both(async |server| {
        let partner = server.partner();
        let (account, made) = server.account_of(&partner, json!({"external_id": "kept"})).await;
        let path = path(&made);
        let off = partner.delete(&path).await.expect(200);
        assert_eq!(
            (off.text("status"), &off.body["id"], &off.body["email"]),
            ("inactive", &made["id"], &made["email"])
        );
        let again = partner.delete(&path).await.expect(200);
        assert_eq!(again.body, off.body);
        let refused = account.get("/invoices").await.refused(403, "ACCOUNT_DISABLED");
        assert!(message(&refused).contains("partner"), "{}", message(&refused));
        // Nothing is erased: the account is read, listed and matched as before.
        assert_eq!(partner.get(&path).await.expect(200).body, off.body);
        assert_eq!(
            partner.get("/partner/accounts?external_id=kept").await.expect(200).body["data"][0]["status"],
            "inactive"
        );
        let same = json!({"company_name": "Test company", "email": made["email"], "external_id": "kept"});
        assert_eq!(partner.post("/partner/accounts", &same).await.expect(200).text("status"), "inactive");
    })
    .await;
}

#[tokio::test]
async fn patch_with_a_status_switches_off_and_on_and_the_same_key_works_again() {
    on_both(async |server| {
        let partner = server.partner();
        let (account, made) = server.account_of(&partner, json!({})).await;
        let path = path(&made);
        account.get("/invoices").await.expect(200);
        for _ in 0..2 {
            let off = partner.patch(&path, &json!({"status": "inactive", "phone": "1"})).await.expect(200);
            assert_eq!((off.text("status"), off.text("phone")), ("inactive", "1"));
            account.get("/invoices").await.refused(403, "ACCOUNT_DISABLED");
            let on = partner.patch(&path, &json!({"status": "active"})).await.expect(200);
            assert_eq!(on.text("status"), "active");
            account.get("/invoices").await.expect(200);
        }
        for wrong in [json!("Active"), json!("paused"), json!(true), json!(null)] {
            let refused = partner.patch(&path, &json!({"status": wrong})).await;
            assert_eq!(refused.refused(400, "VALIDATION_ERROR").fields(), ["status"]);
        }
    })
    .await;
}

#[tokio::test]
async fn an_account_that_the_operator_switched_off_stays_off() {
    on_both(async |server| {
        let partner = server.partner();
        let (account, made) = server.account_of(&partner, json!({})).await;
        let (path, id) = (path(&made), made["id"].as_str().unwrap());
        server.command_json(&["account", "disable", id]);
        let refused = account.get("/invoices").await.refused(403, "ACCOUNT_DISABLED");
        assert!(message(&refused).contains("operator"), "{}", message(&refused));
        let conflict =
            partner.patch(&path, &json!({"status": "active", "phone": "9"})).await.refused(409, "CONFLICT");
        assert!(message(&conflict).contains("operator"));
        let read = partner.get(&path).await.expect(200);
        assert_eq!((read.text("status"), &read.body["phone"]), ("inactive", &json!(null)));
        // Other fields can be amended, and the partner can also switch the account off, which remains when
        // the operator switches it on.
        partner.patch(&path, &json!({"phone": "1"})).await.expect(200);
        partner.delete(&path).await.expect(200);
        server.command_json(&["account", "enable", id]);
        let refused = account.get("/invoices").await.refused(403, "ACCOUNT_DISABLED");
        assert!(message(&refused).contains("partner"), "{}", message(&refused));
        partner.patch(&path, &json!({"status": "active"})).await.expect(200);
        account.get("/invoices").await.expect(200);
    })
    .await;
}
