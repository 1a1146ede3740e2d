//! The operator's settings of reminders and contacts, and their audit entries.

use serde_json::json;
use time::Duration;

use super::{START, id, on_both};

#[tokio::test]
async fn command_sets_what_the_form_sets_and_takes_it_back() {
    on_both(async |fixture| {
        let account = fixture.account().await;
        let words = ["reminder", "policy", "--account", &account.id];
        let policy = |rest: &[&str]| fixture.server.command_json(&[&words[..], rest].concat());
        let set =
            policy(&["--holidays", "2026-12-26,2026-12-25", "--promise-days", "9", "--backlog", "--start"]);
        assert_eq!((&set["backlog"], &set["started"]), (&json!(true), &json!(true)), "{set}");
        let names: Vec<&String> = set.as_object().unwrap().keys().collect();
        let expected = [
            "account_id", "backlog", "holidays", "language_model", "promise_days", "started", "steps",
            "timezone",
        ];
        assert_eq!(names, expected);
        assert_eq!(set["holidays"], json!(["2026-12-25", "2026-12-26"]));
        assert_eq!((&set["promise_days"], &set["language_model"]), (&json!(9), &json!(null)));
        let shown = |rest: &[&str]| {
            let output = fixture.server.command(&[&words[..], rest].concat());
            String::from_utf8(output.stdout).unwrap()
        };
        let text = shown(&[]);
        for line in [
            "started: -3:email,1:email,7:email,14:email (Europe/Berlin)",
            "invoices that were over 30 days late at the start: reminded of",
            "holidays: 2026-12-25,2026-12-26",
            "days within which customers may promise to pay: 9",
        ] {
            assert!(text.lines().any(|one| one == line), "{line} in {text}");
        }
        assert_eq!(policy(&["--no-backlog", "--holidays", "none"])["backlog"], false);
        assert!(shown(&[]).contains("holidays: none"));
        for wrong in
            [&["--holidays", "christmas"][..], &["--promise-days", "366"], &["--backlog", "--no-backlog"]]
        {
            let refused = fixture.server.command(&[&words[..], wrong].concat());
            assert_eq!(refused.status.code(), Some(2), "{wrong:?}");
        }
    })
    .await;
}

#[tokio::test]
async fn repeated_command_prints_its_result_and_leaves_no_second_audit_entry() {
    on_both(async |fixture| {
        let account = fixture.account().await;
        let invoice = account.invoice("2026-12-04", json!({})).await;
        let of_account = |words: &[&str], rest: &[&str]| {
            fixture.server.command_json(&[words, &["--account", &account.id], rest].concat())
        };
        for (words, rest, action) in [
            (["reminder", "pause"], &["--invoice", id(&invoice), "--until", "never"][..], "reminders.paused"),
            (["reminder", "policy"], &["--promise-days", "9"], "reminders.changed"),
        ] {
            let first = of_account(&words, rest);
            assert_eq!(of_account(&words, rest), first);
            let listed = of_account(&["audit", "list"], &[]);
            let entries = listed.as_array().unwrap().iter().filter(|entry| entry["action"] == action);
            assert_eq!(entries.count(), 1, "{listed}");
        }
    })
    .await;
}

#[tokio::test]
async fn what_the_operator_does_about_reminders_and_contacts_is_audited() {
    on_both(async |fixture| {
        let account = fixture.account().await;
        let invoice = account.invoice("2026-12-04", json!({})).await;
        let contact = invoice["contact"]["id"].as_str().unwrap();
        let seconds = std::cell::Cell::new(0_i64);
        let of_account = |words: &[&str], rest: &[&str]| {
            // Entries of several processes with the same time are in no order.
            seconds.set(seconds.get() + 1);
            fixture.at(START + Duration::seconds(seconds.get()));
            fixture.server.command_json(&[words, &["--account", &account.id], rest].concat())
        };
        of_account(&["reminder", "policy"], &["--start"]);
        of_account(&["reminder", "policy"], &[]);
        of_account(&["reminder", "policy"], &["--steps=2:email"]);
        of_account(&["reminder", "policy"], &["--stop"]);
        for until in ["2026-12-24", "none"] {
            of_account(&["reminder", "pause"], &["--invoice", id(&invoice), "--until", until]);
        }
        let consent = ["--contact", contact, "--channel", "sms", "--how", "she said so on Monday"];
        of_account(&["contact", "consent"], &consent);
        of_account(&["contact", "consent"], &[&consent[..], &["--withdraw"]].concat());
        fixture.at(START + Duration::minutes(1));
        fixture.server.command_json(&["account", "set-message-limit", &account.id, "100"]);
        seconds.set(90);
        of_account(&["contact", "erase"], &["--contact", contact]);
        let listed = of_account(&["audit", "list"], &[]);
        let entries = listed.as_array().unwrap();
        let actions: Vec<_> = entries.iter().rev().map(|entry| entry["action"].as_str().unwrap()).collect();
        let expected = [
            "reminders.started", "reminders.changed", "reminders.stopped", "reminders.paused",
            "reminders.resumed", "consent.recorded", "consent.withdrawn", "account.message_limit_set",
            "contact.erased",
        ];
        assert_eq!(actions, expected, "showing the policy changes nothing");
        assert!(entries.iter().all(|entry| entry["actor"] == "operator"));
        assert_eq!(entries[5]["after"], json!({"invoice": id(&invoice), "until": "2026-12-24"}));
        assert_eq!(entries[4]["before"], entries[5]["after"]);
        assert_eq!(entries[3]["after"], json!({"contact": contact, "channel": "sms"}));
        let all = listed.to_string();
        assert!(!all.contains("Monday") && !all.contains("ada@example.com"), "{all}");
    })
    .await;
}
