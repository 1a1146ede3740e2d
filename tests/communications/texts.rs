//! Text messages: consent, STOP, the monthly limit.

use reqwest::Method;
use serde_json::{Value, json};
use time::macros::datetime;

use super::{REMINDED, ReminderFixture, id, on_both};
use crate::test_app::{Browser, hidden, invoice_body, on_both_with};

#[tokio::test]
async fn stop_from_a_former_number_leaves_the_present_one() {
    on_both(async |fixture| {
        let account = fixture.account().await;
        fixture.start_reminders(&account, "1:sms,7:sms");
        let invoice = account.invoice("2026-12-04", json!({"phone": "+49 170 1234567"})).await;
        fixture.at(REMINDED);
        let contact = &invoice["contact"]["id"];
        fixture.consent(&account, contact);
        assert_eq!(fixture.run(id(&invoice)), ["+1 sms send"]);
        fixture.sent(&account).await;
        let owner = fixture.owner(&account).await;
        let form = format!("/dashboard/contacts/{}", contact.as_str().unwrap());
        let version = hidden(&owner.get(&form).await.expect(200), "version");
        let moved = [("version", &*version), ("name", "Ada"), ("phone", "+49 171 7654321")];
        owner.submit(&form, &moved).await.expect(303);
        let stop = fixture.receive_text("+491701234567", "STOP");
        assert_eq!(stop["classification"]["sure"], true, "{stop}");
        let held = &fixture.export(&account, contact)["opt_outs"];
        assert_eq!(
            (held.as_array().unwrap().len(), &held[0]["address"]),
            (1, &json!("+491701234567")),
            "{held}"
        );
    })
    .await;
}

#[tokio::test]
async fn text_needs_consent_and_stop_ends_them() {
    on_both(async |fixture| {
        let account = fixture.account().await;
        fixture.start_reminders(&account, "1:sms,7:sms");
        let contact = json!({"phone": "+49 170 1234567"});
        let invoice = account.invoice("2026-12-04", contact).await;
        fixture.at(REMINDED);
        assert_eq!(fixture.run(id(&invoice)), ["+1 sms hold no_consent"]);
        let given = fixture.consent(&account, &invoice["contact"]["id"]);
        assert_eq!((&given["consent"], &given["channel"]), (&json!(true), &json!("sms")));
        assert_eq!(fixture.run(id(&invoice)), ["+1 sms send"]);
        let file = fixture.file(&fixture.sent(&account).await[0]).await;
        let text = file["text"].as_str().unwrap();
        assert!(
            text.starts_with("Harbour & Sons: invoice") && text.ends_with("Reply STOP to opt out"),
            "{text}"
        );
        assert_eq!(file["to"], "+491701234567");

        let got = fixture.receive_text("+491701234567", "I will not pay this.");
        assert_eq!(got["classification"]["type"], "refused", "{got}");
        assert_eq!(got["classification"]["sure"], true, "one account wrote to the number");
        let open = fixture.escalations(&account, &got);
        assert_eq!(open[0]["trigger_channel"], "sms");
        assert_eq!(fixture.receive_text("+491701234567", "STOP")["classification"]["type"], "opt_out");
        let resolve = ["escalation", "resolve", id(&open[0]), "--account", &account.id];
        fixture.server.command_json(&[&resolve[..], &["--outcome", "other"]].concat());
        fixture.at(datetime!(2026-12-14 08:00 UTC));
        assert_eq!(fixture.run(id(&invoice)), ["+7 sms hold opted_out"]);
        let asked = ask_for_help(&fixture, &invoice).await;
        let raised = account.key.get(&format!("/escalations/{asked}")).await.expect(200).body;
        assert_eq!(raised["trigger_channel"], "sms", "the link was sent last by SMS");
    })
    .await;
}

/// Asks for help on the payment page of an invoice, and returns the id of the escalation.
async fn ask_for_help(fixture: &ReminderFixture, invoice: &Value) -> String {
    let path = format!("{}/help", fixture.server.pay_path(invoice));
    let browser = fixture.server.anonymous();
    let accept = ("Accept", "text/html");
    let page = browser.send(Method::GET, &path, &[accept], None).await.expect(200);
    let page = page.html();
    let form_token = page.split("name=\"once\" value=\"").nth(1).unwrap().split('"').next().unwrap();
    let fields = format!("once={form_token}&reason=human_request&statement=Call+me.");
    let client = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).build().unwrap();
    let form = client.post(format!("{}{path}", fixture.server.base)).header("Sec-Fetch-Site", "same-origin");
    let form = form.header("Content-Type", "application/x-www-form-urlencoded").body(fields);
    let location = form.send().await.unwrap().headers()["location"].to_str().unwrap().to_owned();
    location.rsplit_once("raised=").unwrap().1.to_owned()
}

#[tokio::test]
async fn message_lists_only_invoices_whose_step_may_be_sent() {
    on_both(async |fixture| {
        let account = fixture.account().await;
        let late = account.invoice("2026-12-02", json!({})).await;
        fixture.at(datetime!(2027-01-11 08:00 UTC));
        let due = account.invoice("2027-01-14", json!({})).await;
        fixture.start_reminders(&account, "1:email,1:sms");
        fixture.at(datetime!(2027-01-15 08:00 UTC));
        assert_eq!(fixture.run(id(&due)), ["+1 email send", "+1 sms hold no_address"]);
        let sent = fixture.sent(&account).await;
        assert_eq!(sent.len(), 1);
        let text = fixture.file(&sent[0]).await["text"].as_str().unwrap().to_owned();
        let number = |invoice: &serde_json::Value| invoice["invoice_number"].as_str().unwrap().to_owned();
        assert_eq!(text.matches(&format!("Invoice {} ", number(&due))).count(), 1, "{text}");
        assert!(!text.contains(&number(&late)), "it is of the backlog: {text}");
        let decided = fixture.why(&account, &due);
        assert_eq!(decided, ["+1 email sent", "+1 sms hold no_address", "+1 email send"]);
        assert_eq!(fixture.why(&account, &late), ["+1 sms skip backlog", "+1 email skip backlog"]);
    })
    .await;
}

#[tokio::test]
async fn step_by_text_is_held_while_the_service_sends_no_texts() {
    let settings = [("COUNTINGHOUSE_SANDBOX", "false"), ("COUNTINGHOUSE_WORKER_INTERVAL", "1h")];
    on_both_with(&settings, async |server| {
        let (key, made) = server.account_of(&server.partner(), json!({})).await;
        let account = made["id"].as_str().unwrap();
        let mut body = invoice_body();
        body["contact"]["phone"] = json!("+49 170 1234567");
        let invoice = key.post("/invoices", &body).await.expect(201);
        let contact = invoice.body["contact"]["id"].as_str().unwrap();
        let consent = ["contact", "consent", "--account", account, "--contact", contact];
        server.command_json(&[&consent[..], &["--channel", "sms", "--how", "by telephone"]].concat());
        server
            .command_json(&["reminder", "policy", "--account", account, "--steps=1:sms,5:email", "--start"]);
        let plan = server.command_json(&["reminder", "plan", "--account", account, "--days", "60"]);
        let decided: Vec<String> = plan.as_array().unwrap().iter().map(super::decision).collect();
        let held = "+1 sms hold communications_off";
        assert_eq!(decided, [held, "+1 sms skip collapsed", "+5 email send"], "{plan}");
        let owner = Browser::signed_in(&server, account).await;
        let page = owner.get("/dashboard/settings/communications").await.expect(200);
        let page = page.html();
        assert!(page.contains("Text messages are not set up"), "{page}");
    })
    .await;
}
