//! Answers of the owner from the inbox.

use serde_json::{Value, json};
use time::OffsetDateTime;
use time::macros::datetime;

use super::{Account, REMINDED, ReminderFixture, answer, id, message_id, on_both};
use crate::test_app::{hidden, until};

/// When the owner answers.
const LATER: OffsetDateTime = datetime!(2026-12-07 09:30 UTC);

/// The path of the page on which a message is answered.
fn page_of(message: &Value) -> String {
    format!("/dashboard/messages/{}/answer", message["message_id"].as_str().unwrap())
}

/// An account that reminded a contact, with the reminder and the contact's reply.
async fn answered(fixture: &ReminderFixture, text: &str) -> (Account, Value, Value) {
    let (account, _, reminder) = fixture.reminded().await;
    let got = fixture.receive(&answer(&reminder, "ada@example.com", text));
    fixture.at(LATER);
    (account, reminder, got)
}

#[tokio::test]
async fn answer_goes_out_once_in_the_thread_of_the_message() {
    on_both(async |fixture| {
        let (account, reminder, got) = answered(&fixture, "I paid it last week, did you not see that?").await;
        let owner = fixture.owner(&account).await;
        assert!(owner.get("/dashboard/inbox").await.html().contains(&page_of(&got)));
        let page = owner.get(&page_of(&got)).await.expect(200);
        assert!(
            page.html().contains("Your answer will be sent by e-mail to ada@example.com."),
            "{}",
            page.html()
        );
        assert!(page.html().contains("did you not see that?"), "{}", page.html());
        let form_token = hidden(&page, "once");
        let empty = owner.post(&page_of(&got), &[("once", &form_token), ("text", " ")]).await.expect(422);
        assert!(empty.html().contains("Your answer must not be empty"), "{}", empty.html());
        let fields = [("once", &*form_token), ("text", "Not yet: <b>which</b> day?\r\n\r\nGrace")];
        let sent = owner.post(&page_of(&got), &fields).await.expect(303);
        let again = owner.post(&page_of(&got), &fields).await.expect(303);
        assert_eq!(sent.header("location"), again.header("location"));
        assert!(owner.get(sent.header("location")).await.html().contains("Your answer is on its way."));

        let out = fixture.sent_at_least(&account, 2).await.remove(0);
        let text = fixture.mail(&out);
        let reminder_id = message_id(&fixture.mail(&reminder));
        for part in [
            "Subject: Re: Reminder\r\n".to_owned(),
            "To: ada@example.com".to_owned(),
            "@mail.example>\r\n".to_owned(),
            format!("References: {reminder_id} <"),
            "Reply-To: reply+".to_owned(),
            "Not yet: <b>which</b> day?".to_owned(),
            "<p>Not yet: &#60;b&#62;which&#60;/b&#62; day?</p>".to_owned(),
        ] {
            assert!(text.contains(&part), "{part} in {text}");
        }
        let is_wrong = |header: &str| text.contains(header);
        assert!(!is_wrong("Auto-Submitted") && !is_wrong("List-Unsubscribe"), "a person wrote it: {text}");
        assert_eq!(fixture.sent(&account).await.len(), 2, "the form was sent twice");
        assert_eq!(fixture.file(&out).await["text"], "Not yet: <b>which</b> day?\n\nGrace");
        // An answer does not mark the message as handled, and does not count as a reminder.
        let inbox = owner.get("/dashboard/inbox").await.html();
        assert!(inbox.contains("Reminders on hold") && inbox.contains("Grace"), "{inbox}");
        let next = fixture.receive(&answer(&out, "ada@example.com", "On Friday by card."));
        assert_eq!(next["contact_id"], got["contact_id"]);
    })
    .await;
}

