//! The form of an invoice: new ones, drafts, issued ones.

use reqwest::Method;
use reqwest::header::LOCATION;
use serde_json::{Value, json};

use super::{Owner, id_in, path_of};
use crate::test_app::{hidden, json_text, on_both};

const NEW: &str = "/dashboard/invoices/new";

fn fields(action: &str) -> Vec<(&str, &str)> {
    vec![
        ("contact.name", "Ada Lovelace"),
        ("contact.email", "ada@example.com"),
        ("invoice_date", "2026-03-02"),
        ("due_date", "9998-01-31"),
        ("currency", "AUD"),
        ("line_amount_types", "EXCLUSIVE"),
        ("line_items.0.description", "Consulting"),
        ("line_items.0.quantity", "2"),
        ("line_items.0.unit_amount", "50"),
        ("line_items.0.tax_rate", "10"),
        ("line_items.1.description", " "),
        ("line_items.1.quantity", ""),
        ("reference", "PO 7"),
        ("action", action),
    ]
}

#[tokio::test]
async fn invoice_is_saved_issued_and_sent_by_the_buttons() {
    on_both(async |server| {
        let owner = Owner::open(&server).await;
        for (action, status, sends) in
            [("save_draft", "DRAFT", 0), ("issue", "UNPAID", 0), ("issue_and_send", "UNPAID", 1)]
        {
            let answer = owner.browser.submit(NEW, &fields(action)).await.expect(303);
            let made = owner.read(&id_in(&answer)).await;
            assert_eq!((&made["status"], &made["send_count"]), (&json!(status), &json!(sends)), "{made}");
            assert_eq!(json_text(&made["total"]), "110.00");
            assert_eq!(made["line_items"].as_array().unwrap().len(), 1);
            assert_eq!(
                (&made["reference"], &made["contact"]["email"]),
                (&json!("PO 7"), &json!("ada@example.com"))
            );
            let page = owner.page(&path_of(&made)).await;
            assert!(page.contains("AUD 110.00") && page.contains("Consulting"), "{page}");
        }
    })
    .await;
}

#[tokio::test]
async fn total_below_what_is_paid_and_another_currency_are_faults_of_the_form_that_keeps_its_values() {
    on_both(async |server| {
        let owner = Owner::open(&server).await;
        let invoice = owner.invoice(json!({})).await;
        let id = invoice["id"].as_str().unwrap();
        server.record_payment(&owner.id, id, "60");
        let edit = format!("{}/edit", path_of(&invoice));
        let version = hidden(&owner.browser.get(&edit).await.expect(200), "version");
        let mut less = fields("issue");
        less.retain(|(name, _)| *name != "line_items.0.quantity");
        let number = invoice["invoice_number"].as_str().unwrap();
        less.extend([("line_items.0.quantity", "1"), ("invoice_number", number), ("version", &version)]);
        let refused = owner.browser.submit(&edit, &less).await.expect(422).html();
        let sentence =
            "<a href=\"#line_items\">The total cannot be below what is paid already, AUD 60.00.</a>";
        for text in [sentence, "value=\"PO 7\"", "Consulting"] {
            assert!(refused.contains(text), "{text} in {refused}");
        }
        let mut other = less;
        other.retain(|(name, _)| *name != "currency");
        other.push(("currency", "EUR"));
        let refused = owner.browser.submit(&edit, &other).await.expect(422).html();
        let sentence = "<a href=\"#currency\">Currency cannot change once a payment is recorded</a>";
        assert!(refused.contains(sentence) && refused.contains("value=\"EUR\""), "{refused}");
    })
    .await;
}

/// A contact without an e-mail address is not found by what the form shows of it.
#[tokio::test]
async fn invoice_for_a_contact_from_its_page_is_for_that_contact() {
    on_both(async |server| {
        let owner = Owner::open(&server).await;
        let contact = json!({"name": "Grace", "phone": "+61 2"});
        let made = owner.account.post("/contacts", &contact).await.expect(201);
        let form = format!("{NEW}?contact={}", made.text("id"));
        let shown = owner.browser.get(&form).await.expect(200);
        let (id, unchanged) = (hidden(&shown, "contact.id"), hidden(&shown, "contact.shown"));
        let send = async |name: &str| {
            let mut sent = fields("issue");
            sent.retain(|(name, _)| !name.starts_with("contact."));
            sent.extend([("contact.id", &*id), ("contact.shown", &unchanged)]);
            sent.extend([("contact.name", name), ("contact.email", ""), ("contact.phone", "+61 2")]);
            let answer = owner.browser.submit(NEW, &sent).await.expect(303);
            owner.read(&id_in(&answer)).await["contact"].clone()
        };
        assert_eq!(send("Grace").await["id"], made.body["id"]);
        let other = send("Hopper").await;
        assert!(other["id"] != made.body["id"] && other["name"] == "Hopper", "{other}");
    })
    .await;
}

