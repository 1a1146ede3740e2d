//! Contacts: look-up and find-or-create.

use serde_json::{Value, json};

use crate::test_app::on_both;

#[tokio::test]
async fn every_field_is_shown_and_text_is_kept_as_sent() {
    on_both(async |server| {
        let account = server.account().await;
        let sent = json!({"name": "  Zoë Ångström ", "email": "Zoe@Example.com", "phone": "+61 (2) 5550 1234", "external_id": "c-1"});
        let made = account.post("/contacts", &sent).await.expect(201);
        assert_eq!(made.text("name"), "Zoë Ångström");
        assert_eq!(made.text("email"), "Zoe@Example.com");
        assert_eq!(made.body["address"], Value::Null);
        let names: Vec<_> = made.body.as_object().unwrap().keys().map(String::as_str).collect();
        let mut expected = ["id", "name", "email", "phone", "external_id", "address", "created_at", "updated_at"];
        expected.sort_unstable();
        assert_eq!({ let mut names = names; names.sort_unstable(); names }, expected);
        let read = account.get(&format!("/contacts/{}", made.text("id"))).await.expect(200);
        assert_eq!(read.body, made.body);
    })
    .await;
}

#[tokio::test]
async fn contact_resolution_follows_the_contract() {
    on_both(async |server| {
        let account = server.account().await;
        let ada = account
            .post("/contacts", &json!({"name": "Ada", "email": "ada@example.com", "external_id": "A"}))
            .await
            .expect(201);
        let grace = account
            .post("/contacts", &json!({"name": "Grace", "phone": "1", "external_id": "G"}))
            .await
            .expect(201);
        for (reference, found) in [
            (json!({"id": grace.text("id"), "external_id": "A", "email": "ada@example.com"}), &grace),
            (json!({"external_id": "G", "email": "ADA@example.com"}), &grace),
            (json!({"external_id": "new", "email": "ADA@EXAMPLE.com", "name": "Other"}), &ada),
        ] {
            let reused = account.post("/contacts", &reference).await.expect(200);
            assert_eq!(reused.body, found.body, "{reference}");
        }
        let unknown =
            json!({"id": "019aa1b2-0000-7000-8000-0123456789ab", "name": "X", "email": "x@example.com"});
        account.post("/contacts", &unknown).await.refused(404, "NOT_FOUND");
        // The look-up by external id is exact.
        account.post("/contacts", &json!({"external_id": "g", "name": "g", "phone": "2"})).await.expect(201);
    })
    .await;
}

#[tokio::test]
async fn every_faulty_field_is_reported_together() {
    on_both(async |server| {
        let account = server.account().await;
        let answer = account
            .post(
                "/contacts",
                &json!({"id": 7, "email": "nobody", "name": "a\u{0}b", "phone": "1".repeat(51)}),
            )
            .await;
        assert_eq!(answer.refused(400, "VALIDATION_ERROR").fields(), ["email", "id", "name", "phone"]);
        let answer = account.post("/contacts", &json!({"name": 5})).await;
        assert_eq!(answer.refused(400, "VALIDATION_ERROR").fields(), ["email", "name", "phone"]);
        let answer = account.post("/contacts", &json!({"name": "Nobody"})).await;
        assert_eq!(answer.refused(400, "VALIDATION_ERROR").fields(), ["email", "phone"]);
        let answer = account.post("/contacts", &json!({"email": " ", "name": null})).await;
        assert_eq!(answer.refused(400, "VALIDATION_ERROR").fields(), ["email", "name", "phone"]);
    })
    .await;
}

#[tokio::test]
async fn look_up_by_email_and_external_id() {
    on_both(async |server| {
        let account = server.account().await;
        let ada = account
            .post("/contacts", &json!({"name": "Ada", "email": "ada+x@example.com", "external_id": "A&1"}))
            .await
            .expect(201);
        for query in
            ["email=ADA%2Bx@example.com", "external_id=A%261", "email=ada%2bx@example.com&external_id=A%261"]
        {
            assert_eq!(
                account.get(&format!("/contacts?{query}")).await.expect(200).body,
                ada.body,
                "{query}"
            );
        }
        for query in ["external_id=a%261", "email=ada%2Bx@example.com&external_id=B"] {
            account.get(&format!("/contacts?{query}")).await.refused(404, "NOT_FOUND");
        }
        assert_eq!(
            account.get("/contacts").await.refused(400, "VALIDATION_ERROR").fields(),
            ["email", "external_id"]
        );
        assert_eq!(
            account.get("/contacts?email=x").await.refused(400, "VALIDATION_ERROR").fields(),
            ["email"]
        );
        assert_eq!(account.get("/contacts/x").await.refused(400, "VALIDATION_ERROR").fields(), ["id"]);
        let stranger = server.account().await;
        stranger.get(&format!("/contacts/{}", ada.text("id"))).await.refused(404, "NOT_FOUND");
        stranger.get("/contacts?external_id=A%261").await.refused(404, "NOT_FOUND");
    })
    .await;
}
