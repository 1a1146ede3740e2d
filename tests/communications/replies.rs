//! Replies of customers by e-mail: matched, classified, acted upon once.

use std::collections::BTreeSet;

use communications::{Address, Channel, Message, MessageData, MessagePurpose, ReplyToken};
use kernel::{Id, SystemIds, SystemRandom};
use reqwest::Method;
use serde_json::{Value, json};
use time::macros::datetime;

use super::{Account, ReminderFixture, START, answer, decision, id, on_both};
use crate::commands::{exported, of_kind};
use crate::test_app::{Browser, hidden};

/// An account that reminded a contact of an invoice, with the reminder.
async fn reminded(fixture: &ReminderFixture) -> (Account, Value, Value) {
    let account = fixture.account().await;
    fixture.start_reminders(&account, "1:email,7:email");
    let invoice = account.invoice("2026-12-04", json!({})).await;
    fixture.at(datetime!(2026-12-07 08:00 UTC));
    assert_eq!(fixture.run(id(&invoice)), ["+1 email send"]);
    let sent = fixture.sent(&account).await.remove(0);
    (account, invoice, sent)
}

#[tokio::test]
async fn repeated_message_is_stored_once_with_the_same_result() {
    on_both(async |fixture| {
        let (account, _, sent) = reminded(&fixture).await;
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
        let (account, _, sent) = reminded(&fixture).await;
        let raw = answer(&sent, "ada@example.com", "Please call me, I want to talk to a person.");
        let client = reqwest::Client::new();
        let post = async |token: &str| {
            let address = format!("{}/inbound/mail/{token}", fixture.server.base);
            let request = client.post(address).header("Content-Type", "text/x-anything").body(raw.clone());
            request.send().await.unwrap().status().as_u16()
        };
        assert_eq!(post("another-secret").await, 404);
        assert_eq!((post("inbound-secret").await, post("inbound-secret").await), (200, 200));
        let deadline = std::time::Instant::now() + std::time::Duration::from_secs(120);
        let incoming = || fixture.messages(&account).into_iter().filter(|one| one["direction"] == "in");
        while incoming().count() == 0 {
            assert!(std::time::Instant::now() < deadline, "it was not worked on");
            tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        }
        let got = incoming().collect::<Vec<_>>();
        assert_eq!((got.len(), &got[0]["state"]), (1, &json!("handled")));
        assert_eq!(got[0]["classification"]["type"], "human_request");
        assert_eq!(fixture.escalations(&account, &sent).len(), 1);
    })
    .await;
}

#[tokio::test]
async fn opt_out_from_another_mailbox_applies_to_the_reminded_address() {
    on_both(async |fixture| {
        let (account, invoice, sent) = reminded(&fixture).await;
        let got = fixture.receive(&answer(&sent, "ada.private@mail.example", "unsubscribe"));
        assert_eq!(got["classification"]["type"], "opt_out", "{got}");
        assert_eq!(fixture.messages(&account).len(), 2);
        fixture.at(datetime!(2026-12-11 08:00 UTC));
        assert_eq!(fixture.run(id(&invoice)), ["+7 email hold opted_out"]);
    })
    .await;
}

/// Gives a message a type as the owner.
async fn correct(owner: &Browser, message: &Value, to: &str) {
    let form_token = hidden(&owner.get("/dashboard/inbox").await.expect(200), "once");
    let path = format!("/dashboard/messages/{}/correct", message["message_id"].as_str().unwrap());
    let fields = [("once", &*form_token), ("type", to), ("back", "inbox")];
    owner.post(&path, &fields).await.expect(303);
}