/// What the page of an invoice that cannot be sent tells the owner to do.
#[tokio::test]
async fn invoice_of_a_contact_that_got_an_address_later_can_be_sent_after_an_edit() {
    on_both(async |server| {
        let owner = Owner::open(&server).await;
        let contact = json!({"name": "Grace", "phone": "+61 2"});
        let made = owner.account.post("/contacts", &contact).await.expect(201);
        let invoice = owner.invoice(json!({"contact": {"id": made.text("id")}})).await;
        assert!(owner.page(&path_of(&invoice)).await.contains("then choose Edit"));
        let address = [("name", "Grace"), ("email", "grace@example.com"), ("phone", "+61 2")];
        let of_contact = format!("/dashboard/contacts/{}", made.text("id"));
        let version = hidden(&owner.browser.get(&of_contact).await.expect(200), "version");
        let address = [&address[..], &[("version", &*version)]].concat();
        owner.browser.submit(&of_contact, &address).await.expect(303);
        let edit = format!("{}/edit", path_of(&invoice));
        let version = hidden(&owner.browser.get(&edit).await.expect(200), "version");
        let mut sent = fields("issue");
        sent.retain(|(name, _)| !name.starts_with("contact."));
        sent.extend([("invoice_number", invoice["invoice_number"].as_str().unwrap()), ("version", &version)]);
        sent.extend([("contact.name", "Grace"), ("contact.phone", "+61 2")]);
        sent.push(("contact.email", "grace@example.com"));
        owner.browser.submit(&edit, &sent).await.expect(303);
        let amended = owner.read(invoice["id"].as_str().unwrap()).await;
        assert_eq!(amended["contact"]["id"], made.body["id"], "it is still the same contact");
        assert!(owner.page(&path_of(&invoice)).await.contains("/send\">"));
    })
    .await;
}

#[tokio::test]
async fn lines_are_added_and_removed_and_every_value_is_kept() {
    on_both(async |server| {
        let owner = Owner::open(&server).await;
        let page = owner.browser.submit(NEW, &fields("add_line")).await.expect(200).html();
        for text in ["line_items.2.description", "value=\"PO 7\"", "Consulting", "value=\"ada@example.com\""]
        {
            assert!(page.contains(text), "{text} in {page}");
        }
        assert!(page.contains("name=\"line_items.2.description\" autofocus>"), "{page}");
        let page = owner.browser.submit(NEW, &fields("remove_line.0")).await.expect(200).html();
        assert!(page.contains("line_items.0.description") && !page.contains("Consulting"), "{page}");
        assert!(!page.contains("line_items.1."), "{page}");
        let after_sign_in = format!("{NEW}?done=not_processed");
        assert!(owner.page(&after_sign_in).await.contains("Nothing was changed yet"));
        let page = owner.browser.submit(&after_sign_in, &fields("add_line")).await.expect(200).html();
        assert!(!page.contains("Nothing was changed yet"), "{page}");
        let list = owner.account.get("/invoices").await.expect(200);
        assert_eq!(list.body["data"].as_array().unwrap().len(), 0);
    })
    .await;
}

#[tokio::test]
async fn faulty_form_comes_back_whole_and_can_be_sent_again() {
    on_both(async |server| {
        let owner = Owner::open(&server).await;
        let page = owner.browser.get(NEW).await.expect(200);
        let form_token = hidden(&page, "once");
        let mut faulty = fields("issue");
        faulty.extend([("line_items.4.description", ""), ("line_items.4.quantity", "-1")]);
        faulty.push(("notes", "kept <b>"));
        faulty.retain(|(name, _)| *name != "due_date");
        faulty.extend([("due_date", "2020-01-01"), ("once", &form_token)]);
        let page = owner.browser.post(NEW, &faulty).await.expect(422).html();
        for text in [
            "<a href=\"#line_items.1.quantity\">",
            "<a href=\"#line_items.1.description\">",
            "<a href=\"#due_date\">",
            "value=\"-1\"",
            "kept &#60;b&#62;",
            &format!("value=\"{form_token}\""),
        ] {
            assert!(page.contains(text), "{text} in {page}");
        }
        let mut right = fields("issue");
        right.push(("once", &form_token));
        let first = owner.browser.post(NEW, &right).await.expect(303);
        let second = owner.browser.post(NEW, &right).await.expect(303);
        assert_eq!(id_in(&first), id_in(&second), "sent twice, carried out once");
        let mut other = fields("save_draft");
        other.push(("once", &form_token));
        owner.browser.post(NEW, &other).await.expect(409);
        owner.browser.post(NEW, &fields("issue")).await.expect(409);
    })
    .await;
}

