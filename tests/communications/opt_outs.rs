//! Opt-outs by e-mail: which addresses get no more reminders.

use serde_json::{Value, json};

use super::{NEXT_STEP, REMINDED, answer, id, on_both};
use crate::test_app::{Browser, TestResponse, hidden};

#[tokio::test]
async fn opt_out_from_another_mailbox_applies_to_the_reminded_address() {
    on_both(async |fixture| {
        let (account, invoice, sent) = fixture.reminded().await;
        let got = fixture.receive(&answer(&sent, "ada.private@mail.example", "unsubscribe"));
        assert_eq!(got["classification"]["type"], "opt_out", "{got}");
        assert_eq!(fixture.messages(&account).len(), 2);
        fixture.at(NEXT_STEP);
        assert_eq!(fixture.run(id(&invoice)), ["+7 email hold opted_out"]);
    })
    .await;
}

#[tokio::test]
async fn opt_out_of_a_contact_whose_address_was_changed_applies_to_the_present_one() {
    on_both(async |fixture| {
        let (account, invoice, sent) = fixture.reminded().await;
        fixture.at(NEXT_STEP);
        fixture.move_contact(&account, &sent["contact_id"], "ada@new.example").await;
        let got = fixture.receive(&answer(&sent, "ada.private@mail.example", "unsubscribe"));
        assert_eq!(got["classification"]["sure"], true, "{got}");
        assert_eq!(fixture.run(id(&invoice)), ["+7 email hold opted_out"]);
    })
    .await;
}

/// A mailbox may forward to the present one.
#[tokio::test]
async fn link_in_a_mail_to_an_earlier_address_ends_reminders_to_the_present_one() {
    on_both(async |fixture| {
        let (account, invoice, sent) = fixture.reminded().await;
        fixture.at(NEXT_STEP);
        fixture.move_contact(&account, &sent["contact_id"], "ada@new.example").await;
        let browser = Browser::new(&fixture.server);
        let link = fixture.unsubscribe_link(&sent).await;
        assert!(browser.get(&link).await.expect(200).html().contains("<button>"));
        fixture.press_unsubscribe(&sent).await;
        assert!(!browser.get(&link).await.expect(200).html().contains("<button>"));
        assert_eq!(fixture.run(id(&invoice)), ["+7 email hold opted_out"]);
        fixture.move_contact(&account, &sent["contact_id"], "ada@newer.example").await;
        assert!(browser.get(&link).await.expect(200).html().contains("<button>"), "reminders go there");
    })
    .await;
}

#[tokio::test]
async fn opt_out_that_came_after_a_page_was_shown_is_not_ended_by_its_form() {
    on_both(async |fixture| {
        let (account, invoice, sent) = fixture.reminded().await;
        fixture.press_unsubscribe(&sent).await;
        fixture.at(NEXT_STEP);
        let owner = fixture.owner(&account).await;
        let path = format!("/dashboard/contacts/{}", sent["contact_id"].as_str().unwrap());
        let turn_on = async |page: &TestResponse| {
            let (once, hold) = (hidden(page, "once"), hidden(page, "hold"));
            let fields =
                [("once", &*once), ("channel", "email"), ("hold", &*hold), ("word", "She asked for them.")];
            owner.post(&format!("{path}/turn-on"), &fields).await
        };
        let (first, second) = (owner.get(&path).await, owner.get(&path).await);
        turn_on(&second).await.expect(303);
        fixture.press_unsubscribe(&sent).await;
        turn_on(&first).await.expect(409);
        let once = hidden(&owner.get(&path).await, "once");
        let of_nothing = [("once", &*once), ("channel", "email"), ("hold", "x"), ("word", "She asked.")];
        owner.post(&format!("{path}/turn-on"), &of_nothing).await.expect(422);
        assert_eq!(fixture.run(id(&invoice)), ["+7 email hold opted_out"]);
        turn_on(&owner.get(&path).await).await.expect(303);
        assert_eq!(fixture.run(id(&invoice)), ["+7 email send"]);
    })
    .await;
}

#[tokio::test]
async fn opt_out_keeps_its_words_in_the_account_that_it_was_sent_to() {
    on_both(async |fixture| {
        let [(account, _, sent), (other, _, to_other)] = fixture.two_reminded().await;
        let text = "Please stop sending me reminders.";
        let got = fixture.receive(&answer(&sent, "ada@example.com", text));
        assert_eq!((&got["account_id"], &got["classification"]["sure"]), (&json!(account.id), &json!(true)));
        for (account, to, how) in
            [(&account, &sent, text), (&other, &to_other, "the customer asked for it by e-mail")]
        {
            let held = &fixture.export(account, &to["contact_id"])["opt_outs"];
            assert_eq!((held.as_array().unwrap().len(), &held[0]["how"]), (1, &json!(how)), "{held}");
        }
    })
    .await;
}

