//! Contacts: look-up and find-or-create.

use serde_json::{Value, json};

use crate::test_app::on_both;

#[tokio::test]
async fn created_contact_is_read_back_with_its_text_as_sent() {
    on_both(async |server| {
        let account = server.account().await;
        let sent = json!({"name": "  Zoë Ångström ", "email": "Zoe@Example.com", "phone": "+61 (2) 5550 1234", "external_id": "c-1"});
        let made = account.post("/contacts", &sent).await.expect(201);
        assert_eq!(made.text("name"), "Zoë Ångström");
        assert_eq!(made.text("email"), "Zoe@Example.com");
        assert_eq!(made.body["address"], Value::Null);
        let read = account.get(&format!("/contacts/{}", made.text("id"))).await.expect(200);
        assert_eq!(read.body, made.body);
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
    })
    .await;
}