#[tokio::test]
async fn form_that_the_browser_goes_back_to_acts_once() {
    on_both(async |server| {
        let owner = Owner::open(&server).await;
        let navigate = async |path: &str| {
            let request = owner.browser.request(Method::GET, path).header("Sec-Fetch-Mode", "navigate");
            owner.browser.send(request).await
        };
        let opened = navigate(&format!("{NEW}?contact=")).await.expect(303);
        let opened = opened.headers[LOCATION].to_str().unwrap().to_owned();
        let mut ids = Vec::new();
        for path in [&*opened, &*opened, NEW] {
            let page = match path {
                NEW => owner.browser.get(path).await.expect(200),
                _ => navigate(path).await.expect(200),
            };
            let token = hidden(&page, "once");
            let sent = owner.browser.post(NEW, &[&fields("issue")[..], &[("once", &token)]].concat()).await;
            ids.push(id_in(&sent.expect(303)));
        }
        assert_eq!(ids[0], ids[1], "the browser went back");
        assert_ne!(ids[0], ids[2], "the form was opened again");
    })
    .await;
}

#[tokio::test]
async fn new_invoice_of_a_contact_begins_with_its_fields() {
    on_both(async |server| {
        let owner = Owner::open(&server).await;
        let invoice = owner.invoice(json!({})).await;
        let contact = invoice["contact"]["id"].as_str().unwrap();
        let page = owner.page(&format!("{NEW}?contact={contact}")).await;
        assert!(page.contains("value=\"ada@example.com\""), "{page}");
        let page = owner.page(NEW).await;
        for text in [
            "<option value=\"ada@example.com\">Ada Lovelace</option>",
            "Leave empty to make the invoice due 14 days after its date.",
        ] {
            assert!(page.contains(text), "{text} in {page}");
        }
        let other = Owner::open(&server).await;
        for path in [NEW, "/dashboard/invoices", "/dashboard/invoices/export.csv"] {
            other.browser.get(&format!("{path}?contact={contact}")).await.expect(404);
        }
    })
    .await;
}

#[tokio::test]
async fn draft_is_edited_and_issued_and_a_stale_form_overwrites_nothing() {
    on_both(async |server| {
        let owner = Owner::open(&server).await;
        let draft = owner
            .invoice(json!({"is_draft": true, "invoice_date": "2026-03-02", "due_date": "9998-01-31"}))
            .await;
        let (id, edit) = (draft["id"].as_str().unwrap(), format!("{}/edit", path_of(&draft)));
        let opened = owner.browser.get(&edit).await.expect(200);
        assert!(opened.html().contains("value=\"50\""), "{}", opened.html());
        let version = hidden(&opened, "version");
        let number = draft["invoice_number"].as_str().unwrap().to_owned();
        let edited = |action: &'static str| {
            let mut fields = fields(action);
            fields.retain(|(name, _)| *name != "line_items.0.quantity");
            fields.extend([("line_items.0.quantity", "3"), ("invoice_number", &*number)]);
            fields
        };
        let stale = [&edited("save_draft")[..], &[("version", &*version)]].concat();
        owner.browser.submit(&edit, &stale).await.expect(303);
        assert_eq!(json_text(&owner.read(id).await["total"]), "165.00");
        let mut late = stale.clone();
        late.push(("notes", "lost"));
        let refused = owner.browser.submit(&edit, &late).await.expect(409).html();
        assert!(refused.contains("/edit\">Open the current version</a>"), "{refused}");
        assert_eq!(owner.read(id).await["notes"], json!(null));
        let version = hidden(&owner.browser.get(&edit).await.expect(200), "version");
        let issue = [&edited("issue")[..], &[("version", &*version)]].concat();
        owner.browser.submit(&edit, &issue).await.expect(303);
        assert_eq!(owner.read(id).await["status"], json!("UNPAID"));
        let version = hidden(&owner.browser.get(&edit).await.expect(200), "version");
        let back = [&edited("save_draft")[..], &[("version", &*version)]].concat();
        owner.browser.submit(&edit, &back).await.expect(409);
    })
    .await;
}

