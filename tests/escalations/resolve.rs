//! `escalation resolve`, beside the running server.

use serde_json::{Value, json};

use super::{account, failed_command, id, raise, resolve_words};
use crate::test_app::on_both;

#[tokio::test]
async fn a_resolved_escalation_is_readable_by_its_account() {
    on_both(async |server| {
        let (caller, account) = account(&server).await;
        let longest = "ü".repeat(10_000);
        for (outcome, notes) in [
            ("payment_arranged", Some("Grace called.\nTen a week.")),
            ("invoice_corrected", None),
            ("invoice_cancelled", Some("-")),
            ("paid", None),
            ("no_action", Some(longest.as_str())),
            ("other", None),
        ] {
            let raised = raise(&server, &account, &[]);
            let mut words = resolve_words(&account, id(&raised), outcome);
            words.extend(notes.iter().flat_map(|notes| ["--notes", *notes]));
            let resolved = server.command_json(&words);
            let read = caller.get(&format!("/escalations/{}", id(&raised))).await;
            assert_eq!(read.expect(200).body, resolved);
            let mut expected = raised.clone();
            expected["status"] = json!("resolved");
            expected["resolution_outcome"] = json!(outcome);
            expected["resolution_notes"] = notes.map_or(Value::Null, |notes| json!(notes));
            expected["resolved_at"] = resolved["resolved_at"].clone();
            expected["updated_at"] = resolved["resolved_at"].clone();
            assert_eq!(resolved, expected);
            let (raised_at, resolved_at) = (&raised["created_at"], &resolved["resolved_at"]);
            assert!(resolved_at.as_str().unwrap() >= raised_at.as_str().unwrap());
        }
    })
    .await;
}

#[tokio::test]
async fn a_second_resolution_reports_the_first() {
    on_both(async |server| {
        let (caller, account) = account(&server).await;
        let raised = raise(&server, &account, &[]);
        let resolved = server.command_json(&resolve_words(&account, id(&raised), "paid"));
        let (status, words) = failed_command(&server, &resolve_words(&account, id(&raised), "other"));
        assert_eq!(status, Some(1), "{words}");
        let at = resolved["resolved_at"].as_str().unwrap();
        let said = format!("resolved already, at {at} with the outcome paid");
        assert!(words.contains(&said), "{words}");
        let read = caller.get(&format!("/escalations/{}", id(&raised))).await;
        assert_eq!(read.expect(200).body, resolved);
    })
    .await;
}

#[tokio::test]
async fn usage_errors_print_one_line_and_a_status() {
    on_both(async |server| {
        let (caller, account) = account(&server).await;
        let (_, other) = super::account(&server).await;
        let raised = raise(&server, &account, &[]);
        let unknown = "019aa1b2-0000-7000-8000-0123456789ab";
        let too_long = "x".repeat(10_001);
        let with_notes = |notes| {
            let mut words = resolve_words(&account, id(&raised), "paid");
            words.extend(["--notes", notes]);
            words
        };
        let outcomes = "payment_arranged, invoice_corrected, invoice_cancelled, paid, no_action or other";
        for (words, status, said) in [
            (resolve_words(&account, unknown, "paid"), 1, "no such escalation"),
            (resolve_words(&other, id(&raised), "paid"), 1, "no such escalation"),
            (resolve_words(unknown, id(&raised), "paid"), 1, "no such escalation"),
            (resolve_words(&account, id(&raised), "won"), 2, outcomes),
            (resolve_words(&account, "7", "paid"), 2, "must be a UUID"),
            (with_notes(too_long.as_str()), 2, "at most 10000 characters"),
            (with_notes("a\u{1b}b"), 2, "control characters"),
        ] {
            let (found, errors) = failed_command(&server, &words);
            assert_eq!(found, Some(status), "{errors}");
            assert!(errors.contains(said), "{errors}");
        }
        let read = caller.get(&format!("/escalations/{}", id(&raised))).await;
        assert_eq!(read.expect(200).body, raised);
    })
    .await;
}
