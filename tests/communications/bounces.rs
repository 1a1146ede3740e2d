//! Delivery reports, and the addresses that they close.

use std::collections::BTreeSet;

use communications::{Address, Channel, Message, MessageData, MessagePurpose, ReplyToken};
use kernel::{Id, SystemIds, SystemRandom};
use reqwest::Method;
use serde_json::{Value, json};

use super::{NEXT_STEP, REMINDED, START, decision, id, on_both};
use crate::test_app::{Browser, hidden};

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
        fixture.at(REMINDED);
        fixture.run("");
        let sent = fixture.sent_at_least(&account, 2).await;
        let to_ada = sent.iter().find(|one| one["contact_id"] == invoices[0]["contact"]["id"]).unwrap();
        fixture.receive(&bounce(to_ada["message_id"].as_str().unwrap(), "ada@xn--mnchen-3ya.example"));
        let plain = "From: grace@xn--zrich-kva.example\nTo: invoices@localhost\nMessage-ID: <3@mail.example>\n\n\
                     unsubscribe\n";
        assert_eq!(fixture.receive(plain)["account_id"], account.id);
        fixture.at(NEXT_STEP);
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

/// Pages show the ids of messages, from which others must not be able to make a report.
#[tokio::test]
async fn bounce_that_names_a_mail_by_the_id_of_its_message_closes_nothing() {
    on_both(async |fixture| {
        let (account, invoice, sent) = fixture.reminded().await;
        let message = sent["message_id"].as_str().unwrap();
        fixture.receive_as_it_is(&bounce(message, "ada@example.com"));
        assert_eq!(fixture.server.command_json(&["message", "show", message])["state"], "sent");
        fixture.at(NEXT_STEP);
        assert_eq!(fixture.run(id(&invoice)), ["+7 email send"], "{}", account.id);
    })
    .await;
}

#[tokio::test]
async fn hard_bounce_counts_where_it_names_a_mail_of_ours_to_that_address() {
    on_both(async |fixture| {
        let (account, invoice, sent) = fixture.reminded().await;
        let message = sent["message_id"].as_str().unwrap();
        fixture.receive(&bounce(message, "grace@example.com"));
        fixture.receive(&bounce("019aa1b2-0000-7000-8000-0123456789ab", "ada@example.com"));
        let other = account.invoice("2026-12-08", json!({"email": "grace@example.com"})).await;
        assert_eq!(fixture.receive(&bounce(message, "ada@example.com"))["state"], "automatic");
        let shown = fixture.server.command_json(&["message", "show", message]);
        assert_eq!(shown["state"], "failed");
        fixture.at(NEXT_STEP);
        assert_eq!(fixture.run(id(&other)), ["+1 email send"], "it was not hers that bounced");
        let words = ["reminder", "why", "--account", &account.id, "--invoice", id(&invoice)];
        assert_eq!(decision(&fixture.server.command_json(&words)[0]), "+7 email hold bounced");
    })
    .await;
}

#[tokio::test]
async fn bounce_that_names_a_mail_is_erased_with_its_contact() {
    on_both(async |fixture| {
        let (account, _, sent) = fixture.reminded().await;
        let got = fixture.receive(&bounce(sent["message_id"].as_str().unwrap(), "ada@example.com"));
        assert_eq!((&got["state"], &got["contact_id"]), (&json!("automatic"), &sent["contact_id"]), "{got}");
        let show = ["message", "show", got["message_id"].as_str().unwrap()];
        let shown = || String::from_utf8(fixture.server.command(&show).stdout).unwrap();
        assert!(shown().contains("Not delivered."), "{}", shown());
        fixture.erase(&account, &sent["contact_id"]);
        let left = shown();
        assert!(!left.contains("Not delivered.") && !left.contains("ada@example.com"), "{left}");
    })
    .await;
}

/// An address may have been another contact's before.
#[tokio::test]
async fn notice_about_a_bounce_links_the_contact_that_has_the_address_now() {
    on_both(async |fixture| {
        // The mail to Bob comes back, or that of another account.
        for is_of_other in [false, true] {
            fixture.at(START);
            let [(account, _, sent), (_, _, of_other)] = fixture.two_reminded().await;
            fixture.move_contact(&account, &sent["contact_id"], "ada@new.example").await;
            let bob = json!({"name": "Bob", "email": "ada@example.com"});
            let invoice = account.invoice("2026-12-10", bob).await;
            fixture.at(NEXT_STEP);
            assert_eq!(fixture.run(id(&invoice)), ["+1 email send"]);
            let sent = fixture.sent_at_least(&account, 3).await;
            let to_bob = sent.iter().find(|one| one["contact_id"] == invoice["contact"]["id"]).unwrap();
            let returned = if is_of_other { &of_other } else { to_bob };
            fixture.receive(&bounce(returned["message_id"].as_str().unwrap(), "ada@example.com"));
            let path = format!("/dashboard/contacts/{}", invoice["contact"]["id"].as_str().unwrap());
            let told =
                |mail: &str| mail.contains("ada@example.com cannot be delivered") && mail.contains(&path);
            fixture.server.mails(1, told).await;
        }
    })
    .await;
}

