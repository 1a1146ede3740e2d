//! Replies of customers by e-mail: matched, classified, acted upon once.

use reqwest::Method;
use serde_json::{Value, json};
use time::macros::datetime;

use super::{NEXT_STEP, ReminderFixture, answer, decision, id, on_both};
use crate::commands::{exported, of_kind};
use crate::test_app::{Browser, Database, hidden, until};

#[tokio::test]
async fn repeated_message_is_stored_once_with_the_same_result() {
    on_both(async |fixture| {
        let (account, _, sent) = fixture.reminded().await;
        let raw = answer(&sent, "ada@example.com", "This is wrong, we never ordered it.");
        let first = fixture.receive(&raw);
        assert_eq!(first["classification"]["type"], "dispute");
        assert_eq!(fixture.receive(&raw), first);
        // A relaying mail server changes the bytes, but not the message.
        assert_eq!(fixture.receive(&format!("Received: from a by b\n{raw}")), first);
        let open = fixture.escalations(&account, &sent);
        assert_eq!(open.len(), 1);
        let incoming = fixture.messages(&account);
        assert_eq!(incoming.iter().filter(|one| one["direction"] == "in").count(), 1);
        let again = answer(&sent, "ada@example.com", "As I said: we never ordered it.");
        assert_ne!(fixture.receive(&again)["message_id"], first["message_id"]);
        let open = fixture.escalations(&account, &sent);
        assert_eq!(open.len(), 1, "it joins the open one");
    })
    .await;
}

#[tokio::test]
async fn mail_over_http_is_stored_at_once_and_worked_on_by_the_service() {
    on_both(async |fixture| {
        let (account, _, sent) = fixture.reminded().await;
        let raw = answer(&sent, "ada@example.com", "Please call me, I want to talk to a person.");
        let raw = fixture.with_message_ids(&raw);
        let client = reqwest::Client::new();
        let post = async |token: &str| {
            let address = format!("{}/inbound/mail/{token}", fixture.server.base);
            let request = client.post(address).header("Content-Type", "text/x-anything").body(raw.clone());
            request.send().await.unwrap().status().as_u16()
        };
        assert_eq!(post("another-secret").await, 404);
        assert_eq!((post("inbound-secret").await, post("inbound-secret").await), (200, 200));
        let got = until("the message", async || {
            let mut messages = fixture.messages(&account);
            messages.retain(|one| one["direction"] == "in");
            Some(messages).filter(|got| !got.is_empty())
        })
        .await;
        assert_eq!((got.len(), &got[0]["state"]), (1, &json!("handled")));
        assert_eq!(got[0]["classification"]["type"], "human_request");
        assert_eq!(fixture.escalations(&account, &sent).len(), 1);
    })
    .await;
}

/// She answers an earlier mail, from a mailbox to which the account never wrote.
#[tokio::test]
async fn opt_out_ends_reminders_and_a_claim_waits_for_the_owner() {
    on_both(async |fixture| {
        let (account, invoice, sent) = fixture.reminded().await;
        let got = fixture.receive(&answer(&sent, "ada@example.com", "unsubscribe"));
        assert_eq!(got["classification"]["type"], "opt_out", "{got}");
        fixture.at(NEXT_STEP);
        assert_eq!(fixture.run(id(&invoice)), ["+7 email hold opted_out"]);

        let contact = json!({"email": "grace@example.com"});
        let other = account.invoice("2026-12-13", contact).await;
        fixture.at(datetime!(2026-12-14 08:00 UTC));
        assert_eq!(fixture.run(id(&other)), ["+1 email send"]);
        let to_grace = fixture.sent(&account).await.remove(0);
        let got = fixture.receive(&answer(&to_grace, "grace@example.com", "I already paid this last week."));
        assert_eq!(got["classification"]["type"], "paid_claim", "{got}");
        fixture.at(datetime!(2026-12-21 08:00 UTC));
        assert_eq!(fixture.run(id(&other)), ["+7 email hold reply_unread"]);
    })
    .await;
}

