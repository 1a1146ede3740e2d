//! Amending accounts, and switching them off and on.

use serde_json::Value;

use crate::testing::House;

const ACCOUNTS: &str = "/api/v1/partner/accounts";
const HOOK: &str = "https://hooks.example.com/x";

/// The account's path, and the account as it was created.
async fn account(house: &House, fields: &str) -> (String, Value) {
    let n = house.kept().accounts.len();
    let body = format!(
        r#"{{"company_name": "Acme", "email": "owner{n}@acme.example.com", "phone": "1" {fields}}}"#
    );
    let made = house.post(ACCOUNTS, &body).await;
    assert_eq!(made.status, 201, "{}", made.body);
    let made = made.json();
    (format!("{ACCOUNTS}/{}", made["id"].as_str().unwrap()), made)
}

#[actix_web::test]
async fn only_the_fields_that_are_sent_change() {
    let house = House::new();
    let (path, made) = account(&house, "").await;
    house.clock.advance(time::Duration::hours(1));
    let body = r#"{"company_name": "Acme Two", "phone": null, "unknown": 1}"#;
    let changed = house.patch(&path, body).await;
    assert_eq!(changed.status, 200, "{}", changed.body);
    let changed = changed.json();
    assert_ne!(changed["updated_at"], made["updated_at"]);
    let mut wanted = made.clone();
    let fields = wanted.as_object_mut().unwrap();
    fields.retain(|name, _| !["api_key", "matched"].contains(&name.as_str()));
    fields["company_name"] = "Acme Two".into();
    fields["phone"] = Value::Null;
    fields["updated_at"] = changed["updated_at"].clone();
    assert_eq!(changed, wanted);
    house.clock.advance(time::Duration::hours(1));
    let same = house.patch(&path, r#"{"company_name": "Acme Two"}"#).await;
    assert_eq!((same.status, same.json()), (200, changed));
}

#[actix_web::test]
async fn nothing_to_change_is_refused_and_so_is_every_faulty_field_at_once() {
    let house = House::new();
    let (path, _) = account(&house, "").await;
    for empty in [
        "{}",
        r#"{"colour": "red", "id": "x", "api_key_info": null}"#,
    ] {
        let refused = house.patch(&path, empty).await;
        assert_eq!(
            refused.outcome(),
            (400, "VALIDATION_ERROR".into()),
            "{empty}"
        );
        assert!(refused.faulty().is_empty());
    }
    let body = r#"{"email": "new@example.com", "company_name": "", "communications_enabled": null, "timezone": null,
        "payment_slug": " ", "status": "paused", "brand_color": "red", "webhook_url": "http://x.example.com", "logo_url": "x"}"#;
    let mut faulty = house.patch(&path, body).await.faulty();
    faulty.sort_unstable();
    let wanted = [
        "brand_color",
        "communications_enabled",
        "company_name",
        "email",
        "logo_url",
        "payment_slug",
        "status",
        "timezone",
        "webhook_url",
    ];
    assert_eq!(faulty, wanted);
    let nobody = format!("{ACCOUNTS}/01a1f6b6-ee63-7000-8000-00000000ffff");
    let unknown = house.patch(&nobody, r#"{"phone": "1"}"#).await;
    assert_eq!(unknown.outcome(), (404, "NOT_FOUND".into()));
    let unknown = house
        .patch(&nobody, &format!(r#"{{"webhook_url": "{HOOK}"}}"#))
        .await;
    assert_eq!(unknown.outcome(), (404, "NOT_FOUND".into()));
    assert_eq!(house.delete(&nobody).await.status, 404);
    assert_eq!(
        house.patch(&format!("{ACCOUNTS}/x"), "{}").await.faulty(),
        ["id"]
    );
}

#[actix_web::test]
async fn an_external_id_of_another_account_is_a_conflict_and_a_slug_gets_a_suffix() {
    let house = House::new();
    let (_, first) = account(&house, r#", "external_id": "c-1""#).await;
    let (path, second) = account(&house, r#", "external_id": "c-2""#).await;
    assert_eq!(
        (&first["payment_slug"], &second["payment_slug"]),
        (&"acme".into(), &"acme-2".into())
    );
    let taken = house
        .patch(&path, r#"{"external_id": "c-1", "phone": "2"}"#)
        .await;
    assert_eq!(taken.outcome(), (409, "CONFLICT".into()));
    let own = house
        .patch(&path, r#"{"external_id": "c-2", "payment_slug": "ACME!"}"#)
        .await;
    assert_eq!(
        own.json()["payment_slug"],
        "acme-2",
        "its own name is free to it"
    );
    assert_eq!(own.json()["updated_at"], second["updated_at"]);
    let other = house.patch(&path, r#"{"payment_slug": "Pay here"}"#).await;
    assert_eq!(other.json()["payment_slug"], "pay-here");
    let cleared = house.patch(&path, r#"{"external_id": null}"#).await;
    assert_eq!(cleared.json()["external_id"], Value::Null);
}

#[actix_web::test]
async fn an_account_is_switched_off_and_on_by_its_partner_unless_the_operator_has() {
    let house = House::new();
    let (path, _) = account(&house, "").await;
    for _ in 0..2 {
        let off = house.delete(&path).await;
        assert_eq!(
            (off.status, &off.json()["status"]),
            (200, &"inactive".into())
        );
    }
    let on = house.patch(&path, r#"{"status": "active"}"#).await;
    assert_eq!(on.json()["status"], "active");
    let off = house.patch(&path, r#"{"status": "inactive"}"#).await;
    assert_eq!(off.json()["status"], "inactive");
    house.kept().accounts[0].switches.disabled_by_operator = true;
    let refused = house
        .patch(&path, r#"{"status": "active", "phone": "9"}"#)
        .await;
    assert_eq!(refused.outcome(), (409, "CONFLICT".into()));
    assert!(refused.body.contains("operator"));
    assert_eq!(house.get(&path).await.json()["phone"], "1");
}

#[actix_web::test]
async fn a_webhook_is_made_pointed_elsewhere_disabled_and_enabled_with_one_secret() {
    let house = House::new();
    let (path, made) = account(&house, "").await;
    assert_eq!(made["webhook_url"], Value::Null);
    let made = house
        .patch(&path, &format!(r#"{{"webhook_url": "{HOOK}"}}"#))
        .await
        .json();
    assert_eq!(made["webhook_signing_secret"].as_str().unwrap().len(), 43);
    assert_eq!(made["webhook_url"], HOOK);
    let sealed = house.kept().endpoints[0].1.clone();
    for (body, url, enabled) in [
        (
            r#"{"webhook_url": "https://other.example.com/"}"#,
            Some("https://other.example.com/"),
            true,
        ),
        (r#"{"webhook_url": null}"#, None, false),
        (r#"{"webhook_url": ""}"#, None, false),
        (
            r#"{"webhook_url": "https://third.example.com/"}"#,
            Some("https://third.example.com/"),
            true,
        ),
    ] {
        let changed = house.patch(&path, body).await.json();
        assert_eq!(changed["webhook_url"].as_str(), url, "{body}");
        assert!(changed.get("webhook_signing_secret").is_none());
        let kept = house.kept().endpoints.clone();
        assert_eq!((kept.len(), kept[0].0.enabled), (1, enabled));
        assert!(kept[0].1 == sealed, "the secret stays");
    }
    let private = r#"{"webhook_url": "https://private.example.com/", "phone": "9"}"#;
    assert_eq!(house.patch(&path, private).await.faulty(), ["webhook_url"]);
    assert_eq!(house.get(&path).await.json()["phone"], "1");
}

#[actix_web::test]
async fn a_sixth_enabled_endpoint_is_a_conflict_that_says_what_to_do() {
    let house = House::new();
    let (path, _) = account(&house, &format!(r#", "webhook_url": "{HOOK}""#)).await;
    house.patch(&path, r#"{"webhook_url": null}"#).await;
    {
        let mut kept = house.kept();
        let (mut other, sealed) = kept.endpoints[0].clone();
        (other.enabled, other.provisioned) = (true, false);
        for n in 0..5 {
            other.id = kernel::Id::from_uuid(uuid::Uuid::from_u128(n));
            kept.endpoints.push((other.clone(), sealed.clone()));
        }
    }
    let full = house
        .patch(
            &path,
            &format!(r#"{{"webhook_url": "{HOOK}", "phone": "9"}}"#),
        )
        .await;
    assert_eq!(full.outcome(), (409, "CONFLICT".into()));
    assert!(
        full.body.contains("disable or delete one of them first"),
        "{}",
        full.body
    );
    assert_eq!(house.get(&path).await.json()["phone"], "1");
}
