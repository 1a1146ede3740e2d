//! Forms that are sent after the record that their page showed was changed.

use serde_json::{Value, json};

use super::{Owner, id_in, path_of};
use crate::test_app::{TestResponse, hidden, json_text, on_both};

/// The fields of an edit form or a new invoice's form, as the page has them.
fn contact_of(page: &TestResponse) -> Vec<(&'static str, String)> {
    let names = ["contact.id", "contact.shown"].map(|name| (name, hidden(page, name)));
    let shown = names[1].1.clone();
    let mut parts = shown.split('\t').map(str::to_owned);
    let fields = ["contact.name", "contact.email", "contact.phone"];
    names.into_iter().chain(fields.map(|name| (name, parts.next().unwrap()))).collect()
}

fn with<'a>(fields: &'a [(&'static str, String)], more: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
    let mut sent = vec![
        ("currency", "AUD"),
        ("invoice_date", "2026-03-02"),
        ("due_date", "9998-01-31"),
        ("line_amount_types", "EXCLUSIVE"),
        ("line_items.0.description", "Consulting"),
        ("line_items.0.quantity", "2"),
        ("line_items.0.unit_amount", "50"),
        ("line_items.0.tax_rate", "10"),
    ];
    sent.extend(more);
    let named = |name: &str| more.iter().any(|(other, _)| *other == name);
    sent.extend(fields.iter().filter(|(name, _)| !named(name)).map(|(name, value)| (*name, value.as_str())));
    sent
}

/// Sends a form of a page with its hidden fields.
async fn press(owner: &Owner, shown: &TestResponse, path: &str, more: &[(&str, &str)]) -> TestResponse {
    let (once, version) = (hidden(shown, "once"), hidden(shown, "version"));
    owner.browser.post(path, &[&[("once", &*once), ("version", &*version)], more].concat()).await
}

/// A contact with this address, made through the API.
async fn contact(owner: &Owner, name: &str, email: &str) -> String {
    let made = owner.account.post("/contacts", &json!({"name": name, "email": email})).await.expect(201);
    made.text("id").to_owned()
}

/// Gives a contact another name and address, on its page.
async fn rename(owner: &Owner, id: &str, name: &str, email: &str) {
    let path = format!("/dashboard/contacts/{id}");
    let version = hidden(&owner.browser.get(&path).await.expect(200), "version");
    let fields = [("name", name), ("email", email), ("phone", ""), ("version", &version)];
    owner.browser.submit(&path, &fields).await.expect(303);
}

#[tokio::test]
async fn invoice_that_was_paid_in_part_since_the_question_is_not_cancelled() {
    on_both(async |server| {
        let owner = Owner::open(&server).await;
        let invoice = owner.invoice(json!({})).await;
        let (id, cancel) = (invoice["id"].as_str().unwrap(), format!("{}/cancel", path_of(&invoice)));
        let yes = [("confirm", "yes")];
        let question = owner.browser.post(&cancel, &[]).await.expect(200);
        server.record_payment(&owner.id, id, "60");
        let refused = press(&owner, &question, &cancel, &yes).await.expect(409).html();
        assert!(refused.contains("was changed in the meantime"), "{refused}");
        assert_eq!(owner.read(id).await["status"], json!("PARTIALLY_PAID"));
        let question = owner.browser.post(&cancel, &[]).await.expect(200);
        assert!(question.html().contains("AUD 60.00"), "{}", question.html());
        press(&owner, &question, &cancel, &yes).await.expect(303);
        let listed = server.command_json(&["audit", "list", "--account", &owner.id]);
        let entries = listed.as_array().unwrap();
        let entry = entries.iter().find(|entry| entry["action"] == "invoice.cancelled").unwrap();
        for (side, status, due) in [("before", "PARTIALLY_PAID", "50.00"), ("after", "CANCELLED", "0.00")] {
            let side = &entry[side];
            assert_eq!((&side["status"], &side["amount_due"]), (&json!(status), &json!(due)), "{entry}");
            assert_eq!(side["amount_paid"], json!("60.00"), "{entry}");
            assert_eq!(side["invoice_number"], invoice["invoice_number"], "{entry}");
        }
    })
    .await;
}

#[tokio::test]
async fn invoice_is_not_sent_to_another_address_than_the_page_showed() {
    on_both(async |server| {
        let owner = Owner::open(&server).await;
        let invoice = owner.invoice(json!({})).await;
        let (id, page) = (invoice["id"].as_str().unwrap(), path_of(&invoice));
        let (send, shown) = (format!("{page}/send"), owner.browser.get(&page).await.expect(200));
        let other = json!({"contact": {"name": "Bob", "email": "bob@example.com"}});
        owner.account.put(&format!("/invoices/{id}"), &other).await.expect(200);
        press(&owner, &shown, &send, &[]).await.expect(409);
        assert_eq!(owner.read(id).await["send_count"], json!(0));
        let shown = owner.browser.get(&page).await.expect(200);
        press(&owner, &shown, &send, &[]).await.expect(303);
        assert_eq!(owner.read(id).await["send_count"], json!(1));
    })
    .await;
}

#[tokio::test]
async fn new_link_is_not_replaced_from_a_page_that_shows_the_old_one() {
    on_both(async |server| {
        let owner = Owner::open(&server).await;
        let invoice = owner.invoice(json!({})).await;
        let page = path_of(&invoice);
        let tabs = [owner.browser.get(&page).await.expect(200), owner.browser.get(&page).await.expect(200)];
        for (tab, status) in tabs.iter().zip([303, 409]) {
            press(&owner, tab, &format!("{page}/pay-link"), &[]).await.expect(status);
        }
    })
    .await;
}

#[tokio::test]
async fn form_of_a_draft_shows_its_contact_as_it_is_now() {
    on_both(async |server| {
        let owner = Owner::open(&server).await;
        let ann = contact(&owner, "Ann", "ann@old.example").await;
        let draft = owner.invoice(json!({"is_draft": true, "contact": {"id": ann}})).await;
        rename(&owner, &ann, "Ann", "ann@new.example").await;
        let edit = format!("{}/edit", path_of(&draft));
        let opened = owner.browser.get(&edit).await.expect(200);
        assert!(opened.html().contains("value=\"ann@new.example\""), "{}", opened.html());
        let (fields, version) = (contact_of(&opened), hidden(&opened, "version"));
        let number = draft["invoice_number"].as_str().unwrap();
        let more = [("action", "issue"), ("invoice_number", number), ("version", &version)];
        let sent = with(&fields, &[&more[..], &[("contact.phone", "+61 2")]].concat());
        owner.browser.submit(&edit, &sent).await.expect(303);
        let issued = owner.read(draft["id"].as_str().unwrap()).await;
        assert_eq!(
            (&issued["contact"]["id"], &issued["contact"]["email"]),
            (&json!(ann), &json!("ann@new.example"))
        );
    })
    .await;
}

/// The page of a draft, with its buttons, has no contact fields to see.
#[tokio::test]
async fn draft_is_issued_from_its_page_to_the_contact_that_the_page_shows() {
    on_both(async |server| {
        let owner = Owner::open(&server).await;
        let ann = contact(&owner, "Ann", "ann@example.com").await;
        let draft = owner.invoice(json!({"is_draft": true, "contact": {"id": ann}})).await;
        let (page, id) = (path_of(&draft), draft["id"].as_str().unwrap());
        let issue = async |shown: &TestResponse| {
            let names = ["once", "version", "contact.id", "contact.shown", "contact.name", "contact.email"];
            let names = names.iter().chain(&["invoice_number", "invoice_date", "due_date", "currency"]);
            let line = ["description", "quantity", "unit_amount", "tax_rate"];
            let line = line.map(|name| format!("line_items.0.{name}"));
            let names = names.map(|name| (*name).to_owned()).chain(line).chain(["line_amount_types".into()]);
            let sent: Vec<(String, String)> =
                names.map(|name| (name.clone(), hidden(shown, &name))).collect();
            let sent = sent.iter().map(|(name, value)| (name.as_str(), value.as_str()));
            let sent: Vec<(&str, &str)> = sent.chain([("action", "issue_and_send")]).collect();
            owner.browser.post(&format!("{page}/edit"), &sent).await
        };
        let before = owner.browser.get(&page).await.expect(200);
        rename(&owner, &ann, "Lee", "lee@example.com").await;
        let refused = issue(&before).await.expect(422);
        assert!(refused.html().contains("value=\"lee@example.com\""), "{}", refused.html());
        assert_eq!(owner.read(id).await["status"], json!("DRAFT"));
        // The contact of before, typed in again, is not the one of now.
        let (fields, number) = (contact_of(&refused), draft["invoice_number"].as_str().unwrap());
        let version = hidden(&refused, "version");
        let more = [("action", "save_draft"), ("invoice_number", number), ("version", &version)];
        let typed = [("contact.name", "Ann"), ("contact.email", "ann@example.com")];
        let sent = with(&fields, &[&more[..], &typed].concat());
        owner.browser.submit(&format!("{page}/edit"), &sent).await.expect(303);
        let of_draft = owner.read(id).await["contact"].clone();
        assert_eq!(of_draft["email"], json!("ann@example.com"));
        assert!(of_draft["id"] != json!(ann), "{of_draft}");
        let version = hidden(&owner.browser.get(&page).await.expect(200), "version");
        let back = [("contact.id", &*ann), ("contact.shown", "Lee\tlee@example.com\t")];
        let lee = [("contact.name", "Lee"), ("contact.email", "lee@example.com")];
        let more = [("action", "save_draft"), ("invoice_number", number), ("version", &version)];
        let sent = with(&[], &[&more[..], &back, &lee].concat());
        owner.browser.submit(&format!("{page}/edit"), &sent).await.expect(303);
        let now = owner.browser.get(&page).await.expect(200);
        for text in ["To lee@example.com", "<dt>Billed to</dt><dd>Lee</dd>"] {
            assert!(now.html().contains(text), "{text} in {}", now.html());
        }
        issue(&now).await.expect(303);
        assert_eq!(owner.read(id).await["contact"]["email"], json!("lee@example.com"));
    })
    .await;
}

#[tokio::test]
async fn contact_that_was_changed_while_the_form_was_open_is_shown_before_it_gets_the_invoice() {
    on_both(async |server| {
        let owner = Owner::open(&server).await;
        let kim = contact(&owner, "Kim", "kim@example.com").await;
        let new = "/dashboard/invoices/new";
        let fields = contact_of(&owner.browser.get(&format!("{new}?contact={kim}")).await.expect(200));
        rename(&owner, &kim, "Lee", "lee@example.com").await;
        let issue = [("action", "issue")];
        let refused = owner.browser.submit(new, &with(&fields, &issue)).await.expect(422);
        let html = refused.html();
        for text in ["was changed in the meantime", "value=\"lee@example.com\"", "value=\"Lee\""] {
            assert!(html.contains(text), "{text} in {html}");
        }
        assert_eq!(owner.account.get("/invoices").await.expect(200).body["data"], json!([]));
        // With another telephone number it would be for a new contact, who has the old address.
        let more = [("action", "issue"), ("contact.phone", "+61 2"), ("line_items.1.quantity", "two")];
        let refused_too = owner.browser.submit(new, &with(&fields, &more)).await.expect(422).html();
        for text in ["that is lee@example.com", "href=\"#line_items.1.quantity\""] {
            assert!(refused_too.contains(text), "{text} in {refused_too}");
        }
        let sent = owner.browser.submit(new, &with(&contact_of(&refused), &issue)).await.expect(303);
        assert_eq!(owner.read(&id_in(&sent)).await["contact"]["email"], json!("lee@example.com"));
    })
    .await;
}

#[tokio::test]
async fn issued_invoice_does_not_move_to_a_new_contact_with_the_old_address() {
    on_both(async |server| {
        let owner = Owner::open(&server).await;
        let ann = contact(&owner, "Ann", "ann@old.example").await;
        let invoice = owner.invoice(json!({"contact": {"id": ann}})).await;
        rename(&owner, &ann, "Ann", "ann@new.example").await;
        let (edit, id) = (format!("{}/edit", path_of(&invoice)), invoice["id"].as_str().unwrap());
        let number = invoice["invoice_number"].as_str().unwrap();
        let send = async |email: &str| {
            let version = hidden(&owner.browser.get(&edit).await.expect(200), "version");
            let more = [("action", "issue"), ("invoice_number", number), ("version", &version)];
            let of_contact = [("contact.name", "Ann"), ("contact.email", email), ("contact.phone", "1")];
            let sent = with(&[], &[&more[..], &of_contact].concat());
            owner.browser.submit(&edit, &sent).await
        };
        let refused = send("ann@old.example").await.expect(422).html();
        assert!(refused.contains("that is ann@new.example"), "{refused}");
        assert_eq!(owner.read(id).await["contact"], invoice["contact"]);
        send("ann@new.example").await.expect(303);
        assert_eq!(owner.read(id).await["contact"]["id"], json!(ann));
        // Somebody else's address by now is theirs.
        let invoice = owner.invoice(json!({"contact": {"id": ann}})).await;
        rename(&owner, &ann, "Ann", "ann@newer.example").await;
        let bob = contact(&owner, "Bob", "ann@new.example").await;
        let (edit, id) = (format!("{}/edit", path_of(&invoice)), invoice["id"].as_str().unwrap());
        let version = hidden(&owner.browser.get(&edit).await.expect(200), "version");
        let number = invoice["invoice_number"].as_str().unwrap();
        let more = [("action", "issue"), ("invoice_number", number), ("version", &version)];
        let send = async |name: &str| {
            let of_contact = [("contact.name", name), ("contact.email", "ann@new.example")];
            let sent = with(&[], &[&more[..], &of_contact, &[("contact.phone", "1")]].concat());
            owner.browser.submit(&edit, &sent).await
        };
        let refused = send("Ann").await.expect(422).html();
        assert!(refused.contains("is the address of another contact now, Bob"), "{refused}");
        send("Bob").await.expect(303);
        assert_eq!(owner.read(id).await["contact"]["id"], json!(bob));
    })
    .await;
}

/// Two tabs: what is saved unchanged in one leaves the form of the other as it was.
#[tokio::test]
async fn form_is_not_stale_after_a_save_that_changed_nothing() {
    on_both(async |server| {
        let owner = Owner::open(&server).await;
        let invoice = owner.invoice(json!({"invoice_date": "2026-03-02", "due_date": "9998-01-31"})).await;
        let edit = format!("{}/edit", path_of(&invoice));
        let version = hidden(&owner.browser.get(&edit).await.expect(200), "version");
        let number = invoice["invoice_number"].as_str().unwrap();
        let of_contact = &invoice["contact"];
        let text = |name: &str| of_contact[name].as_str().unwrap_or_default().to_owned();
        let of_contact = [("contact.name", text("name")), ("contact.email", text("email"))];
        let more = [("action", "issue"), ("invoice_number", number), ("version", &version)];
        let sent = with(&of_contact, &more);
        for _ in 0..2 {
            owner.browser.submit(&edit, &sent).await.expect(303);
        }
        let contact = format!("/dashboard/contacts/{}", invoice["contact"]["id"].as_str().unwrap());
        let version = hidden(&owner.browser.get(&contact).await.expect(200), "version");
        for name in [text("name"), text("name"), "Grace".to_owned()] {
            let fields = [("name", &*name), ("email", &text("email")), ("version", &version)];
            owner.browser.submit(&contact, &fields).await.expect(303);
        }
        let read: Value = owner.read(invoice["id"].as_str().unwrap()).await;
        assert_eq!(json_text(&read["total"]), json_text(&invoice["total"]));
    })
    .await;
}
