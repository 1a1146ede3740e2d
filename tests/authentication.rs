//! Contract, "Authentication": the five failures, the two key spaces, revoked keys, and keys that are
//! switched off.

use reqwest::Method;
use serde_json::json;

use crate::test_app::on_both;

#[tokio::test]
async fn each_authentication_failure_has_its_error_code() {
    on_both(async |server| {
        let partner = server.partner();
        let (account, made) = server.account_of(&partner, json!({})).await;
        let nobody = server.anonymous();
        for path in ["/invoices", "/partner/accounts"] {
            let missing = nobody.get(path).await.refused(401, "UNAUTHENTICATED");
            assert!(missing.header("WWW-Authenticate").starts_with("Bearer"));
            for value in ["Basic YTpi", "Bearer", "Bearer ", "ct_live_x"] {
                let answer = nobody.send(Method::GET, path, &[("Authorization", value)], None).await;
                answer.refused(401, "UNAUTHENTICATED");
            }
            let unknown = "ct_live_0123456789abcdefghijABCDEF012345";
            let invalid = server.with_key(unknown).get(path).await.refused(401, "INVALID_API_KEY");
            assert!(invalid.header("WWW-Authenticate").contains("invalid_token"));
        }
        account.get("/partner/accounts").await.refused(401, "INVALID_API_KEY");
        partner.get("/invoices").await.refused(401, "INVALID_API_KEY");

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

#[tokio::test]
async fn checks_run_in_the_documented_order() {
    on_both(async |server| {
        let account = server.account().await;
        // The route is checked before the key, the key before the body.
        server.anonymous().get("/no-such-path").await.refused(404, "NOT_FOUND");
        let wrong_method = server.anonymous().send(Method::DELETE, "/invoices", &[], None).await;
        let wrong_method = wrong_method.refused(405, "METHOD_NOT_ALLOWED");
        let allowed: Vec<_> = wrong_method.header("Allow").split(", ").collect();
        assert!(
            allowed.contains(&"GET") && allowed.contains(&"HEAD") && allowed.contains(&"POST"),
            "{allowed:?}"
        );
        server.anonymous().post_bytes("/invoices", b"{").await.refused(401, "UNAUTHENTICATED");
        account.post_bytes("/invoices", b"{").await.refused(400, "VALIDATION_ERROR");
        let bad_key =
            account.send(Method::POST, "/invoices", &[("Idempotency-Key", "")], Some(b"{".to_vec())).await;
        assert_eq!(bad_key.refused(400, "VALIDATION_ERROR").fields(), ["Idempotency-Key"]);
    })
    .await;
}
