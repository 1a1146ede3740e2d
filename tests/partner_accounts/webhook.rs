//! The webhook endpoint that comes with an account. Targets here are IP addresses, not names, so that there
//! are no DNS look-ups.

use serde_json::{Value, json};

use super::path;
use crate::test_app::on_both;

const HOOK: &str = "https://1.1.1.1/hooks?of=us";

#[tokio::test]
async fn an_account_with_a_webhook_shows_its_signing_secret_once() {
    on_both(async |server| {
        let partner = server.partner();
        let body = json!({"company_name": "Acme", "email": "a@example.com", "external_id": "x", "webhook_url": HOOK});
        let made = partner.post("/partner/accounts", &body).await.expect(201);
        let secret = made.text("webhook_signing_secret");
        assert!(secret.len() == 43 && secret.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_'));
        assert_eq!(made.text("webhook_url"), HOOK);
        let matched = partner.post("/partner/accounts", &body).await.expect(200);
        let read = partner.get(&path(&made.body)).await.expect(200);
        let listed = partner.get("/partner/accounts").await.expect(200).body["data"][0].clone();
        let found = partner.get("/partner/accounts?external_id=x").await.expect(200).body["data"][0].clone();
        for shown in [&matched.body, &read.body, &listed, &found] {
            assert_eq!(shown["webhook_url"], HOOK);
            assert_eq!(shown["api_key_info"], made.body["api_key_info"]);
            assert!(shown.get("webhook_signing_secret").is_none() && shown.get("api_key").is_none());
        }
        let without = server.account_of(&partner, json!({})).await.1;
        assert!(without.get("webhook_signing_secret").is_none() && without["webhook_url"].is_null());
    })
    .await;
}

#[tokio::test]
async fn a_target_that_is_not_public_is_refused_and_nothing_is_created() {
    on_both(async |server| {
        let partner = server.partner();
        for target in ["https://127.0.0.1/", "https://10.0.0.7/x", "https://[::1]/", "https://0x7f.1/", "http://1.1.1.1/", "https://a:b@1.1.1.1/"] {
            let body = json!({"company_name": "Acme", "email": "a@example.com", "webhook_url": target});
            let refused = partner.post("/partner/accounts", &body).await.refused(400, "VALIDATION_ERROR");
            assert_eq!(refused.fields(), ["webhook_url"], "{target}");
        }
        // Next to other faults too.
        let private = json!({"webhook_url": "https://10.0.0.7/", "logo_url": "https://10.0.0.8/x.png", "brand_color": "red"});
        let every = ["brand_color", "company_name", "email", "logo_url", "webhook_url"];
        let refused = partner.post("/partner/accounts", &private).await.refused(400, "VALIDATION_ERROR");
        assert_eq!(refused.fields(), every);
        assert_eq!(partner.get("/partner/accounts").await.expect(200).body["total"], 0);
        let body = json!({"company_name": "Acme", "email": "a@example.com", "external_id": "x", "webhook_url": HOOK});
        let made = partner.post("/partner/accounts", &body).await.expect(201);
        let private = json!({"webhook_url": "https://10.0.0.7/", "phone": "9"});
        let refused = partner.patch(&path(&made.body), &private).await.refused(400, "VALIDATION_ERROR");
        assert_eq!(refused.fields(), ["webhook_url"]);
        let private = json!({"webhook_url": "https://10.0.0.7/", "logo_url": "https://10.0.0.8/x.png", "brand_color": "red"});
        let refused = partner.patch(&path(&made.body), &private).await.refused(400, "VALIDATION_ERROR");
        assert_eq!(refused.fields(), ["brand_color", "logo_url", "webhook_url"]);
        let unchanged = json!({"webhook_url": HOOK, "brand_color": "red"});
        let refused = partner.patch(&path(&made.body), &unchanged).await.refused(400, "VALIDATION_ERROR");
        assert_eq!(refused.fields(), ["brand_color"]);
        let read = partner.get(&path(&made.body)).await.expect(200);
        assert_eq!((read.text("webhook_url"), &read.body["phone"]), (HOOK, &Value::Null));
        // If no account is created, no target is checked: a known account is matched, a used e-mail address
        // is a conflict.
        let known = json!({"company_name": "Acme", "email": "a@example.com", "external_id": "x", "webhook_url": "https://10.0.0.7/"});
        partner.post("/partner/accounts", &known).await.expect(200);
        let taken = json!({"company_name": "Acme", "email": "A@example.com", "webhook_url": "https://10.0.0.7/"});
        partner.post("/partner/accounts", &taken).await.refused(409, "CONFLICT");
    })
    .await;
}

#[tokio::test]
async fn patch_makes_repoints_disables_and_enables_one_endpoint_with_one_secret() {
    on_both(async |server| {
        let partner = server.partner();
        let (_, made) = server.account_of(&partner, json!({})).await;
        let path = path(&made);
        let first = partner.patch(&path, &json!({"webhook_url": HOOK})).await.expect(200);
        assert_eq!((first.text("webhook_signing_secret").len(), first.text("webhook_url")), (43, HOOK));
        for (wish, shown) in [
            (json!("https://8.8.8.8/"), json!("https://8.8.8.8/")),
            (json!(null), json!(null)),
            (json!(null), json!(null)),
            (json!("https://8.8.8.8/"), json!("https://8.8.8.8/")),
            (json!(null), json!(null)),
            (json!("https://9.9.9.9/again"), json!("https://9.9.9.9/again")),
        ] {
            let changed = partner.patch(&path, &json!({"webhook_url": wish})).await.expect(200);
            assert_eq!(changed.body["webhook_url"], shown);
            assert!(changed.body.get("webhook_signing_secret").is_none());
            assert_eq!(partner.get(&path).await.expect(200).body["webhook_url"], shown);
        }
        let cleared = partner.patch(&path, &json!({"webhook_url": ""})).await.expect(200);
        assert_eq!(cleared.body["webhook_url"], Value::Null);
    })
    .await;
}
