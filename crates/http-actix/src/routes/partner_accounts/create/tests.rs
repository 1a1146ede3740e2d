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
    let body = r#"{"email": "x", "timezone": "Mars/Olympus", "brand_color": "red", "webhook_url": "https://a.example.com",
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
