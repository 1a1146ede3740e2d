//! Creating, reading and listing accounts, and their keys: the contract's table of responses.

use reqwest::Method;
use serde_json::{Value, json};

use crate::test_app::{json_text, on_both};

#[tokio::test]
async fn creation_returns_the_status_of_the_contract() {
    on_both(async |server| {
        let partner = server.partner();
        let body =
            json!({"company_name": "Acme Pty Ltd", "email": "Owner@Acme.example.com", "external_id": "x-1"});
        let new = partner.post("/partner/accounts", &body).await.expect(201);
        assert_eq!((new.body["matched"].as_bool(), new.text("status")), (Some(false), "active"));
        assert!(new.text("api_key").starts_with("ct_live_") && new.text("api_key").len() == 40);
        assert!(new.body.get("secrets_note").is_none() && new.body.get("webhook_signing_secret").is_none());
        assert_eq!(new.body["api_key_info"]["prefix"], "ct_live_");
        assert!(new.text("api_key").ends_with(new.body["api_key_info"]["last_four"].as_str().unwrap()));

        let matched = partner.post("/partner/accounts", &body).await.expect(200);
        assert_eq!((matched.body["matched"].as_bool(), &matched.body["id"]), (Some(true), &new.body["id"]));
        assert!(matched.body.get("api_key").is_none() && !matched.text("secrets_note").is_empty());

        let taken = json!({"company_name": "Other", "email": "owner@acme.EXAMPLE.com"});
        partner.post("/partner/accounts", &taken).await.refused(409, "CONFLICT");
        let with_id =
            json!({"company_name": "Other", "email": "owner@acme.example.com", "external_id": "x-2"});
        partner.post("/partner/accounts", &with_id).await.refused(409, "CONFLICT");
        let second = json!({"company_name": "Acme Pty Ltd", "email": "second@acme.example.com"});
        let second = partner.post("/partner/accounts", &second).await.expect(201);
        assert_eq!(
            (new.text("payment_slug"), second.text("payment_slug")),
            ("acme-pty-ltd", "acme-pty-ltd-2")
        );
        // Another partner's external ids are its own; an e-mail address belongs to one account in the whole
        // service.
        let other = server.partner();
        other.post("/partner/accounts", &body).await.refused(409, "CONFLICT");
    })
    .await;
}

#[tokio::test]
async fn every_field_comes_back_and_the_mail_address_only_in_full_answers() {
    on_both(async |server| {
        let partner = server.partner();
        let body = json!({
            "company_name": "Müller & Söhne", "email": "m@example.com", "external_id": "M", "first_name": "Max", "last_name": "Müller", "phone": "+49 30 1",
            "abn": "51 824 753 556", "timezone": "australia/sydney", "address_line1": "1 Main St", "address_city": "Sydney", "address_state": "NSW",
            "address_postal_code": "2000", "address_country": "Australia", "invoice_prefix": "M-", "payment_slug": "Max Pay!", "brand_color": "#A1b2C3",
            "communications_enabled": false, "unknown": {"is": "ignored"},
        });
        let made = partner.post("/partner/accounts", &body).await.expect(201);
        for (name, value) in body.as_object().unwrap() {
            let expected = match name.as_str() {
                "unknown" => continue,
                "timezone" => json!("Australia/Sydney"),
                "payment_slug" => json!("max-pay"),
                _ => value.clone(),
            };
            assert_eq!(made.body[name], expected, "{name}");
        }
        assert_eq!((&made.body["webhook_url"], &made.body["logo_url"]), (&Value::Null, &Value::Null));
        let read = partner.get(&format!("/partner/accounts/{}", made.text("id"))).await.expect(200);
        assert_eq!(read.text("email"), "m@example.com");
        assert!(read.body.get("api_key").is_none() && read.body.get("matched").is_none());
        let found = partner.get("/partner/accounts?external_id=M").await.expect(200);
        assert_eq!((json_text(&found.body["total"]).as_str(), found.body.as_object().unwrap().len()), ("1", 2));
        assert_eq!((&found.body["data"][0]["id"], &found.body["data"][0]["email"]), (&made.body["id"], &Value::Null));
        partner.get("/partner/accounts?external_id=m").await.refused(404, "NOT_FOUND");
    })
    .await;
}

#[tokio::test]
async fn every_faulty_field_is_reported_together() {
    on_both(async |server| {
        let partner = server.partner();
        let body = json!({
            "company_name": "", "email": "nobody", "brand_color": "#fff", "communications_enabled": "true", "timezone": "Mars", "phone": 7,
            "webhook_url": "http://example.com/hook", "logo_url": "http://example.com/logo.png", "invoice_prefix": "x".repeat(21),
            "external_id": "x".repeat(256), "payment_slug": [],
        });
        let answer = partner.post("/partner/accounts", &body).await.refused(400, "VALIDATION_ERROR");
        let expected = [
            "brand_color", "communications_enabled", "company_name", "email", "external_id", "invoice_prefix", "logo_url", "payment_slug", "phone",
            "timezone", "webhook_url",
        ];
        assert_eq!(answer.fields(), expected);
        assert_eq!(partner.get("/partner/accounts").await.expect(200).body["total"], 0);
    })
    .await;
}

#[tokio::test]
async fn the_list_is_paged_by_offset_newest_first() {
    on_both(async |server| {
        let partner = server.partner();
        let mut made = Vec::new();
        for _ in 0..5 {
            made.push(server.account_of(&partner, json!({})).await.1["id"].clone());
        }
        made.reverse();
        server.account().await;
        let mut seen = Vec::new();
        for offset in [0, 2, 4, 6] {
            let page =
                partner.get(&format!("/partner/accounts?limit=2&offset={offset}")).await.expect(200).body;
            assert_eq!(
                (&page["total"], &page["limit"], &page["offset"]),
                (&json!(5), &json!(2), &json!(offset))
            );
            seen.extend(page["data"].as_array().unwrap().iter().map(|account| account["id"].clone()));
        }
        assert_eq!(seen, made);
        assert_eq!(partner.get("/partner/accounts?limit=1000").await.expect(200).body["limit"], 100);
        assert_eq!(partner.get("/partner/accounts").await.expect(200).body["limit"], 25);
        let faulty =
            partner.get("/partner/accounts?limit=0&offset=-1").await.refused(400, "VALIDATION_ERROR");
        assert_eq!(faulty.fields(), ["limit", "offset"]);
        let behind = partner.get("/partner/accounts?offset=99999999999999999999").await.expect(200).body;
        assert_eq!(behind["data"], json!([]));
    })
    .await;
}

#[tokio::test]
async fn accounts_of_another_partner_are_not_found() {
    on_both(async |server| {
        let (one, other) = (server.partner(), server.partner());
        let (account, made) = server.account_of(&one, json!({"external_id": "mine"})).await;
        let id = made["id"].as_str().unwrap();
        other.get(&format!("/partner/accounts/{id}")).await.refused(404, "NOT_FOUND");
        other.get("/partner/accounts?external_id=mine").await.refused(404, "NOT_FOUND");
        other
            .send(Method::POST, &format!("/partner/accounts/{id}/api-key"), &[], None)
            .await
            .refused(404, "NOT_FOUND");
        account.get("/invoices").await.expect(200);
        assert_eq!(other.get("/partner/accounts").await.expect(200).body["total"], 0);
    })
    .await;
}