/// The process may have ended before it recorded that the mail was sent.
#[tokio::test]
async fn link_and_bounce_of_a_mail_that_is_still_queued_close_its_address() {
    on_both(async |fixture| {
        let account = fixture.account().await;
        let invoice = account.invoice("2026-12-31", json!({})).await;
        let contact = &invoice["contact"]["id"];
        let id = Id::new(&SystemIds::default(), START);
        let owner = Id::parse(&account.id).unwrap();
        let token = ReplyToken::generate(owner, &SystemRandom::default());
        let to = Address::parse(Channel::Email, "ada@example.com").unwrap();
        let reminder = MessagePurpose::Reminder;
        let queued = Message::new(MessageData {
            contact: Some(Id::parse(contact.as_str().unwrap()).unwrap()),
            internet_id: Some(format!("{id}@localhost")),
            reply_token: Some(token.clone()),
            ..MessageData::outgoing(id, owner, reminder, (Channel::Email, to), START)
        });
        let mut tx = fixture.server.database.store().await.communications.begin(owner).await.unwrap();
        tx.messages().insert(&queued, &[]).await.unwrap();
        tx.commit().await.unwrap();
        let browser = Browser::new(&fixture.server);
        let link = format!("/unsubscribe/{}", token.reveal());
        assert!(browser.get(&link).await.expect(200).html().contains("<button>"));
        let request = browser.request(Method::POST, &link);
        let ended = browser.send(request.body("List-Unsubscribe=One-Click")).await.expect(200).html();
        // Who opens the link once more is told the same, and not asked to press again.
        assert_eq!(browser.get(&link).await.expect(200).html(), ended);
        assert!(!ended.contains("<button>"), "{ended}");
        fixture.receive(&bounce(&id.to_string(), "ada@example.com"));
        let held = &fixture.export(&account, contact)["opt_outs"];
        let closed = held.as_array().unwrap().iter().map(|one| one["closed"].as_str().unwrap());
        assert_eq!(closed.collect::<BTreeSet<_>>(), BTreeSet::from(["bounced", "opted_out"]), "{held}");
        assert!(held.as_array().unwrap().iter().all(|one| one["lifted_at"].is_null()), "{held}");
    })
    .await;
}

#[tokio::test]
async fn address_that_works_again_is_reminded_until_mail_to_it_comes_back_anew() {
    on_both(async |fixture| {
        let (account, invoice, sent) = fixture.reminded().await;
        fixture.receive(&bounce(sent["message_id"].as_str().unwrap(), "ada@example.com"));
        fixture.at(NEXT_STEP);
        assert_eq!(fixture.run(id(&invoice)), ["+7 email hold bounced"]);
        let owner = fixture.owner(&account).await;
        let contact = &invoice["contact"]["id"];
        let path = format!("/dashboard/contacts/{}", contact.as_str().unwrap());
        let page = owner.get(&path).await.expect(200);
        let shown = page.html();
        assert!(shown.contains("Mark as working again"), "{shown}");
        let form_token = hidden(&page, "once");
        let works = format!("{path}/works-again");
        let fields = [("once", &*form_token), ("channel", "email")];
        owner.post(&works, &fields).await.expect(422);
        let fields = [&fields[..], &[("word", "She emptied her mailbox")]].concat();
        owner.post(&works, &fields).await.expect(303);
        assert_eq!(fixture.run(id(&invoice)), ["+7 email send"]);
        let second = fixture.sent(&account).await.remove(0);
        let repeated = bounce(sent["message_id"].as_str().unwrap(), "ada@example.com");
        fixture.receive(&format!("Received: from a by b\n{repeated}"));
        let held = fixture.export(&account, contact)["opt_outs"].clone();
        assert!(!held[0]["lifted_at"].is_null(), "it is about mail of before: {held}");
        fixture.receive(&bounce(second["message_id"].as_str().unwrap(), "ada@example.com"));
        let held = fixture.export(&account, contact)["opt_outs"].clone();
        assert_eq!(held[0]["lifted_at"], json!(null), "{held}");
        assert_eq!(held[1]["lifted_how"], "She emptied her mailbox", "{held}");
        let audit = fixture.server.command_json(&["audit", "list", "--account", &account.id]);
        assert_eq!(audit[0]["action"], "bounce.ended", "{audit}");
        assert!(!audit.to_string().contains("mailbox"), "{audit}");
    })
    .await;
}