#[tokio::test]
async fn what_the_owner_makes_of_an_invoice_is_audited_with_before_and_after() {
    on_both(async |server| {
        let owner = Owner::open(&server).await;
        let made = owner.browser.submit(NEW, &fields("save_draft")).await.expect(303);
        let draft = owner.read(&id_in(&made)).await;
        let (id, edit) = (draft["id"].as_str().unwrap(), format!("{}/edit", path_of(&draft)));
        for (quantity, notes) in [("2", ""), ("3", "Thank you")] {
            let version = hidden(&owner.browser.get(&edit).await.expect(200), "version");
            let mut sent = fields("issue");
            sent.retain(|(name, _)| !["line_items.0.quantity", "notes"].contains(name));
            let number = draft["invoice_number"].as_str().unwrap();
            sent.extend([("line_items.0.quantity", quantity), ("notes", notes)]);
            sent.extend([("invoice_number", number), ("version", &version)]);
            owner.browser.submit(&edit, &sent).await.expect(303);
        }
        let accounts = server.command_json(&["account", "list"]);
        let account = accounts[0]["id"].as_str().unwrap();
        let listed = server.command_json(&["audit", "list", "--account", account]);
        let figures = |status: &str, total: &str| {
            json!({
                "invoice": id,
                "invoice_number": draft["invoice_number"],
                "status": status,
                "contact": draft["contact"]["id"],
                "total": total,
                "currency": "AUD",
                "due_date": "9998-01-31",
            })
        };
        let (drafted, issued) = (figures("DRAFT", "110.00"), figures("UNPAID", "110.00"));
        let amended = |mut figures: Value, changed: Value| {
            figures["changed"] = changed;
            figures
        };
        let new_text = amended(figures("UNPAID", "165.00"), json!(["line_items", "notes"]));
        let expected = [
            ("invoice.changed", issued.clone(), new_text),
            ("invoice.issued", drafted.clone(), amended(issued, json!([]))),
            ("invoice.created", json!(null), drafted),
        ];
        assert_eq!(listed.as_array().unwrap().len(), expected.len(), "{listed}");
        for (entry, (action, before, after)) in listed.as_array().unwrap().iter().zip(expected) {
            assert_eq!(
                (&entry["action"], &entry["before"], &entry["after"]),
                (&json!(action), &before, &after)
            );
            assert!(entry["actor"].as_str().unwrap().contains('@') && entry["address"] == "127.0.0.1");
        }
        let page = owner.page("/dashboard/settings/security").await;
        let changed = "AUD 165.00, line items and notes changed";
        for text in ["Draft saved", "Invoice issued", "Invoice changed", changed, path_of(&draft).as_str()] {
            assert!(page.contains(text), "{text} in {page}");
        }
    })
    .await;
}

#[tokio::test]
async fn draft_is_issued_by_the_hidden_fields_of_its_page_which_then_says_so() {
    on_both(async |server| {
        let owner = Owner::open(&server).await;
        let draft = owner.invoice(json!({"is_draft": true, "due_date": "9998-01-31"})).await;
        let page = owner.browser.get(&path_of(&draft)).await.expect(200);
        let value = |name: &str| hidden(&page, name);
        let names = ["once", "version", "invoice_number", "invoice_date", "due_date", "currency"];
        let lines = ["description", "quantity", "unit_amount", "tax_rate"];
        let lines = lines.map(|name| format!("line_items.0.{name}"));
        let others = ["contact.name", "contact.email", "line_amount_types"];
        let names = names.into_iter().chain(others).chain(lines.iter().map(String::as_str));
        let mut sent: Vec<(&str, String)> = names.map(|name| (name, value(name))).collect();
        sent.push(("action", "issue".to_owned()));
        let fields: Vec<(&str, &str)> = sent.iter().map(|(name, value)| (*name, &**value)).collect();
        let edit = format!("{}/edit", path_of(&draft));
        let issued = owner.browser.post(&edit, &fields).await.expect(303);
        let read = owner.read(draft["id"].as_str().unwrap()).await;
        assert_eq!((&read["status"], &read["total"]), (&json!("UNPAID"), &draft["total"]));
        let page = owner.browser.get(issued.header("location")).await.expect(200).html();
        assert!(page.contains("role=\"status\">The invoice was issued.</p>"), "{page}");
    })
    .await;
}

#[tokio::test]
async fn empty_form_names_what_is_missing_in_words_and_keeps_a_line() {
    on_both(async |server| {
        let owner = Owner::open(&server).await;
        let page = owner.browser.submit(NEW, &[("action", "issue")]).await.expect(422).html();
        for text in ["Enter a contact.", "Enter at least one item.", "name=\"line_items.0.description\""] {
            assert!(page.contains(text), "{text} in {page}");
        }
        assert!(!page.contains("is_draft"), "{page}");
    })
    .await;
}

#[tokio::test]
async fn number_of_another_invoice_is_a_fault_at_its_field() {
    on_both(async |server| {
        let owner = Owner::open(&server).await;
        owner.invoice(json!({"invoice_number": "TAKEN"})).await;
        let mut fields = fields("issue");
        fields.push(("invoice_number", "TAKEN"));
        let page = owner.browser.submit(NEW, &fields).await.expect(422).html();
        assert!(page.contains("<a href=\"#invoice_number\">"), "{page}");
    })
    .await;
}