#[tokio::test]
async fn automatic_foreign_and_forged_replies_raise_no_escalation() {
    on_both(async |fixture| {
        let (account, _, sent) = fixture.reminded().await;
        let away = answer(&sent, "ada@example.com", "I am away and cannot pay anything until January.")
            .replace("Subject: Re: Reminder", "Subject: Out of office\nAuto-Submitted: auto-replied");
        let got = fixture.receive(&away);
        assert_eq!((&got["state"], &got["classification"]), (&json!("automatic"), &Value::Null));
        let stranger = "From: Eve <eve@elsewhere.example>\nTo: reply@in.example.com\nMessage-ID: <1@elsewhere>\n\n\
                        I cannot pay.\n";
        let got = fixture.receive(stranger);
        assert_eq!((&got["state"], &got["account_id"]), (&json!("dropped"), &Value::Null));
        // A sender's address alone proves nothing: the message is not certain.
        let forged = "From: Ada <ada@example.com>\nTo: invoices@localhost\nMessage-ID: <2@elsewhere>\n\n\
                      I cannot pay, I lost my job.\n";
        let got = fixture.receive(forged);
        assert_eq!((&got["state"], &got["account_id"]), (&json!("handled"), &json!(account.id)));
        assert_eq!(got["classification"]["sure"], false, "{got}");
        let open = fixture.escalations(&account, &sent);
        assert_eq!(open.len(), 0);
    })
    .await;
}

/// The owner answers a customer from another mailbox, with a copy to the service.
#[tokio::test]
async fn mail_of_the_account_itself_is_not_read_as_its_customers() {
    for database in Database::both() {
        let settings = [("COUNTINGHOUSE_MAIL_FROM", "invoices@shop.example")];
        let fixture = ReminderFixture::open_with(database, "1h", &settings).await;
        let (account, invoice, sent) = fixture.reminded().await;
        for (from, text) in [
            (&*account.email, "You are right, this invoice is wrong. We will correct it."),
            (&*account.email, "Please unsubscribe me from your newsletter."),
            ("invoices@shop.example", "I cannot pay, I lost my job."),
        ] {
            let got = fixture.receive(&answer(&sent, from, text));
            assert_eq!((&got["state"], &got["classification"]), (&json!("automatic"), &Value::Null), "{got}");
            assert_eq!(got["contact_id"], sent["contact_id"], "{got}");
            let show = ["message", "show", got["message_id"].as_str().unwrap()];
            let shown = String::from_utf8(fixture.server.command(&show).stdout).unwrap();
            assert!(shown.contains("mail of the account itself"), "{shown}");
        }
        assert_eq!(fixture.escalations(&account, &sent), [json!(null); 0]);
        assert_eq!(fixture.export(&account, &invoice["contact"]["id"])["opt_outs"], json!([]));

        // A trial: the owner's address is also the customer's.
        let trial = account.invoice("2026-12-13", json!({"email": account.email})).await;
        fixture.at(datetime!(2026-12-14 08:00 UTC));
        assert_eq!(fixture.run(id(&trial)), ["+1 email send"]);
        let to_owner = fixture.sent(&account).await.remove(0);
        let got = fixture.receive(&answer(&to_owner, &account.email, "I cannot pay, I lost my job."));
        assert_eq!(got["classification"]["type"], "hardship", "{got}");
    }
}

#[tokio::test]
async fn erased_contact_leaves_its_issued_invoices_alone() {
    on_both(async |fixture| {
        let (account, invoice, sent) = fixture.reminded().await;
        fixture.receive(&answer(&sent, "ada@example.com", "I lost my job."));
        let reply = fixture.reply_address(&sent);
        let contact = &sent["contact_id"];
        let held = fixture.export(&account, contact);
        assert_eq!(held["messages"].as_array().unwrap().len(), 2, "{held}");
        let erased = fixture.erase(&account, contact);
        assert_eq!(erased, json!({"contact_id": contact, "erased": true}));
        assert_eq!(fixture.messages(&account).len(), 0);
        let open = fixture.escalations(&account, &sent);
        assert_eq!(open[0]["customer_statement"], "(erased)");
        let read = account.key.get(&format!("/invoices/{}", id(&invoice))).await.expect(200).body;
        assert_eq!(read["contact"]["name"], "Ada Lovelace");
        let late = answer(&sent, "ada@example.com", "Hello?")
            .replace("To: invoices@localhost", &format!("To: {reply}"));
        let dropped = fixture.receive(&late);
        assert_eq!(dropped["state"], "dropped");
        let show = ["message", "show", dropped["message_id"].as_str().unwrap()];
        assert_eq!(fixture.server.command_json(&show)["text"], "", "its words are not kept");
        let sheet = String::from_utf8(fixture.server.command(&show).stdout).unwrap();
        assert!(sheet.contains("the text is no longer kept"), "{sheet}");
    })
    .await;
}