/// A mail server may tell spellings of the part before the `@` apart. This address is none in lower case.
#[tokio::test]
async fn reminder_and_answer_go_to_the_address_as_the_contact_has_it() {
    on_both(async |fixture| {
        let email = "İda.Οδος@example.com";
        let account = fixture.account().await;
        fixture.start_reminders(&account, "1:email");
        let invoice = account.invoice("2026-12-04", json!({"email": email})).await;
        fixture.at(REMINDED);
        assert_eq!(fixture.run(id(&invoice)), ["+1 email send"]);
        let reminder = fixture.sent_at_least(&account, 1).await.remove(0);
        let got = fixture.receive(&answer(&reminder, "İda.ΟΔΟΣ@example.com", "Which invoice is that?"));
        assert_eq!(got["contact_id"], invoice["contact"]["id"]);
        fixture.at(LATER);
        let owner = fixture.owner(&account).await;
        owner.submit(&page_of(&got), &[("text", "The one of 1 December.")]).await.expect(303);
        for sent in fixture.sent_at_least(&account, 2).await {
            let mail = fixture.mail(&sent);
            let to = mail.lines().find(|line| line.starts_with("To: ")).unwrap_or_default();
            assert!(to.contains(email), "{mail}");
        }
    })
    .await;
}

#[tokio::test]
async fn answer_to_a_text_names_the_company_and_respects_stop() {
    on_both(async |fixture| {
        let account = fixture.account().await;
        fixture.start_reminders(&account, "1:sms");
        let invoice = account.invoice("2026-12-04", json!({"phone": "+49 170 1234567"})).await;
        fixture.consent(&account, &invoice["contact"]["id"]);
        fixture.at(REMINDED);
        assert_eq!(fixture.run(id(&invoice)), ["+1 sms send"]);
        let got = fixture.receive_text("+491701234567", "Which invoice is that?");
        fixture.at(LATER);
        let owner = fixture.owner(&account).await;
        let long = "a very long answer ".repeat(20);
        let refused = owner.submit(&page_of(&got), &[("text", &long)]).await.expect(422);
        assert!(refused.html().contains("takes 3 segments") && refused.html().contains(long.trim()));
        owner.submit(&page_of(&got), &[("text", "The one of 1 December.")]).await.expect(303);
        let out = fixture.sent_at_least(&account, 2).await.remove(0);
        assert_eq!(fixture.file(&out).await["text"], "Harbour & Sons: The one of 1 December.");
        assert_eq!(fixture.file(&out).await["to"], "+491701234567");
        fixture.receive_text("+491701234567", "STOP");
        let refused = owner.submit(&page_of(&got), &[("text", "And another thing.")]).await.expect(409);
        assert!(refused.html().contains("The customer opted out of text messages"), "{}", refused.html());
    })
    .await;
}

#[tokio::test]
async fn answer_that_waits_is_dropped_once_the_account_is_switched_off() {
    on_both(async |fixture| {
        let (account, _, got) = answered(&fixture, "I paid it last week, did you not see that?").await;
        let owner = fixture.owner(&account).await;
        // Mail cannot be sent for a while.
        let folder = fixture.server.database.folder.path().join("mail");
        let away = folder.with_extension("away");
        std::fs::rename(&folder, &away).unwrap();
        std::fs::write(&folder, "").unwrap();
        owner.submit(&page_of(&got), &[("text", "Thank you.")]).await.expect(303);
        // Waits for a failed attempt: one that has only begun would end after mail can be sent again.
        fixture.server.until_logged("job failed; it is tried again", 1).await;
        fixture.server.command_json(&["account", "disable", &account.id]);
        std::fs::remove_file(&folder).unwrap();
        std::fs::rename(&away, &folder).unwrap();
        fixture.at(datetime!(2026-12-07 12:00 UTC));
        let out = until("the answer", async || {
            let mut messages = fixture.messages(&account).into_iter();
            messages.find(|one| one["direction"] == "out" && one["state"] == "dropped")
        })
        .await;
        assert!(!folder.join(format!("{}.eml", out["message_id"].as_str().unwrap())).exists());
        assert_eq!(fixture.sent(&account).await.len(), 1, "only the reminder went out");
    })
    .await;
}
