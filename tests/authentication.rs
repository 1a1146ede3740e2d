//! Contract, "Authentication": keys that are switched off by a command, and keys that were replaced.

use reqwest::Method;
use serde_json::json;

use crate::test_app::on_both;

#[tokio::test]
async fn an_account_that_the_operator_disabled_is_refused_until_it_is_enabled() {
    on_both(async |server| {
        let (account, made) = server.account_of(&server.partner(), json!({})).await;
        let id = made["id"].as_str().unwrap();
        account.get("/invoices").await.expect(200);
        server.command_json(&["account", "disable", id]);
        let off = account.get("/invoices").await.refused(403, "ACCOUNT_DISABLED");
        assert!(off.body["error"]["message"].as_str().unwrap().contains("operator"));
        server.command_json(&["account", "enable", id]);
        account.get("/invoices").await.expect(200);
    })
    .await;
}

#[tokio::test]
async fn a_disabled_partner_is_refused_and_its_accounts_keep_working() {
    on_both(async |server| {
        let made = server.command_json(&["partner", "create", "--name", "Off"]);
        let partner = server.with_key(made["partner_key"].as_str().unwrap());
        let (account, _) = server.account_of(&partner, json!({})).await;
        server.command_json(&["partner", "disable", made["partner_id"].as_str().unwrap()]);
        partner.get("/partner/accounts").await.refused(403, "PARTNER_DISABLED");
        account.get("/invoices").await.expect(200);
        server.command_json(&["partner", "enable", made["partner_id"].as_str().unwrap()]);
        partner.get("/partner/accounts").await.expect(200);
    })
    .await;
}

#[tokio::test]
async fn a_rotated_key_is_refused_by_the_next_request() {
    on_both(async |server| {
        let partner = server.partner();
        let (old, made) = server.account_of(&partner, json!({})).await;
        let path = format!("/partner/accounts/{}/api-key", made["id"].as_str().unwrap());
        let rotated = partner.send(Method::POST, &path, &[], None).await.expect(200);
        assert_eq!(rotated.body["account_id"], made["id"]);
        old.get("/invoices").await.refused(401, "INVALID_API_KEY");
        let new = server.with_key(rotated.text("api_key"));
        new.get("/invoices").await.expect(200);
        let again = server.command_json(&["account", "rotate-key", made["id"].as_str().unwrap()]);
        new.get("/invoices").await.refused(401, "INVALID_API_KEY");
        server.with_key(again["api_key"].as_str().unwrap()).get("/invoices").await.expect(200);
    })
    .await;
}
