//! `/dashboard/contacts`.

use serde_json::json;

use super::Owner;
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
        let taken = send(edit("EVE@example.com", "Ada")).await.expect(422).html();
        assert!(taken.contains("<a href=\"#email\">") && taken.contains("value=\"1 Street\""), "{taken}");
        let nameless = send(edit("ada@example.com", "")).await.expect(422).html();
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

#[tokio::test]
async fn contact_is_added_or_the_one_that_matches_is_opened() {
    const NEW: &str = "/dashboard/contacts/new";
    on_both(async |server| {
        let owner = Owner::open(&server).await;
        assert!(owner.page("/dashboard/contacts").await.contains("/dashboard/contacts/new\">New contact"));
        let refused =
            owner.browser.submit(NEW, &[("email", "ada"), ("phone", "+61 2"), ("external_id", "C-7")]);
        let refused = refused.await.expect(422).html();
        assert!(refused.contains("<a href=\"#email\">") && refused.contains("value=\"C-7\""), "{refused}");
        let refused = owner.browser.submit(NEW, &[]).await.expect(422).html();
        for field in ["name", "email", "phone"] {
            assert!(refused.contains(&format!("<a href=\"#{field}\">")), "{field} in {refused}");
        }
        let nameless = [("email", "ada@example.com")];
        assert!(owner.browser.submit(NEW, &nameless).await.expect(422).html().contains("<a href=\"#name\">"));
        let ada = [("name", "Ada"), ("email", "ada@example.com"), ("phone", "+61 2"), ("external_id", "C-7")];
        let added = owner.browser.submit(NEW, &ada).await.expect(303);
        let page = owner.browser.get(added.header("location")).await.expect(200).html();
        assert!(page.contains("The contact was added.") && page.contains("<dd>C-7</dd>"), "{page}");
        for same in
            [[("name", "Eve"), ("email", "ADA@example.com")], [("name", "Eve"), ("external_id", "C-7")]]
        {
            let found = owner.browser.submit(NEW, &same).await.expect(303);
            let page = owner.browser.get(found.header("location")).await.expect(200).html();
            assert!(
                page.contains("You already have this contact") && page.contains("value=\"Ada\""),
                "{page}"
            );
        }
        let found = owner.account.get("/contacts?external_id=C-7").await.expect(200).body;
        assert_eq!((&found["name"], &found["phone"]), (&json!("Ada"), &json!("+61 2")));
        assert!(!owner.page("/dashboard/contacts").await.contains("Eve"));
    })
    .await;
}

#[tokio::test]
async fn consent_and_its_withdrawal_are_confirmed_each_in_its_own_words() {
    on_both(async |server| {
        let owner = Owner::open(&server).await;
        let invoice = owner.invoice(json!({})).await;
        let path = format!("/dashboard/contacts/{}", invoice["contact"]["id"].as_str().unwrap());
        for (action, said) in
            [("give", "The consent was recorded."), ("withdraw", "The withdrawal of consent was recorded.")]
        {
            let once = hidden(&owner.browser.get(&path).await.expect(200), "once");
            let fields = [("once", &*once), ("channel", "sms"), ("action", action), ("how", "by letter")];
            let done = owner.browser.post(&format!("{path}/consent"), &fields).await.expect(303);
            let page = owner.page(done.header("location")).await;
            assert!(page.contains(&format!("role=\"status\">{said}</p>")), "{page}");
        }
    })
    .await;
}

#[tokio::test]
async fn consent_of_an_erased_contact_is_refused_in_one_sentence() {
    on_both(async |server| {
        let owner = Owner::open(&server).await;
        let invoice = owner.invoice(json!({})).await;
        let contact = invoice["contact"]["id"].as_str().unwrap();
        server.command_json(&["contact", "erase", "--account", &owner.id, "--contact", contact]);
        let path = format!("/dashboard/contacts/{contact}");
        for action in ["give", "withdraw"] {
            let once = hidden(&owner.browser.get(&path).await.expect(200), "once");
            let fields = [("once", &*once), ("channel", "sms"), ("action", action), ("how", "by letter")];
            let refused = owner.browser.post(&format!("{path}/consent"), &fields).await.expect(409);
            let sentence = "The contact was erased, and nothing more is stored about it.";
            assert!(refused.html().contains(sentence), "{}", refused.html());
        }
    })
    .await;
}