/// The rules are not sure of these messages, and do nothing.
#[tokio::test]
async fn opt_out_and_escalation_that_the_owner_recognizes_take_effect() {
    on_both(async |fixture| {
        let (account, invoice, sent) = reminded(&fixture).await;
        let forged = "From: Ada <ada@example.com>\nTo: invoices@localhost\nMessage-ID: <2@elsewhere>\n\n\
                      I cannot pay, I lost my job.\n";
        let hardship = fixture.receive(forged);
        assert_eq!(hardship["classification"]["type"], "hardship", "{hardship}");
        assert!(fixture.escalations(&account, &sent).is_empty());
        let opt_out = fixture.receive(&answer(&sent, "ada@example.com", "Leave me out of this from now on."));
        assert_eq!(opt_out["classification"]["sure"], false, "{opt_out}");
        let now = datetime!(2026-12-11 08:00 UTC);
        fixture.at(now);
        assert_eq!(fixture.run(id(&invoice)), ["+7 email hold reply_unread"]);
        let owner = Browser::signed_in_at(now, &fixture.server, &account.id).await;
        correct(&owner, &opt_out, "opt_out").await;
        for _ in 0..2 {
            correct(&owner, &hardship, "hardship").await;
        }
        let open = fixture.escalations(&account, &sent);
        assert_eq!(open.len(), 1, "once: {open:?}");
        assert_eq!(open[0]["escalation_type"], "hardship");
        let resolve = ["escalation", "resolve", id(&open[0]), "--account", &account.id];
        fixture.server.command_json(&[&resolve[..], &["--outcome", "no_action"]].concat());
        fixture.at(datetime!(2026-12-13 08:00 UTC));
        assert_eq!(fixture.run(id(&invoice)), ["+7 email hold opted_out"]);
    })
    .await;
}

#[tokio::test]
async fn promise_that_the_owner_recognizes_is_stored_for_its_invoice() {
    on_both(async |fixture| {
        let (account, invoice, sent) = reminded(&fixture).await;
        let forged = |n: u32, text: &str| {
            let number = invoice["invoice_number"].as_str().unwrap();
            let head = format!("From: Ada <ada@example.com>\nTo: invoices@localhost\nSubject: {number}\n");
            fixture.receive(&format!("{head}Message-ID: <{n}@elsewhere>\n\n{text}\n"))
        };
        let without_day = forged(1, "I promise to pay.");
        let promise = forged(2, "I will pay on 20 December.");
        assert_eq!(promise["classification"]["type"], "promise", "{promise}");
        assert_eq!(promise["classification"]["sure"], false, "{promise}");
        let now = datetime!(2026-12-11 08:00 UTC);
        fixture.at(now);
        let owner = Browser::signed_in_at(now, &fixture.server, &account.id).await;
        correct(&owner, &promise, "promise").await;
        correct(&owner, &without_day, "promise").await;
        let contact = sent["contact_id"].as_str().unwrap();
        let words = ["contact", "export", "--account", &account.id, "--contact", contact];
        let promises = fixture.server.command_json(&words)["invoices"][0]["promises"].clone();
        assert_eq!((&promises[0]["date"], promises.as_array().unwrap().len()), (&json!("2026-12-20"), 1));
        let inbox = String::from_utf8(owner.get("/dashboard/inbox").await.expect(200).bytes).unwrap();
        assert_eq!(inbox.matches("/handled\"").count(), 1, "the one without a day still waits: {inbox}");
    })
    .await;
}

#[tokio::test]
async fn promise_without_a_day_that_the_owner_recognizes_holds_reminders() {
    on_both(async |fixture| {
        let (account, invoice, sent) = reminded(&fixture).await;
        let other = fixture.receive(&answer(&sent, "ada@example.com", "Thank you for the invoice."));
        assert_eq!(
            (&other["classification"]["type"], &other["classification"]["sure"]),
            (&json!("other"), &json!(true))
        );
        let now = datetime!(2026-12-11 08:00 UTC);
        fixture.at(now);
        let owner = Browser::signed_in_at(now, &fixture.server, &account.id).await;
        correct(&owner, &other, "promise").await;
        assert_eq!(fixture.run(id(&invoice)), ["+7 email hold reply_unread"]);
    })
    .await;
}

