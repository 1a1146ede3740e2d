//! The owner gives a message another type, and the service does what follows from it.

use serde_json::{Value, json};
use time::macros::datetime;

use super::{NEXT_STEP, answer, id, on_both};
use crate::test_app::{Browser, hidden};

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
        let (account, invoice, sent) = fixture.reminded().await;
        let forged = "From: Ada <ada@example.com>\nTo: invoices@localhost\nMessage-ID: <2@elsewhere>\n\n\
                      I cannot pay, I lost my job.\n";
        let hardship = fixture.receive(forged);
        assert_eq!(hardship["classification"]["type"], "hardship", "{hardship}");
        assert!(fixture.escalations(&account, &sent).is_empty());
        let opt_out = fixture.receive(&answer(&sent, "ada@example.com", "Leave me out of this from now on."));
        assert_eq!(opt_out["classification"]["sure"], false, "{opt_out}");
        fixture.at(NEXT_STEP);
        assert_eq!(fixture.run(id(&invoice)), ["+7 email hold reply_unread"]);
        let owner = fixture.owner(&account).await;
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
async fn correction_of_a_type_that_another_one_changed_is_refused() {
    on_both(async |fixture| {
        let (account, _, sent) = fixture.reminded().await;
        let other = fixture.receive(&answer(&sent, "ada@example.com", "Thank you for the invoice."));
        fixture.at(NEXT_STEP);
        let owner = fixture.owner(&account).await;
        let path = format!("/dashboard/messages/{}", other["message_id"].as_str().unwrap());
        let mut tabs = Vec::new();
        for _ in 0..2 {
            let page = owner.get(&path).await.expect(200);
            tabs.push((hidden(&page, "once"), hidden(&page, "version")));
        }
        for ((form_token, version), (to, status)) in tabs.iter().zip([("hardship", 303), ("dispute", 409)]) {
            let fields = [("once", &**form_token), ("version", version), ("type", to), ("back", "inbox")];
            owner.post(&format!("{path}/correct"), &fields).await.expect(status);
        }
        let open = fixture.escalations(&account, &sent);
        assert_eq!((open.len(), &open[0]["escalation_type"]), (1, &json!("hardship")), "{open:?}");
    })
    .await;
}

/// The contact may write from another mailbox than the one that reminders go to.
#[tokio::test]
async fn opt_out_from_another_mailbox_that_the_owner_recognizes_closes_the_contacts_address_too() {
    on_both(async |fixture| {
        let (account, invoice, sent) = fixture.reminded().await;
        let text = "Kindly write to somebody else about this in future.";
        let got = fixture.receive(&answer(&sent, "assistant@elsewhere.example", text));
        assert_ne!(got["classification"]["type"], "opt_out", "{got}");
        fixture.at(NEXT_STEP);
        let owner = fixture.owner(&account).await;
        correct(&owner, &got, "opt_out").await;
        assert_eq!(fixture.run(id(&invoice)), ["+7 email hold opted_out"]);
        let held = &fixture.export(&account, &sent["contact_id"])["opt_outs"];
        assert_eq!(held[0]["how"], text, "{held}");
    })
    .await;
}

#[tokio::test]
async fn opt_out_that_the_owner_confirms_closes_an_address_that_was_opened_again() {
    on_both(async |fixture| {
        let (account, invoice, sent) = fixture.reminded().await;
        let opt_out = fixture.receive(&answer(&sent, "ada@example.com", "unsubscribe"));
        assert_eq!(opt_out["classification"]["sure"], true, "{opt_out}");
        fixture.at(NEXT_STEP);
        let owner = fixture.owner(&account).await;
        let path = format!("/dashboard/contacts/{}", sent["contact_id"].as_str().unwrap());
        let form_token = hidden(&owner.get(&path).await.expect(200), "once");
        let fields = [("once", &*form_token), ("channel", "email"), ("word", "She asked for them.")];
        owner.post(&format!("{path}/turn-on"), &fields).await.expect(303);
        correct(&owner, &opt_out, "opt_out").await;
        assert_eq!(fixture.run(id(&invoice)), ["+7 email hold opted_out"]);
    })
    .await;
}

#[tokio::test]
async fn promise_that_the_owner_recognizes_is_stored_for_its_invoice() {
    on_both(async |fixture| {
        let (account, invoice, sent) = fixture.reminded().await;
        let forged = |n: u32, text: &str| {
            let number = invoice["invoice_number"].as_str().unwrap();
            let head = format!("From: Ada <ada@example.com>\nTo: invoices@localhost\nSubject: {number}\n");
            fixture.receive(&format!("{head}Message-ID: <{n}@elsewhere>\n\n{text}\n"))
        };
        let without_day = forged(1, "I promise to pay.");
        let promise = forged(2, "I will pay on 20 December.");
        assert_eq!(promise["classification"]["type"], "promise", "{promise}");
        assert_eq!(promise["classification"]["sure"], false, "{promise}");
        fixture.at(NEXT_STEP);
        let owner = fixture.owner(&account).await;
        correct(&owner, &promise, "promise").await;
        correct(&owner, &without_day, "promise").await;
        let promises = &fixture.export(&account, &sent["contact_id"])["invoices"][0]["promises"];
        assert_eq!((&promises[0]["date"], promises.as_array().unwrap().len()), (&json!("2026-12-20"), 1));
        let inbox = owner.get("/dashboard/inbox").await.expect(200).html();
        assert_eq!(inbox.matches("/handled\"").count(), 1, "the one without a day still waits: {inbox}");
    })
    .await;
}

#[tokio::test]
async fn promise_that_the_owner_does_not_recognize_is_withdrawn() {
    on_both(async |fixture| {
        let (account, invoice, sent) = fixture.reminded().await;
        let first = fixture.receive(&answer(&sent, "ada@example.com", "Hello, I will pay on 18 December."));
        let promise = fixture.receive(&answer(&sent, "ada@example.com", "I will pay on 20 December."));
        assert_eq!(promise["classification"]["sure"], true, "{promise}");
        fixture.at(NEXT_STEP);
        assert_eq!(fixture.run(id(&invoice)), ["+7 email hold promise"]);
        let owner = fixture.owner(&account).await;
        // The promise that it replaced holds again.
        correct(&owner, &promise, "other").await;
        let promised = async || {
            let page = Browser::new(&fixture.server).get(invoice["pay_url"].as_str().unwrap()).await;
            page.expect(200).html()
        };
        assert!(promised().await.contains("You promised to pay by 18 December"), "{}", promised().await);
        correct(&owner, &first, "other").await;
        assert_eq!(fixture.run(id(&invoice)), ["+7 email send"]);
        assert!(!promised().await.contains("You promised"), "{}", promised().await);
    })
    .await;
}

#[tokio::test]
async fn promise_without_a_day_that_the_owner_recognizes_holds_reminders() {
    on_both(async |fixture| {
        let (account, invoice, sent) = fixture.reminded().await;
        let other = fixture.receive(&answer(&sent, "ada@example.com", "Thank you for the invoice."));
        assert_eq!(
            (&other["classification"]["type"], &other["classification"]["sure"]),
            (&json!("other"), &json!(true))
        );
        fixture.at(NEXT_STEP);
        let owner = fixture.owner(&account).await;
        correct(&owner, &other, "promise").await;
        assert_eq!(fixture.run(id(&invoice)), ["+7 email hold reply_unread"]);
    })
    .await;
}
