//! A message that matches two accounts: neither sees it, and both hold their reminders.

use communications::{Address, Channel, InboxItem, MessageState};
use kernel::{Id, SystemIds};
use serde_json::{Value, json};

use super::{Account, NEXT_STEP, REMINDED, ReminderFixture, id, on_both};
use crate::test_app::until;

#[tokio::test]
async fn message_that_two_accounts_fit_waits_for_the_operator() {
    on_both(async |fixture| {
        let [(first, _, _), (second, invoice, sent)] = fixture.two_reminded().await;
        let raw = "From: Ada <ada@example.com>\nTo: invoices@localhost\nMessage-ID: <7@mail.example>\n\n\
                   I cannot pay at the moment, I lost my job.\n";
        let got = fixture.receive(raw);
        assert_eq!((&got["state"], got["account_id"].is_null()), (&json!("quarantined"), true));
        let waiting = fixture.quarantined();
        assert_eq!(waiting[0]["message_id"], got["message_id"]);
        assert_eq!(waiting[0]["candidates"].as_array().unwrap().len(), 2);
        for command in [
            &["message", "quarantine", "list"][..],
            &["message", "show", got["message_id"].as_str().unwrap()],
        ] {
            let printed = fixture.server.command(command).stdout;
            let printed = String::from_utf8(printed).unwrap();
            assert!(printed.contains(&first.id) && printed.contains(&second.id), "{printed}");
        }
        let shown = fixture.server.command(&["message", "show", got["message_id"].as_str().unwrap()]).stdout;
        let shown = String::from_utf8(shown).unwrap();
        assert!(shown.contains("from          ada@example.com\n"), "{shown}");
        fixture.at(NEXT_STEP);
        assert_eq!(decisions(&fixture), ["+7 email hold reply_unread"; 2]);

        let assigned = fixture.assign(&got["message_id"], &first);
        assert_eq!((&assigned["state"], &assigned["account_id"]), (&json!("handled"), &json!(first.id)));
        let open = fixture.escalations(&first, &assigned);
        assert_eq!(open[0]["escalation_type"], "hardship");
        assert_eq!(fixture.run(id(&invoice)), ["+7 email send"], "the other account's reminders go on");
        assert_eq!(fixture.escalations(&second, &sent), [json!(null); 0]);
        assert_eq!(fixture.messages(&second).iter().filter(|one| one["direction"] == "in").count(), 0);
    })
    .await;
}

#[tokio::test]
async fn promise_in_an_assigned_message_is_stored_for_the_invoice_that_it_answers() {
    on_both(async |fixture| {
        let [(_, _, to_first), (second, invoice, to_second)] = fixture.two_reminded().await;
        let message = |sent: &Value| sent["message_id"].as_str().unwrap().to_owned();
        let got = fixture.receive(&format!(
            "From: Ada <ada@example.com>\nTo: invoices@localhost\nMessage-ID: <8@mail.example>\n\
             References: <{}@localhost> <{}@localhost>\n\nI will pay on 10 December.\n",
            message(&to_first),
            message(&to_second)
        ));
        assert_eq!(got["state"], "quarantined", "it has ids of two accounts");
        let assigned = fixture.assign(&got["message_id"], &second);
        assert_eq!(assigned["invoice_id"], id(&invoice), "{assigned}");
        assert_eq!(assigned["classification"]["sure"], true, "{assigned}");
        let promises = &fixture.export(&second, &invoice["contact"]["id"])["invoices"][0]["promises"];
        assert_eq!(promises[0]["date"], "2026-12-10", "{promises}");
    })
    .await;
}

#[tokio::test]
async fn opt_out_in_an_assigned_message_applies_to_the_contacts_address() {
    on_both(async |fixture| {
        let [(_, _, to_first), (second, invoice, to_second)] = fixture.two_reminded().await;
        let got = fixture.receive(&format!(
            "From: Ada <ada@work.example>\nTo: {}, {}\nMessage-ID: <10@mail.example>\n\nUnsubscribe\n",
            fixture.reply_address(&to_first),
            fixture.reply_address(&to_second)
        ));
        assert_eq!(got["state"], "quarantined", "it has tokens of two accounts");
        let assigned = fixture.assign(&got["message_id"], &second);
        assert_eq!(assigned["classification"]["sure"], true, "{assigned}");
        fixture.at(NEXT_STEP);
        assert_eq!(fixture.run(id(&invoice)), ["+7 email hold opted_out"]);
    })
    .await;
}

