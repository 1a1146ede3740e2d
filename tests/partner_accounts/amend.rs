//! PATCH: only the fields that were sent change, all of them or none.

use futures_util::future::join_all;
use serde_json::{Value, json};

use super::path;
use crate::test_app::on_both;

#[tokio::test]
async fn only_sent_fields_change_and_null_clears() {
    on_both(async |server| {
        let partner = server.partner();
        let fields = json!({"external_id": "c-1", "phone": "1", "first_name": "Ada", "invoice_prefix": "A-"});
        let (account, made) = server.account_of(&partner, fields).await;
        let path = path(&made);
        let change = json!({
            "company_name": "Changed", "phone": null, "first_name": "", "timezone": "europe/london", "address_city": "London", "brand_color": "#0a0B0c",
            "invoice_prefix": "B-", "external_id": "c-2", "last_name": "Lovelace", "abn": "51", "unknown": 1,
        });
        let changed = partner.patch(&path, &change).await.expect(200);
        let mut wanted = made.clone();
        let fields = wanted.as_object_mut().unwrap();
        fields.retain(|name, _| name != "api_key" && name != "matched");
        for (name, value) in change.as_object().unwrap() {
            if name != "unknown" {
                fields[name] = value.clone();
            }
        }
        fields["first_name"] = Value::Null;
        fields["timezone"] = json!("Europe/London");
        fields["updated_at"] = changed.body["updated_at"].clone();
        assert_eq!(changed.body, wanted);
        assert_ne!(changed.body["updated_at"], made["updated_at"]);
        assert_eq!(partner.get(&path).await.expect(200).body, wanted);
        // The changes apply to the account from its next request on.
        let invoice = account.post("/invoices", &crate::test_app::invoice_body()).await.expect(201);
        assert_eq!(invoice.text("invoice_number"), "B-0001");
        // A request that changes nothing also leaves the time of the last change.
        let same = partner.patch(&path, &json!({"company_name": "Changed", "phone": null})).await.expect(200);
        assert_eq!(same.body, wanted);
    })
    .await;
}

#[tokio::test]
async fn an_empty_or_unrecognised_only_body_is_a_validation_error() {
    on_both(async |server| {
        let partner = server.partner();
        let (_, made) = server.account_of(&partner, json!({})).await;
        let path = path(&made);
        for body in
            [json!({}), json!({"colour": "red"}), json!({"id": "x", "created_at": null, "currency": "NZD"})]
        {
            let refused = partner.patch(&path, &body).await.refused(400, "VALIDATION_ERROR");
            assert!(refused.fields().is_empty());
        }
        assert_eq!(partner.get(&path).await.expect(200).body["updated_at"], made["updated_at"]);
    })
    .await;
}

#[tokio::test]
async fn every_faulty_field_is_named_and_nothing_changes() {
    on_both(async |server| {
        let partner = server.partner();
        let (_, made) = server.account_of(&partner, json!({})).await;
        let path = path(&made);
        let body = json!({
            "email": "new@example.com", "company_name": null, "timezone": null, "communications_enabled": "true", "status": "paused", "payment_slug": "",
            "brand_color": "#fff", "webhook_url": "ftp://example.com", "logo_url": "http://example.com/x.png", "invoice_prefix": "x".repeat(21), "phone": 7,
            "abn": "51",
        });
        let refused = partner.patch(&path, &body).await.refused(400, "VALIDATION_ERROR");
        let wanted = [
            "brand_color", "communications_enabled", "company_name", "email", "invoice_prefix", "logo_url", "payment_slug", "phone", "status", "timezone",
            "webhook_url",
        ];
        assert_eq!(refused.fields(), wanted);
        let own = json!({"email": made["email"]});
        assert_eq!(partner.patch(&path, &own).await.refused(400, "VALIDATION_ERROR").fields(), ["email"]);
        let read = partner.get(&path).await.expect(200).body;
        assert_eq!((&read["abn"], &read["updated_at"]), (&Value::Null, &made["updated_at"]));
    })
    .await;
}