#[tokio::test]
async fn answer_to_an_account_that_erased_the_contact_is_shown_to_no_other_account() {
    on_both(async |fixture| {
        let [(account, _, sent), (other, _, _)] = fixture.two_reminded().await;
        let reply = fixture.reply_address(&sent);
        fixture.erase(&account, &sent["contact_id"]);
        let late = format!(
            "From: Ada <ada@example.com>\nTo: {reply}\nMessage-ID: <11@mail.example>\n\nI lost my job.\n"
        );
        assert_eq!(fixture.receive(&late)["state"], "dropped");
        assert_eq!(fixture.messages(&other).iter().filter(|one| one["direction"] == "in").count(), 0);
        // A token of no account says nothing.
        let (token, domain) = reply.trim_start_matches("reply+").split_once('@').unwrap();
        let forged = format!("To: reply+{}@{domain}", "a".repeat(token.len()));
        let got = fixture.receive(&late.replace(&format!("To: {reply}"), &forged).replace("<11@", "<12@"));
        assert_eq!((&got["state"], &got["account_id"]), (&json!("handled"), &json!(other.id)), "{got}");
    })
    .await;
}

#[tokio::test]
async fn export_of_a_contact_has_its_invoices_with_payments_promises_and_decisions() {
    on_both(async |fixture| {
        let (account, invoice, sent) = fixture.reminded().await;
        account.invoice("2027-01-31", json!({"email": "grace@example.com"})).await;
        fixture.receive(&answer(&sent, "ada@example.com", "I will pay on Friday."));
        fixture.receive(&answer(&sent, "ada@example.com", "unsubscribe"));
        Browser::new(&fixture.server).get(invoice["pay_url"].as_str().unwrap()).await.expect(200);
        let owner = fixture.owner(&account).await;
        let form = format!("/dashboard/contacts/{}", invoice["contact"]["id"].as_str().unwrap());
        let version = hidden(&owner.get(&form).await.expect(200), "version");
        let moved = [("version", &*version), ("name", "Ada"), ("email", "ada@elsewhere.example")];
        owner.submit(&form, &moved).await.expect(303);
        let which = ["--account", &account.id, "--invoice", id(&invoice)];
        fixture.server.record_payment(&account.id, id(&invoice), "10");
        let paused = ["--until", "2027-02-01"];
        let paused = fixture.server.command_json(&[&["reminder", "pause"], &which[..], &paused].concat());
        let contact = &sent["contact_id"];
        let held = fixture.export(&account, contact);
        let invoices = held["invoices"].as_array().unwrap();
        assert_eq!(invoices.len(), 1, "none of another contact: {held}");
        let read = account.key.get(&format!("/invoices/{}", id(&invoice))).await.expect(200).body;
        assert_eq!(invoices[0]["invoice"], read);
        assert_eq!(read["payments"].as_array().unwrap().len(), 1, "{read}");
        let promises = invoices[0]["promises"].as_array().unwrap();
        assert_eq!((promises.len(), &promises[0]["date"]), (1, &json!("2026-12-11")), "{held}");
        let decisions: Vec<_> = invoices[0]["reminder_decisions"].as_array().unwrap().iter().collect();
        let mut states: Vec<_> = decisions.iter().map(|one| decision(&one["decided"])).collect();
        // The clock stands still, and two processes made their ids: they have no order.
        states.sort_unstable();
        assert_eq!(states, ["+1 email send", "+1 email sent"], "{held}");
        assert_eq!(invoices[0]["page_views"].as_array().unwrap().len(), 1, "{held}");
        assert_eq!(held["opt_outs"][0]["address"], "ada@example.com", "an earlier address: {held}");
        assert_eq!(invoices[0]["reminder_pause"], paused);

        fixture.consent(&account, contact);
        let held = fixture.export(&account, contact);
        let records = exported(&fixture.server, &account.id);
        let of = |kind| of_kind(&records, kind);
        assert_eq!((of("contact").len(), of("invoice").len()), (2, 2), "those of the other contact too");
        assert_eq!(json!(of("message")), held["messages"]);
        assert_eq!(json!(of("consent")), held["consents"]);
        assert_eq!(of("opt_out")[0]["held"], held["opt_outs"][0]);
        let history = &held["invoices"][0];
        assert_eq!(of("reminder_pause"), [&history["reminder_pause"]]);
        for (kind, list, count) in [
            ("promise", "promises", 1),
            ("reminder_decision", "reminder_decisions", 2),
            ("page_view", "page_views", 1),
        ] {
            assert_eq!((of(kind).len(), history[list].as_array().unwrap().len()), (count, count), "{kind}");
            assert_eq!(of(kind)[0]["invoice_id"], invoice["id"], "{kind}");
        }
        assert_eq!(of("promise")[0]["date"], history["promises"][0]["date"]);
    })
    .await;
}