#[tokio::test]
async fn opt_out_without_a_sender_applies_to_the_address_that_it_answers() {
    on_both(async |fixture| {
        let (_, invoice, sent) = fixture.reminded().await;
        let raw =
            answer(&sent, "ada@example.com", "unsubscribe").replace("From: Ada <ada@example.com>\n", "");
        assert_eq!(fixture.receive(&raw)["classification"]["sure"], true);
        fixture.at(NEXT_STEP);
        assert_eq!(fixture.run(id(&invoice)), ["+7 email hold opted_out"]);
    })
    .await;
}

#[tokio::test]
async fn opt_out_that_ends_no_reminders_waits_for_the_owner() {
    on_both(async |fixture| {
        let (account, _) = fixture.reminding().await;
        account.invoice("2026-12-04", json!({"email": "bob@example.com"})).await;
        fixture.at(REMINDED);
        fixture.run("");
        let sent = fixture.sent_at_least(&account, 2).await;
        let to: Vec<String> = sent.iter().map(|one| fixture.reply_address(one)).collect();
        let got = fixture.receive(&format!(
            "From: Ada <assistant@elsewhere.example>\nTo: {}\nMessage-ID: <3@elsewhere>\n\nUnsubscribe\n",
            to.join(", ")
        ));
        assert_eq!((&got["classification"]["type"], &got["state"]), (&json!("opt_out"), &json!("handled")));
        assert_eq!(got["classification"]["sure"], false, "it is from one of two contacts: {got}");
        let of_first = sent.iter().find(|one| one["contact_id"] == got["contact_id"]).unwrap();
        fixture.at(NEXT_STEP);
        let invoice = of_first["invoice_id"].as_str().unwrap();
        assert_eq!(fixture.run(invoice), ["+7 email hold reply_unread"]);
    })
    .await;
}

#[tokio::test]
async fn repeated_opt_out_leaves_an_address_open_that_the_owner_turned_on_again() {
    on_both(async |fixture| {
        let (account, invoice, sent) = fixture.reminded().await;
        let raw = answer(&sent, "ada.private@mail.example", "unsubscribe");
        let first = fixture.receive(&raw);
        fixture.at(NEXT_STEP);
        let owner = fixture.owner(&account).await;
        let path = format!("/dashboard/contacts/{}", sent["contact_id"].as_str().unwrap());
        let form_token = hidden(&owner.get(&path).await.expect(200), "once");
        let fields = [("once", &*form_token), ("channel", "email"), ("word", "She asked for them.")];
        owner.post(&format!("{path}/turn-on"), &fields).await.expect(303);
        let held = || fixture.export(&account, &sent["contact_id"])["opt_outs"].clone();
        let opened = held();
        assert_eq!(fixture.receive(&format!("Received: from a by b\n{raw}")), first);
        assert_eq!(held(), opened);
        assert_eq!(fixture.run(id(&invoice)), ["+7 email send"], "{opened}");
    })
    .await;
}

/// The customer's mail program marks no quotes, and names the headers in a language that is not known.
#[tokio::test]
async fn reminder_that_an_answer_repeats_without_marks_is_no_opt_out() {
    on_both(async |fixture| {
        let (_, invoice, sent) = fixture.reminded().await;
        let text_of = |message: &Value| {
            let show = ["message", "show", message["message_id"].as_str().unwrap()];
            fixture.server.command_json(&show)["text"].as_str().unwrap().to_owned()
        };
        let repeated = text_of(&sent);
        assert!(repeated.contains("No more reminders by e-mail"), "{repeated}");
        let text = format!("Thank you, noted.\n\nEmri: Harbour\nData: nesër\n\n{repeated}");
        let got = fixture.receive(&answer(&sent, "ada@example.com", &text));
        assert_eq!(got["classification"]["type"], "other", "{got}");
        assert_eq!(text_of(&got), "Thank you, noted.\n\nEmri: Harbour\nData: nesër");
        fixture.at(NEXT_STEP);
        assert_eq!(fixture.run(id(&invoice)), ["+7 email send"]);
    })
    .await;
}