#[tokio::test]
async fn opt_out_ends_reminders_and_a_claim_waits_for_the_owner() {
    on_both(async |fixture| {
        let (account, invoice, sent) = reminded(&fixture).await;
        let got = fixture.receive(&answer(&sent, "ada@example.com", "unsubscribe"));
        assert_eq!(got["classification"]["type"], "opt_out", "{got}");
        fixture.at(datetime!(2026-12-11 08:00 UTC));
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
        let (account, _, sent) = reminded(&fixture).await;
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

#[tokio::test]
async fn erased_contact_leaves_its_issued_invoices_alone() {
    on_both(async |fixture| {
        let (account, invoice, sent) = reminded(&fixture).await;
        fixture.receive(&answer(&sent, "ada@example.com", "I lost my job."));
        let contact = sent["contact_id"].as_str().unwrap();
        let words = ["--account", &account.id, "--contact", contact];
        let held = fixture.server.command_json(&[&["contact", "export"][..], &words].concat());
        assert_eq!(held["messages"].as_array().unwrap().len(), 2, "{held}");
        let erased = fixture.server.command_json(&[&["contact", "erase"][..], &words].concat());
        assert_eq!(erased, json!({"contact_id": contact, "erased": true}));
        assert_eq!(fixture.messages(&account).len(), 0);
        let open = fixture.escalations(&account, &sent);
        assert_eq!(open[0]["customer_statement"], "(erased)");
        let read = account.key.get(&format!("/invoices/{}", id(&invoice))).await.expect(200).body;
        assert_eq!(read["contact"]["name"], "Ada Lovelace");
        assert_eq!(fixture.receive(&answer(&sent, "ada@example.com", "Hello?"))["state"], "dropped");
    })
    .await;
}

#[tokio::test]
async fn export_of_a_contact_has_its_invoices_with_payments_promises_and_decisions() {
    on_both(async |fixture| {
        let (account, invoice, sent) = reminded(&fixture).await;
        account.invoice("2027-01-31", json!({"email": "grace@example.com"})).await;
        fixture.receive(&answer(&sent, "ada@example.com", "I will pay on Friday."));
        fixture.receive(&answer(&sent, "ada@example.com", "unsubscribe"));
        Browser::new(&fixture.server).get(invoice["pay_url"].as_str().unwrap()).await.expect(200);
        let owner =
            Browser::signed_in_at(datetime!(2026-12-07 08:00 UTC), &fixture.server, &account.id).await;
        let form = format!("/dashboard/contacts/{}", invoice["contact"]["id"].as_str().unwrap());
        let version = hidden(&owner.get(&form).await.expect(200), "version");
        let moved = [("version", &*version), ("name", "Ada"), ("email", "ada@elsewhere.example")];
        owner.submit(&form, &moved).await.expect(303);
        let which = ["--account", &account.id, "--invoice", id(&invoice)];
        let what = ["--amount", "10", "--method", "cash"];
        fixture.server.command_json(&[&["payment", "record"], &which[..], &what].concat());
        let contact = sent["contact_id"].as_str().unwrap();
        let words = ["contact", "export", "--account", &account.id, "--contact", contact];
        let held = fixture.server.command_json(&words);
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

        let how = ["--channel", "sms", "--how", "by telephone"];
        let contact = ["--account", &account.id, "--contact", contact];
        fixture.server.command_json(&[&["contact", "consent"], &contact[..], &how].concat());
        let held = fixture.server.command_json(&[&["contact", "export"], &contact[..]].concat());
        let records = exported(&fixture.server, &account.id);
        let of = |kind| of_kind(&records, kind);
        assert_eq!((of("contact").len(), of("invoice").len()), (2, 2), "those of the other contact too");
        assert_eq!(json!(of("message")), held["messages"]);
        assert_eq!(json!(of("consent")), held["consents"]);
        assert_eq!(of("opt_out")[0]["held"], held["opt_outs"][0]);
        let history = &held["invoices"][0];
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
        assert_eq!(fixture.file(&mail)["to"], "ada@example.com");
        fixture.at(datetime!(2026-12-02 08:00 UTC));
        assert_eq!(fixture.run(id(&invoice)), ["-3 email hold recently_mailed"]);
        let got = fixture.receive(&answer(&mail, "ada@example.com", "The amount is wrong."));
        assert_eq!(got["classification"]["type"], "dispute", "{got}");
        assert_eq!(got["invoice_id"], id(&invoice));
    })
    .await;
}

/// A delivery report of a mail server (RFC 3464) about the mail with this id.
fn bounce(returned: &str, recipient: &str) -> String {
    format!(
        "From: MAILER-DAEMON@mx.example\nTo: invoices@localhost\nSubject: Undelivered\nMessage-ID: <b@mx.example>\n\
         MIME-Version: 1.0\nContent-Type: multipart/report; report-type=delivery-status; boundary=\"x\"\n\n\
         --x\nContent-Type: text/plain\n\nNot delivered.\n\
         --x\nContent-Type: message/delivery-status\n\nReporting-MTA: dns; mx.example\n\n\
         Final-Recipient: rfc822; {recipient}\nAction: failed\nStatus: 5.1.1\n\n\
         --x\nContent-Type: message/rfc822\n\nMessage-ID: <{returned}@localhost>\nTo: {recipient}\n\nHi\n--x--\n"
    )
}

/// Mail is sent to a domain in ASCII, which reports and some mail programs then name.
#[tokio::test]
async fn bounce_and_opt_out_reach_a_contact_whose_domain_is_written_in_other_letters() {
    on_both(async |fixture| {
        let account = fixture.account().await;
        fixture.start_reminders(&account, "1:email,7:email");
        let mut invoices = Vec::new();
        for address in ["ada@münchen.example", "grace@zürich.example"] {
            invoices.push(account.invoice("2026-12-04", json!({"email": address})).await);
        }
        fixture.at(datetime!(2026-12-07 08:00 UTC));
        fixture.run("");
        let sent = fixture.sent_at_least(&account, 2).await;
        let to_ada = sent.iter().find(|one| one["contact_id"] == invoices[0]["contact"]["id"]).unwrap();
        fixture.receive(&bounce(to_ada["message_id"].as_str().unwrap(), "ada@xn--mnchen-3ya.example"));
        let plain = "From: grace@xn--zrich-kva.example\nTo: invoices@localhost\nMessage-ID: <3@mail.example>\n\n\
                     unsubscribe\n";
        assert_eq!(fixture.receive(plain)["account_id"], account.id);
        fixture.at(datetime!(2026-12-11 08:00 UTC));
        let decided = fixture.server.command_json(&["reminder", "run"]);
        let reason = |invoice: &Value| {
            let mut own = decided.as_array().unwrap().iter().filter(|one| one["invoice_id"] == invoice["id"]);
            decision(own.next().unwrap())
        };
        assert_eq!(reason(&invoices[0]), "+7 email hold bounced");
        assert_eq!(reason(&invoices[1]), "+7 email hold opted_out");
    })
    .await;
}

#[tokio::test]
async fn hard_bounce_counts_where_it_names_a_mail_of_ours_to_that_address() {
    on_both(async |fixture| {
        let (account, invoice, sent) = reminded(&fixture).await;
        let message = sent["message_id"].as_str().unwrap();
        fixture.receive(&bounce(message, "grace@example.com"));
        fixture.receive(&bounce("019aa1b2-0000-7000-8000-0123456789ab", "ada@example.com"));
        let other = account.invoice("2026-12-08", json!({"email": "grace@example.com"})).await;
        assert_eq!(fixture.receive(&bounce(message, "ada@example.com"))["state"], "automatic");
        let shown = fixture.server.command_json(&["message", "show", message]);
        assert_eq!(shown["state"], "failed");
        fixture.at(datetime!(2026-12-11 08:00 UTC));
        assert_eq!(fixture.run(id(&other)), ["+1 email send"], "it was not hers that bounced");
        let words = ["reminder", "why", "--account", &account.id, "--invoice", id(&invoice)];
        assert_eq!(super::decision(&fixture.server.command_json(&words)[0]), "+7 email hold bounced");
    })
    .await;
}

/// The process may have ended before it recorded that the mail was sent.
#[tokio::test]
async fn link_and_bounce_of_a_mail_that_is_still_queued_close_its_address() {
    on_both(async |fixture| {
        let account = fixture.account().await;
        let invoice = account.invoice("2026-12-31", json!({})).await;
        let contact = invoice["contact"]["id"].as_str().unwrap();
        let id = Id::new(&SystemIds::default(), START);
        let owner = Id::parse(&account.id).unwrap();
        let token = ReplyToken::generate(owner, &SystemRandom::default()).unwrap();
        let to = Address::parse(Channel::Email, "ada@example.com").unwrap();
        let reminder = MessagePurpose::Reminder;
        let queued = Message::new(MessageData {
            contact: Some(Id::parse(contact).unwrap()),
            internet_id: Some(format!("{id}@localhost")),
            reply_token: Some(token.clone()),
            ..MessageData::outgoing(id, owner, reminder, (Channel::Email, to), START)
        });
        let url = &fixture.server.database.url;
        let store = store_diesel::open(url, &store_diesel::StoreOptions::default()).await.unwrap();
        let mut tx = store.communications.begin(owner).await.unwrap();
        tx.messages().insert(&queued, &[]).await.unwrap();
        tx.commit().await.unwrap();
        let browser = Browser::new(&fixture.server);
        let request = browser.request(Method::POST, &format!("/unsubscribe/{}", token.reveal()));
        browser.send(request.body("List-Unsubscribe=One-Click")).await.expect(200);
        fixture.receive(&bounce(&id.to_string(), "ada@example.com"));
        let words = ["contact", "export", "--account", &account.id, "--contact", contact];
        let held = fixture.server.command_json(&words)["opt_outs"].clone();
        let closed = held.as_array().unwrap().iter().map(|one| one["closed"].as_str().unwrap());
        assert_eq!(closed.collect::<BTreeSet<_>>(), BTreeSet::from(["bounced", "opted_out"]), "{held}");
        assert!(held.as_array().unwrap().iter().all(|one| one["lifted_at"].is_null()), "{held}");
    })
    .await;
}

#[tokio::test]
async fn address_that_works_again_is_reminded_until_mail_to_it_comes_back_anew() {
    on_both(async |fixture| {
        let (account, invoice, sent) = reminded(&fixture).await;
        fixture.receive(&bounce(sent["message_id"].as_str().unwrap(), "ada@example.com"));
        let now = datetime!(2026-12-11 08:00 UTC);
        fixture.at(now);
        assert_eq!(fixture.run(id(&invoice)), ["+7 email hold bounced"]);
        let owner = Browser::signed_in_at(now, &fixture.server, &account.id).await;
        let contact = invoice["contact"]["id"].as_str().unwrap();
        let path = format!("/dashboard/contacts/{contact}");
        let page = owner.get(&path).await.expect(200);
        let shown = String::from_utf8_lossy(&page.bytes).into_owned();
        assert!(shown.contains("Mark as working again"), "{shown}");
        let form_token = hidden(&page, "once");
        let works = format!("{path}/works-again");
        let fields = [("once", &*form_token), ("channel", "email")];
        owner.post(&works, &fields).await.expect(422);
        let fields = [&fields[..], &[("word", "She emptied her mailbox")]].concat();
        owner.post(&works, &fields).await.expect(303);
        assert_eq!(fixture.run(id(&invoice)), ["+7 email send"]);
        let second = fixture.sent(&account).await.remove(0);
        fixture.receive(&bounce(second["message_id"].as_str().unwrap(), "ada@example.com"));
        let words = ["contact", "export", "--account", &account.id, "--contact", contact];
        let held = fixture.server.command_json(&words)["opt_outs"].clone();
        assert_eq!(held[0]["lifted_at"], json!(null), "{held}");
        assert_eq!(held[1]["lifted_how"], "She emptied her mailbox", "{held}");
        let audit = fixture.server.command_json(&["audit", "list", "--account", &account.id]);
        assert_eq!(audit[0]["action"], "bounce.ended", "{audit}");
        assert!(!audit.to_string().contains("mailbox"), "{audit}");
    })
    .await;
}

#[tokio::test]
async fn promise_by_mail_is_stored_and_reminders_wait_for_its_day() {
    on_both(async |fixture| {
        let (_, invoice, sent) = reminded(&fixture).await;
        let got = fixture.receive(&answer(&sent, "ada@example.com", "I will pay on Friday."));
        let says = &got["classification"];
        assert_eq!((&says["type"], &says["date"]), (&json!("promise"), &json!("2026-12-11")), "{got}");
        assert_eq!(says["sure"], true, "{got}");
        fixture.at(datetime!(2026-12-11 08:00 UTC));
        assert_eq!(fixture.run(id(&invoice)), ["+7 email hold promise"]);
        fixture.at(datetime!(2026-12-12 08:00 UTC));
        assert_eq!(fixture.run(id(&invoice)), ["+7 email send"]);
    })
    .await;
}
