//! Every operation of the OpenAPI document: without a key, with the wrong space's key, with another tenant's
//! key.

use reqwest::Method;
use serde_json::{Value, json};

use crate::escalations::raise;
use crate::test_app::{invoice_body, on_both};

/// The operations that require a key, with the ids in their paths filled in.
fn operations(document: &Value, ids: &[(&str, &str)]) -> Vec<(Method, String, bool)> {
    let mut found = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let Ok(method) = Method::from_bytes(method.to_uppercase().as_bytes()) else {
                continue;
            };
            if operation["security"].as_array().is_none_or(Vec::is_empty) {
                continue;
            }
            let path = path.trim_start_matches("/api/v1").to_owned();
            let id = ids.iter().find(|(prefix, _)| path.starts_with(prefix)).map_or("", |(_, id)| id);
            found.push((method, path.replace("{id}", id), path.starts_with("/partner")));
        }
    }
    found
}

#[tokio::test]
async fn every_operation_refuses_missing_and_foreign_keys() {
    on_both(async |server| {
        let document = server.anonymous().get("/api/v1/openapi.json").await.expect(200).body;
        let partner = server.partner();
        let (account, made) = server.account_of(&partner, json!({"external_id": "mine"})).await;
        let invoice = account.post("/invoices", &invoice_body()).await.expect(201);
        let contact = account.get("/contacts?email=ada@example.com").await.expect(200);
        let account_id = made["id"].as_str().unwrap();
        let escalation = raise(&server, account_id, &[]);
        let ids = [
            ("/invoices", invoice.text("id")),
            ("/contacts", contact.text("id")),
            ("/escalations", escalation["id"].as_str().unwrap()),
            ("/partner/accounts", account_id),
        ];
        let (other_partner, other_account) = (server.partner(), server.account().await);
        let operations = operations(&document, &ids);
        assert!(operations.len() >= 10, "{operations:?}");
        for (method, path, of_partner) in operations {
            let send = async |caller: &crate::test_app::Caller| {
                caller
                    .send(
                        method.clone(),
                        &path,
                        &[],
                        (method != Method::GET).then(|| br#"{"notes": "x", "phone": "1"}"#.to_vec()),
                    )
                    .await
            };
            send(&server.anonymous()).await.refused(401, "UNAUTHENTICATED");
            let (wrong_space, other_tenant) =
                if of_partner { (&account, &other_partner) } else { (&partner, &other_account) };
            send(wrong_space).await.refused(401, "INVALID_API_KEY");
            let answer = send(other_tenant).await;
            let shown = String::from_utf8_lossy(&answer.bytes).into_owned();
            assert!(
                ids.iter().all(|(_, id)| !shown.contains(id)),
                "{method} {path} shows another tenant's record: {shown}"
            );
            if ids.iter().any(|(_, id)| path.contains(id)) {
                answer.refused(404, "NOT_FOUND");
            }
        }
    })
    .await;
}
