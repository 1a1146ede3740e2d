//! Creating accounts, and their keys.

use crate::testing::House;

const ACCOUNTS: &str = "/api/v1/partner/accounts";
const ACME: &str = r##"{"company_name": "Acme Pty Ltd", "email": "owner@acme.example.com", "external_id": "c-1",
    "timezone": "australia/sydney", "brand_color": "#1a2b3c", "communications_enabled": false, "phone": ""}"##;

#[actix_web::test]
async fn a_new_account_comes_with_its_key_and_is_matched_afterwards() {
    let house = House::new();
    let created = house.post(ACCOUNTS, ACME).await;
    assert_eq!(created.status, 201, "{}", created.body);
    let account = created.json();
    let key = account["api_key"].as_str().unwrap();
    assert!(
        key.starts_with("ct_live_")
            && key.ends_with(account["api_key_info"]["last_four"].as_str().unwrap())
    );
    insta::assert_snapshot!(created.body.replace(key, "ct_live_(shown once)"));
    let id = account["id"].as_str().unwrap();
    assert_eq!(
        created.header("location"),
        format!("https://books.example.com/api/v1/partner/accounts/{id}")
    );
    let matched = house.post(ACCOUNTS, ACME).await;
    assert_eq!(matched.status, 200);
    let body = matched.json();
    assert_eq!(
        (&body["matched"], &body["id"]),
        (&true.into(), &account["id"])
    );
    assert!(body["secrets_note"].is_string());
    assert!(body.get("api_key").is_none() && body.get("webhook_signing_secret").is_none());
    let read = house.get(&format!("{ACCOUNTS}/{id}")).await.json();
    assert_eq!(read["email"], "owner@acme.example.com");
    assert!(read.get("matched").is_none());
}

#[actix_web::test]
async fn every_faulty_field_is_named_at_once() {
    let house = House::new();
    let body = r#"{"email": "x", "timezone": "Mars/Olympus", "brand_color": "red", "webhook_url": "http://a.example.com",
        "logo_url": 7, "communications_enabled": "true", "external_id": {}, "payment_slug": null}"#;
    let mut faulty = house.post(ACCOUNTS, body).await.faulty();
    faulty.sort_unstable();
    assert_eq!(
        faulty,
        [
            "brand_color",
            "communications_enabled",
            "company_name",
            "email",
            "external_id",
            "logo_url",
            "timezone",
            "webhook_url"
        ]
    );
}

#[actix_web::test]
async fn a_taken_address_is_a_conflict_and_a_key_header_is_ignored() {
    let house = House::new();
    let body = r#"{"company_name": "Acme", "email": "owner@acme.example.com"}"#;
    assert_eq!(house.post_under("k", ACCOUNTS, body).await.status, 201);
    let taken = house.post_under("k", ACCOUNTS, body).await;
    assert_eq!(taken.outcome(), (409, "CONFLICT".into()));
    assert_eq!(house.post_under("é", ACCOUNTS, "{").await.status, 400);
    assert!(house.kept().answers.is_empty());
}

#[actix_web::test]
async fn rotating_shows_a_fresh_key_once() {
    let house = House::new();
    let created = house.post(ACCOUNTS, ACME).await.json();
    let path = format!("{ACCOUNTS}/{}/api-key", created["id"].as_str().unwrap());
    let rotated = house.post(&path, "").await;
    assert_eq!(rotated.status, 200);
    let fields: Vec<_> = rotated
        .json()
        .as_object()
        .unwrap()
        .keys()
        .cloned()
        .collect();
    assert_eq!(fields, ["account_id", "api_key"]);
    assert_eq!(rotated.json()["account_id"], created["id"]);
    assert_ne!(rotated.json()["api_key"], created["api_key"]);
    let unknown = format!("{ACCOUNTS}/01a1f6b6-ee63-7000-8000-00000000ffff/api-key");
    assert_eq!(
        house.post(&unknown, "").await.outcome(),
        (404, "NOT_FOUND".into())
    );
    let bad = house.post(&format!("{ACCOUNTS}/x/api-key"), "").await;
    assert_eq!(bad.faulty(), ["id"]);
}

#[actix_web::test]
async fn an_account_with_a_webhook_shows_its_signing_secret_once() {
    let house = House::new();
    let body = r#"{"company_name": "Acme", "email": "owner@acme.example.com", "external_id": "c-1",
        "webhook_url": " https://hooks.example.com/x "}"#;
    let made = house.post(ACCOUNTS, body).await;
    assert_eq!(made.status, 201, "{}", made.body);
    let made = made.json();
    assert_eq!(made["webhook_url"], "https://hooks.example.com/x");
    assert_eq!(made["webhook_signing_secret"].as_str().unwrap().len(), 43);
    let kept = house.kept().clone();
    let (endpoint, _) = &kept.endpoints[0];
    assert!(endpoint.provisioned && endpoint.enabled);
    assert_eq!(endpoint.events, webhooks::Subscriptions::ALL);
    let matched = house.post(ACCOUNTS, body).await.json();
    assert!(matched.get("webhook_signing_secret").is_none());
    assert_eq!(matched["webhook_url"], made["webhook_url"]);
}

#[actix_web::test]
async fn a_target_that_is_not_public_is_refused_only_where_an_account_would_be_created() {
    let house = House::new();
    let body = |email: &str, id: &str| {
        format!(
            r#"{{"company_name": "Acme", "email": "{email}", "external_id": "{id}",
                "webhook_url": "https://private.example.com"}}"#
        )
    };
    let refused = house
        .post(ACCOUNTS, &body("owner@acme.example.com", "c-1"))
        .await;
    assert_eq!(refused.faulty(), ["webhook_url"]);
    assert!(house.kept().accounts.is_empty() && house.kept().mails.is_empty());
    house.post(ACCOUNTS, ACME).await;
    let matched = house
        .post(ACCOUNTS, &body("owner@acme.example.com", "c-1"))
        .await;
    assert_eq!(matched.status, 200);
    let taken = house
        .post(ACCOUNTS, &body("owner@acme.example.com", "c-2"))
        .await;
    assert_eq!(taken.outcome(), (409, "CONFLICT".into()));
}

#[actix_web::test]
async fn the_owner_is_invited_by_a_mail_whose_link_is_sealed() {
    let house = House::new();
    house.post(ACCOUNTS, ACME).await;
    assert!(house.kept().mails.is_empty(), "communications are off");
    let body = r#"{"company_name": "Acme", "email": "ada@acme.example.com"}"#;
    assert_eq!(house.post(ACCOUNTS, body).await.status, 201);
    let kept = house.kept().clone();
    let (mail, invitation) = (&kept.mails[0], &kept.invitations[0]);
    assert_eq!(mail.message.to.as_str(), "ada@acme.example.com");
    assert_eq!(
        (mail.account, invitation.account),
        (kept.accounts[1].id, kept.accounts[1].id)
    );
    assert!(
        mail.message
            .text
            .contains("https://books.example.com/invitations/{secret}")
    );
    assert!(mail.message.secret.is_some());
}