#[tokio::test]
async fn an_external_id_of_another_account_is_a_conflict() {
    on_both(async |server| {
        let (partner, other) = (server.partner(), server.partner());
        server.account_of(&partner, json!({"external_id": "taken"})).await;
        server.account_of(&other, json!({"external_id": "elsewhere"})).await;
        let (_, made) = server.account_of(&partner, json!({"external_id": "mine"})).await;
        let path = path(&made);
        let taken = json!({"external_id": "taken", "phone": "9"});
        partner.patch(&path, &taken).await.refused(409, "CONFLICT");
        assert_eq!(partner.get(&path).await.expect(200).body["phone"], Value::Null);
        for free in ["mine", "elsewhere", "Taken"] {
            let changed = partner.patch(&path, &json!({"external_id": free})).await.expect(200);
            assert_eq!(changed.text("external_id"), free);
        }
        partner.get("/partner/accounts?external_id=mine").await.refused(404, "NOT_FOUND");
        // If several accounts request the same external id at the same time, one gets it.
        let mut accounts = Vec::new();
        for _ in 0..5 {
            accounts.push(super::path(&server.account_of(&partner, json!({})).await.1));
        }
        let wanted = json!({"external_id": "wanted"});
        let all = join_all(accounts.iter().map(|path| partner.patch(path, &wanted))).await;
        assert_eq!(all.iter().filter(|one| one.status == 200).count(), 1);
        assert_eq!(all.iter().filter(|one| one.code() == "CONFLICT").count(), 4);
    })
    .await;
}

#[tokio::test]
async fn a_payment_slug_is_normalised_and_suffixed_if_another_account_has_it() {
    on_both(async |server| {
        let partner = server.partner();
        let (_, first) = server.account_of(&partner, json!({"payment_slug": "pay"})).await;
        let (_, second) = server.account_of(&partner, json!({"payment_slug": "other"})).await;
        let changed = partner.patch(&path(&second), &json!({"payment_slug": " PAY! "})).await.expect(200);
        assert_eq!(changed.text("payment_slug"), "pay-2");
        let again = partner.patch(&path(&second), &json!({"payment_slug": "pay"})).await.expect(200);
        assert_eq!(again.text("payment_slug"), "pay-2", "its own name is not taken");
        let own = partner.patch(&path(&first), &json!({"payment_slug": "Pay"})).await.expect(200);
        assert_eq!(own.text("payment_slug"), "pay");
    })
    .await;
}

#[tokio::test]
async fn a_payment_slug_sent_back_is_kept_even_if_a_shorter_one_is_free_again() {
    on_both(async |server| {
        let partner = server.partner();
        let slug = "s".repeat(60);
        let (_, first) = server.account_of(&partner, json!({"payment_slug": slug})).await;
        let (_, second) = server.account_of(&partner, json!({"payment_slug": slug})).await;
        let own = format!("{slug}-2");
        assert_eq!((&first["payment_slug"], &second["payment_slug"]), (&json!(slug), &json!(own)));
        partner.patch(&path(&first), &json!({"payment_slug": "renamed"})).await.expect(200);
        let change = json!({"payment_slug": own, "phone": "9"});
        let changed = partner.patch(&path(&second), &change).await.expect(200);
        assert_eq!((changed.text("payment_slug"), changed.text("phone")), (&*own, "9"));
    })
    .await;
}

#[tokio::test]
async fn an_account_of_another_partner_is_not_found() {
    on_both(async |server| {
        let (partner, other) = (server.partner(), server.partner());
        let (_, made) = server.account_of(&partner, json!({})).await;
        let body = json!({"company_name": "Stolen", "webhook_url": "https://1.1.1.1/"});
        other.patch(&path(&made), &body).await.refused(404, "NOT_FOUND");
        other.delete(&path(&made)).await.refused(404, "NOT_FOUND");
        let nobody = "/partner/accounts/019aa1b2-0000-7000-8000-0123456789ab";
        partner.patch(nobody, &body).await.refused(404, "NOT_FOUND");
        let bad = partner.patch("/partner/accounts/x", &body).await.refused(400, "VALIDATION_ERROR");
        assert_eq!(bad.fields(), ["id"]);
        let read = partner.get(&path(&made)).await.expect(200).body;
        assert_eq!((&read["company_name"], &read["status"]), (&made["company_name"], &json!("active")));
    })
    .await;
}
