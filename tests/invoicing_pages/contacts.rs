//! `/dashboard/contacts`.

use serde_json::json;

use super::{Owner, html};
use crate::test_app::{hidden, on_both};

#[tokio::test]
async fn contacts_are_searched_and_shown_with_their_invoices() {
    on_both(async |server| {
        let owner = Owner::open(&server).await;
        let empty = owner.page("/dashboard/contacts").await;
        assert!(empty.contains("The people and companies you invoice"), "{empty}");
        let invoice = owner.invoice(json!({"invoice_number": "C-1"})).await;
        owner
            .account
            .post("/contacts", &json!({"name": "Grace <b>", "email": "grace@example.com"}))
            .await
            .expect(201);
        let page = owner.page("/dashboard/contacts").await;
        assert!(page.contains("Ada Lovelace") && page.contains("Grace &#60;b&#62;"), "{page}");
        let page = owner.page("/dashboard/contacts?q=LOVE").await;
        assert!(page.contains("Ada Lovelace") && !page.contains("Grace"), "{page}");
        let contact = format!("/dashboard/contacts/{}", invoice["contact"]["id"].as_str().unwrap());
        let page = owner.page(&contact).await;
        assert!(page.contains("C-1") && page.contains("value=\"ada@example.com\""), "{page}");
        owner.browser.get("/dashboard/contacts?cursor=x").await.expect(422);
    })
    .await;
}

#[tokio::test]
async fn contact_is_edited_unless_its_address_is_taken_or_its_form_is_stale() {
    on_both(async |server| {
        let owner = Owner::open(&server).await;
        let make = async |name: &str, email: &str| {
            let made =
                owner.account.post("/contacts", &json!({"name": name, "email": email})).await.expect(201);
            made.text("id").to_owned()
        };
        let ada = make("Ada", "ada@example.com").await;
        make("Eve", "eve@example.com").await;
        let path = format!("/dashboard/contacts/{ada}");
        let version = hidden(&owner.browser.get(&path).await.expect(200), "version");
        let edit = |email: &'static str, name: &'static str| {
            vec![
                ("version", version.clone()),
                ("name", name.to_owned()),
                ("email", email.to_owned()),
                ("phone", "+61 2".to_owned()),
                ("address.line1", "1 Street".to_owned()),
                ("address.country", "Australia".to_owned()),
            ]
        };
        let send = async |fields: Vec<(&str, String)>| {
            let fields: Vec<(&str, &str)> = fields.iter().map(|(name, text)| (*name, &**text)).collect();
            owner.browser.submit(&path, &fields).await
        };
        let taken = html(&send(edit("EVE@example.com", "Ada")).await.expect(422));
        assert!(taken.contains("<a href=\"#email\">") && taken.contains("value=\"1 Street\""), "{taken}");
        let nameless = html(&send(edit("ada@example.com", "")).await.expect(422));
        assert!(nameless.contains("<a href=\"#name\">"), "{nameless}");
        send(edit("ada@new.example.com", "Ada Lovelace")).await.expect(303);
        let read = owner.account.get(&format!("/contacts/{ada}")).await.expect(200).body;
        assert_ne!(read["updated_at"], read["created_at"]);
        assert_eq!((&read["name"], &read["email"]), (&json!("Ada Lovelace"), &json!("ada@new.example.com")));
        assert_eq!((&read["address"]["line1"], &read["address"]["city"]), (&json!("1 Street"), &json!(null)));
        send(edit("late@example.com", "Late")).await.expect(409);
        let read = owner.account.get(&format!("/contacts/{ada}")).await.expect(200).body;
        assert_eq!(read["name"], json!("Ada Lovelace"));
    })
    .await;
}
