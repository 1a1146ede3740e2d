//! `escalation raise`, beside the running server.

use serde_json::{Value, json};

use super::{account, failed_command, id, raise, raise_words};
use crate::test_app::{invoice_body, on_both};

#[tokio::test]
async fn a_raised_escalation_is_readable_by_its_account() {
    on_both(async |server| {
        let (caller, account) = account(&server).await;
        let invoice = caller.post("/invoices", &invoice_body()).await.expect(201);
        let contact = caller.post("/contacts", &json!({"name": "Grace", "phone": "1"})).await.expect(201);
        let (invoice_id, contact_id) = (invoice.text("id"), contact.text("id"));
        let about_invoice = raise(&server, &account, &["--invoice", invoice_id]);
        assert_eq!(about_invoice["invoice_id"], invoice_id);
        assert_eq!(about_invoice["contact_id"], invoice.body["contact"]["id"], "the invoice's contact");
        let both = ["--invoice", invoice_id, "--contact", contact_id];
        let about_both = raise(&server, &account, &both);
        assert_eq!(about_both["contact_id"], contact_id);
        let about_contact = raise(&server, &account, &["--contact", contact_id]);
        assert_eq!(about_contact["invoice_id"], Value::Null);
        let about_nothing = raise(&server, &account, &[]);
        assert_eq!(
            (&about_nothing["invoice_id"], &about_nothing["contact_id"]),
            (&Value::Null, &Value::Null)
        );
        for raised in [about_invoice, about_both, about_contact, about_nothing] {
            let read = caller.get(&format!("/escalations/{}", id(&raised))).await;
            assert_eq!(read.expect(200).body, raised);
        }
    })
    .await;
}

#[tokio::test]
async fn each_type_has_its_priority() {
    on_both(async |server| {
        let (_, account) = account(&server).await;
        for (escalation_type, channel, priority) in [
            ("hardship", "sms", "high"),
            ("dispute", "email", "high"),
            ("human_request", "voice", "medium"),
            ("refused", "sms", "high"),
        ] {
            let mut words = raise_words(&account, &[]);
            (words[5], words[7]) = (escalation_type, channel);
            let raised = server.command_json(&words);
            assert_eq!(
                (
                    &raised["escalation_type"], &raised["trigger_channel"], &raised["priority"],
                    &raised["status"]
                ),
                (&json!(escalation_type), &json!(channel), &json!(priority), &json!("open"))
            );
        }
    })
    .await;
}

#[tokio::test]
async fn statements_are_stored_verbatim() {
    on_both(async |server| {
        let (caller, account) = account(&server).await;
        let longest = "ü".repeat(10_000);
        for (said, kept) in [
            ("  \"No\"\r\n\tnot — a cent 🫖 \n", "\"No\"\r\n\tnot — a cent 🫖"),
            ("--never", "--never"),
            (longest.as_str(), longest.as_str()),
        ] {
            let raised = raise(&server, &account, &["--statement", said]);
            let read = caller.get(&format!("/escalations/{}", id(&raised))).await;
            assert_eq!(read.expect(200).text("customer_statement"), kept);
        }
        let too_long = format!("{longest}ü");
        for (said, fault) in [
            (too_long.as_str(), "at most 10000 characters"),
            ("a\u{1b}b", "must not contain control characters"),
            ("a\u{7}", "must not contain control characters"),
            (" \n ", "must not be empty"),
        ] {
            let words = raise_words(&account, &["--statement", said]);
            let (status, words) = failed_command(&server, &words);
            assert_eq!(status, Some(2), "{words}");
            assert!(words.contains(fault), "{words}");
        }
    })
    .await;
}

#[tokio::test]
async fn foreign_invoices_and_contacts_are_refused_by_name() {
    on_both(async |server| {
        let (mine, account) = account(&server).await;
        let (_, other) = super::account(&server).await;
        let invoice = mine.post("/invoices", &invoice_body()).await.expect(201);
        let invoice_id = invoice.text("id");
        let contact_id = invoice.body["contact"]["id"].as_str().unwrap();
        let unknown = "019aa1b2-0000-7000-8000-0123456789ab";
        let (no_invoice, no_contact) = ("no such invoice", "no such contact");
        for (account, more, said) in [
            (&account, vec!["--invoice", unknown], no_invoice),
            (&account, vec!["--contact", unknown], no_contact),
            (&other, vec!["--invoice", invoice_id], no_invoice),
            (&other, vec!["--contact", contact_id], no_contact),
            (&account, vec!["--invoice", invoice_id, "--contact", unknown], no_contact),
            (&unknown.to_owned(), vec![], "there is no account with this id"),
        ] {
            let (status, words) = failed_command(&server, &raise_words(account, &more));
            assert_eq!(status, Some(1), "{words}");
            assert!(words.contains(said), "{words}");
            assert_eq!(words.trim_end().lines().count(), 1, "{words}");
        }
    })
    .await;
}

#[tokio::test]
async fn erased_contact_is_refused() {
    on_both(async |server| {
        let (caller, account) = account(&server).await;
        let contact = caller.post("/contacts", &json!({"name": "Ada", "phone": "1"})).await.expect(201);
        let of_contact = ["--contact", contact.text("id")];
        server.command_json(&[&["contact", "erase", "--account", &account], &of_contact[..]].concat());
        let (status, words) = failed_command(&server, &raise_words(&account, &of_contact));
        assert_eq!(status, Some(1), "{words}");
        assert!(words.contains("was erased"), "{words}");
    })
    .await;
}

#[tokio::test]
async fn unknown_values_are_refused_with_the_allowed_ones() {
    on_both(async |server| {
        let (_, account) = account(&server).await;
        let wrong = |place: usize, word: &'static str| {
            let mut words = raise_words(&account, &[]);
            words[place] = word;
            failed_command(&server, &words)
        };
        for (place, word, said) in [
            (5, "anger", "hardship, dispute, human_request or refused"),
            (5, "Dispute", "hardship, dispute, human_request or refused"),
            (7, "fax", "email, sms or voice"),
            (3, "7", "must be a UUID"),
        ] {
            let (status, words) = wrong(place, word);
            assert_eq!(status, Some(2), "{words}");
            assert!(words.contains(said), "{words}");
        }
        let (status, words) = failed_command(&server, &["escalation", "raise", "--account", &account]);
        assert_eq!(status, Some(2));
        for wanted in ["--type", "--channel", "--statement"] {
            assert!(words.contains(wanted), "{words}");
        }
    })
    .await;
}

#[tokio::test]
async fn text_output_is_readable() {
    on_both(async |server| {
        let (_, account) = account(&server).await;
        let words = raise_words(&account, &["--statement", "One.\nTwo."]);
        let output = server.command(&words);
        assert!(output.status.success());
        let text = String::from_utf8(output.stdout).unwrap();
        for line in [
            "status        open", "type          dispute", "priority      high", "channel       email",
            "statement     One.", "              Two.",
        ] {
            assert!(text.lines().any(|found| found == line), "{line}: {text}");
        }
        for absent in ["invoice ", "contact ", "resolved ", "notes ", "null"] {
            assert!(!text.contains(absent), "{absent}: {text}");
        }
    })
    .await;
}
