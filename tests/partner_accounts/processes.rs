//! Several processes on one database: a change in one takes effect in the others at the next request.

use reqwest::Method;
use serde_json::json;

use super::path;
use crate::test_app::{Database, TestApp};

#[tokio::test]
async fn rotation_and_deactivation_hold_in_other_processes() {
    let Some(database) = Database::postgres() else {
        return;
    };
    let one = TestApp::start(database, &[]).await;
    let other = one.second_process().await;
    let partner = one.partner();
    let (old, made) = one.account_of(&partner, json!({})).await;
    let there = old.at(&other.base);
    there.get("/invoices").await.expect(200);

    let rotate = format!("{}/api-key", path(&made));
    let rotated = partner.send(Method::POST, &rotate, &[], None).await;
    let rotated = rotated.expect(200);
    there.get("/invoices").await.refused(401, "INVALID_API_KEY");
    let new = other.with_key(rotated.text("api_key"));
    new.get("/invoices").await.expect(200);

    partner.delete(&path(&made)).await.expect(200);
    new.get("/invoices").await.refused(403, "ACCOUNT_DISABLED");
    let there = partner.at(&other.base);
    let on = json!({"status": "active"});
    there.patch(&path(&made), &on).await.expect(200);
    let here = new.at(&one.base);
    here.get("/invoices").await.expect(200);
}