#[tokio::test]
async fn export_has_the_decisions_about_an_invoice_that_is_another_contacts_by_now() {
    on_both(async |fixture| {
        let (account, invoice, sent) = fixture.reminded().await;
        let bob = account.give_to_bob(&invoice).await;
        let former = fixture.export(&account, &sent["contact_id"]);
        let present = fixture.export(&account, &bob["id"]);
        let list = "reminder_decisions_of_former_invoices";
        let decided = former[list].as_array().unwrap();
        let mut states: Vec<_> = decided.iter().map(|one| decision(&one["decided"])).collect();
        states.sort_unstable();
        assert_eq!(states, ["+1 email send", "+1 email sent"], "{former}");
        assert_eq!(former["invoices"], json!([]), "{former}");
        assert_eq!(present[list], json!([]), "{present}");
        let invoices = present["invoices"].as_array().unwrap();
        assert_eq!(invoices.len(), 2, "{present}");
        assert!(invoices.iter().all(|one| one["reminder_decisions"] == json!([])), "{present}");
    })
    .await;
}

#[tokio::test]
async fn answer_to_an_invoices_mail_is_matched_and_the_mail_holds_reminders_for_a_while() {
    on_both(async |fixture| {
        let account = fixture.account().await;
        fixture.start_reminders(&account, "-3:email,1:email");
        let invoice = account.invoice("2026-12-05", json!({})).await;
        fixture.at(datetime!(2026-12-01 08:30 UTC));
        let path = format!("/invoices/{}", id(&invoice));
        let body = br#"{"send_invoice": true}"#.to_vec();
        account.key.send(Method::PUT, &path, &[], Some(body)).await.expect(200);
        let mail = fixture.until_sent(&account).await;
        assert_eq!((&mail["invoice_id"], &mail["channel"]), (&json!(id(&invoice)), &json!("email")));
        assert_eq!(fixture.file(&mail).await["to"], "ada@example.com");
        fixture.at(datetime!(2026-12-02 08:00 UTC));
        assert_eq!(fixture.run(id(&invoice)), ["-3 email hold recently_mailed"]);
        let got = fixture.receive(&answer(&mail, "ada@example.com", "The amount is wrong."));
        assert_eq!(got["classification"]["type"], "dispute", "{got}");
        assert_eq!(got["invoice_id"], id(&invoice));
    })
    .await;
}

#[tokio::test]
async fn promise_by_mail_is_stored_and_reminders_wait_for_its_day() {
    on_both(async |fixture| {
        let (_, invoice, sent) = fixture.reminded().await;
        let got = fixture.receive(&answer(&sent, "ada@example.com", "I will pay on Friday."));
        let says = &got["classification"];
        assert_eq!((&says["type"], &says["date"]), (&json!("promise"), &json!("2026-12-11")), "{got}");
        assert_eq!(says["sure"], true, "{got}");
        fixture.at(NEXT_STEP);
        assert_eq!(fixture.run(id(&invoice)), ["+7 email hold promise"]);
        fixture.at(datetime!(2026-12-12 08:00 UTC));
        assert_eq!(fixture.run(id(&invoice)), ["+7 email send"]);
    })
    .await;
}

#[tokio::test]
async fn promise_about_an_invoice_that_is_another_contacts_by_now_is_not_stored() {
    on_both(async |fixture| {
        let (account, invoice, sent) = fixture.reminded().await;
        account.give_to_bob(&invoice).await;
        let got = fixture.receive(&answer(&sent, "ada@example.com", "I will pay on Friday."));
        let says = &got["classification"];
        assert_eq!((&says["type"], &says["sure"]), (&json!("promise"), &json!(false)), "{got}");
        fixture.at(NEXT_STEP);
        let decided = fixture.run(id(&invoice));
        assert!(!decided.iter().any(|one| one.ends_with("promise")), "{decided:?}");
    })
    .await;
}

#[tokio::test]
async fn reply_of_which_nothing_could_be_read_holds_reminders() {
    on_both(async |fixture| {
        let (_, invoice, sent) = fixture.reminded().await;
        let encrypted = answer(&sent, "ada@example.com", "MIIB")
            .replace("text/plain; charset=utf-8", "application/pkcs7-mime; smime-type=enveloped-data");
        let got = fixture.receive(&encrypted);
        let says = &got["classification"];
        assert_eq!((&says["type"], &says["sure"]), (&json!("other"), &json!(false)), "{got}");
        fixture.at(NEXT_STEP);
        assert_eq!(fixture.run(id(&invoice)), ["+7 email hold reply_unread"]);
    })
    .await;
}
