//! Text messages: consent, STOP, the month's limit.

use serde_json::json;
use time::macros::datetime;

use super::{id, on_both};

#[tokio::test]
async fn text_needs_consent_and_stop_ends_them() {
    on_both(async |office| {
        let account = office.account().await;
        office.start_reminders(&account, "1:sms,7:sms");
        let contact = json!({"phone": "+49 170 1234567"});
        let invoice = account.invoice("2026-12-04", contact).await;
        office.at(datetime!(2026-12-07 08:00 UTC));
        assert_eq!(office.run(id(&invoice)), ["+1 sms hold no_consent"]);
        let contact = invoice["contact"]["id"].as_str().unwrap();
        let consent = ["contact", "consent", "--account", &account.id, "--contact", contact];
        let how = ["--channel", "sms", "--how", "by telephone on Monday"];
        let given = office.server.command_json(&[&consent[..], &how].concat());
        assert_eq!((&given["consent"], &given["channel"]), (&json!(true), &json!("sms")));
        assert_eq!(office.run(id(&invoice)), ["+1 sms send"]);
        let file = office.file(&office.sent(&account)[0]);
        let text = file["text"].as_str().unwrap();
        assert!(
            text.starts_with("Harbour & Sons: invoice") && text.ends_with("Reply STOP to opt out"),
            "{text}"
        );
        assert_eq!(file["to"], "+491701234567");

        let got = office.receive_text("+491701234567", "I will not pay this.");
        assert_eq!(got["classification"]["type"], "refused", "{got}");
        assert_eq!(got["classification"]["sure"], true, "one account wrote to the number");
        let open = office.escalations(&account, &got);
        assert_eq!(open[0]["trigger_channel"], "sms");
        assert_eq!(office.receive_text("+491701234567", "STOP")["classification"]["type"], "opt_out");
        let resolve = ["escalation", "resolve", id(&open[0]), "--account", &account.id];
        office.server.command_json(&[&resolve[..], &["--outcome", "other"]].concat());
        office.at(datetime!(2026-12-14 08:00 UTC));
        assert_eq!(office.run(id(&invoice)), ["+7 sms hold opted_out"]);
    })
    .await;
}