#[tokio::test]
async fn message_in_quarantine_is_not_assigned_to_a_contact_that_was_erased_meanwhile() {
    on_both(async |fixture| {
        let [(first, _, to_first), (second, _, to_second)] = fixture.two_reminded().await;
        let got = fixture.receive(&format!(
            "From: Ada <ada@example.com>\nTo: {}\nCc: {}\nMessage-ID: <9@mail.example>\n\nI lost my job.\n",
            fixture.reply_address(&to_first),
            fixture.reply_address(&to_second)
        ));
        assert_eq!(got["state"], "quarantined", "it has tokens of two accounts");
        fixture.erase(&first, &to_first["contact_id"]);
        let waiting = fixture.quarantined();
        let candidates = waiting[0]["candidates"].as_array().unwrap();
        assert_eq!(candidates.len(), 1, "{waiting}");
        let message = got["message_id"].as_str().unwrap();
        let assign = ["message", "quarantine", "assign", message, "--account", &first.id];
        assert!(!fixture.server.command(&assign).status.success());
        assert_eq!(fixture.messages(&first).len(), 0);
        fixture.assign(&got["message_id"], &second);
        let handled = fixture.server.command_json(&["message", "show", message]);
        assert_eq!((&handled["state"], &handled["account_id"]), (&json!("handled"), &json!(second.id)));
    })
    .await;
}

/// Two accounts that reminded one number by text, the first of them two contacts, each with its last invoice.
async fn reminded_by_text(fixture: &ReminderFixture) -> Vec<(Account, Value)> {
    let mut accounts = Vec::new();
    for emails in [&["ada@example.com", "bob@example.com"][..], &["ada@example.com"]] {
        let account = fixture.account().await;
        fixture.start_reminders(&account, "1:sms,7:sms");
        let mut invoice = Value::Null;
        for email in emails {
            let contact = json!({"phone": "+49 170 1234567", "email": email});
            invoice = account.invoice("2026-12-04", contact).await;
            fixture.consent(&account, &invoice["contact"]["id"]);
        }
        accounts.push((account, invoice));
    }
    fixture.at(REMINDED);
    assert_eq!(decisions(fixture), ["+1 sms send"; 3]);
    for (account, _) in &accounts {
        fixture.sent(account).await;
    }
    accounts
}

fn decisions(fixture: &ReminderFixture) -> Vec<String> {
    let decided = fixture.server.command_json(&["reminder", "run"]);
    decided.as_array().unwrap().iter().map(super::decision).collect()
}

#[tokio::test]
async fn message_that_two_accounts_fit_holds_every_contact_at_its_number() {
    on_both(async |fixture| {
        reminded_by_text(&fixture).await;
        let got = fixture.receive_text("+491701234567", "I cannot pay at the moment.");
        assert_eq!(got["state"], "quarantined");
        fixture.at(NEXT_STEP);
        assert_eq!(decisions(&fixture), ["+7 sms hold reply_unread"; 3]);
    })
    .await;
}

#[tokio::test]
async fn assigned_text_is_from_the_contact_and_about_the_invoice_that_its_number_tells() {
    on_both(async |fixture| {
        let accounts = reminded_by_text(&fixture).await;
        let assigned = |text: &str, to: &Account| {
            fixture.assign(&fixture.receive_text("+491701234567", text)["message_id"], to)
        };
        let [(of_two, _), (of_one, invoice)] = &accounts[..] else { unreachable!() };
        let help = assigned("I lost my job and cannot pay.", of_two);
        assert_eq!(help["classification"]["type"], "hardship", "{help}");
        assert_eq!(help["classification"]["sure"], false, "either contact may have written: {help}");
        let promise = assigned("I will pay on 11 December.", of_one);
        assert_eq!(promise["invoice_id"], id(invoice), "{promise}");
        assert_eq!(promise["classification"]["sure"], true, "{promise}");
    })
    .await;
}

#[tokio::test]
async fn message_that_is_never_worked_on_is_left_to_the_operator() {
    on_both(async |fixture| {
        let account = fixture.account().await;
        fixture.start_reminders(&account, "1:sms");
        let invoice = account.invoice("2026-12-04", json!({"phone": "+49 170 1234567"})).await;
        fixture.consent(&account, &invoice["contact"]["id"]);
        fixture.at(REMINDED);
        assert_eq!(fixture.run(id(&invoice)), ["+1 sms send"]);
        fixture.sent(&account).await;
        let store = fixture.server.database.store().await;
        let received_at = REMINDED;
        let item = InboxItem {
            id: Id::new(&SystemIds::default(), received_at),
            key: "sms:a message that ends the process".to_owned(),
            channel: Channel::Sms,
            sender: Some(Address::parse(Channel::Sms, "+491701234567").unwrap()),
            content: Some(b"I lost my job".to_vec()),
            received_at,
            state: MessageState::Stored,
            stored_as: None,
            attempts: 10,
            detail: None,
            attachments: 0,
            opts_out: false,
        };
        store.inbox.store(&item).await.unwrap();
        let look = async || fixture.quarantined().get(0).cloned();
        let listed = until("the message in quarantine", look).await;
        let waiting = store.inbox.item(item.id).await.unwrap().unwrap();
        assert_eq!(waiting.detail.as_deref(), Some("it could not be worked on 10 times"));
        assert_eq!(listed["candidates"].as_array().unwrap().len(), 1);
        let assigned = fixture.assign(&listed["message_id"], &account);
        assert_eq!(fixture.escalations(&account, &assigned)[0]["escalation_type"], "hardship");
    })
    .await;
}
