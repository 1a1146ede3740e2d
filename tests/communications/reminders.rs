//! From the policy to the mail, with the reasons to hold it.

use reqwest::Method;
use serde_json::json;
use time::Duration;
use time::macros::datetime;

use super::{REMINDED, ReminderFixture, START, answer, id, message_id, on_both};
use crate::test_app::Database;

#[tokio::test]
async fn reminders_go_out_at_nine_by_the_contacts_clock_and_an_escalation_holds_them() {
    on_both(async |fixture| {
        let account = fixture.account().await;
        let policy = fixture.start_reminders(&account, "-3:email,1:email,7:email");
        assert_eq!((&policy["started"], &policy["timezone"]), (&json!(true), &json!("Europe/Berlin")));
        let invoice = account.invoice("2026-12-15", json!({})).await;
        let invoice_id = id(&invoice);
        assert_eq!(fixture.run(invoice_id), [""; 0], "nothing is due yet");
        fixture.at(datetime!(2026-12-12 07:59:59 UTC));
        assert_eq!(fixture.run(invoice_id), [""; 0]);
        // A Saturday: quiet hours end at nine.
        fixture.at(datetime!(2026-12-12 08:00 UTC));
        assert_eq!(fixture.run(invoice_id), ["-3 email send"]);
        let sent = fixture.sent(&account).await;
        assert_eq!(sent.len(), 1);
        let file = fixture.file(&sent[0]).await;
        assert_eq!((&file["channel"], &file["to"]), (&json!("email"), &json!("ada@example.com")));
        let text = file["text"].as_str().unwrap();
        assert!(text.contains(invoice["invoice_number"].as_str().unwrap()), "{text}");
        assert!(text.contains(invoice["pay_url"].as_str().unwrap()), "{text}");
        assert!(text.contains("is due on 15 December 2026"), "{text}");
        assert!(text.contains("/unsubscribe/"), "{text}");
        assert_eq!(fixture.run(invoice_id), [""; 0], "once");

        fixture.at(datetime!(2026-12-16 08:00 UTC));
        assert_eq!(fixture.run(invoice_id), ["+1 email send"]);
        let got = fixture.receive(&answer(
            &fixture.sent(&account).await[0],
            "ada@example.com",
            "I lost my job, sorry.",
        ));
        assert_eq!((&got["state"], &got["direction"]), (&json!("handled"), &json!("in")));
        assert_eq!(got["classification"]["type"], "hardship", "{got}");
        assert_eq!(got["classification"]["sure"], true);
        assert_eq!(got["invoice_id"], invoice_id);
        let open = fixture.escalations(&account, &sent[0]);
        let escalation = &open[0];
        assert_eq!(escalation["escalation_type"], "hardship", "{escalation}");
        assert_eq!(escalation["customer_statement"], "I lost my job, sorry.");
        assert_eq!(escalation["trigger_channel"], "email");

        fixture.at(datetime!(2026-12-22 08:00 UTC));
        assert_eq!(fixture.run(invoice_id), ["+7 email hold open_escalation"]);
        let resolve = ["escalation", "resolve", id(escalation), "--account", &account.id];
        fixture.server.command_json(&[&resolve[..], &["--outcome", "payment_arranged"]].concat());
        fixture.at(datetime!(2026-12-24 07:59 UTC));
        assert_eq!(fixture.run(invoice_id), [""; 0], "48 hours have not passed");
        fixture.at(datetime!(2026-12-24 08:00 UTC));
        assert_eq!(fixture.run(invoice_id), ["+7 email send"]);
        fixture.sent_at_least(&account, 3).await;
        let expected = [
            "+7 email sent",
            "+7 email send",
            "+7 email hold open_escalation",
            "+1 email sent",
            "+1 email send",
            "-3 email sent",
            "-3 email send",
        ];
        assert_eq!(fixture.why(&account, &invoice), expected);
    })
    .await;
}

#[tokio::test]
async fn reminders_follow_the_mails_about_their_invoice_in_one_thread() {
    on_both(async |fixture| {
        let account = fixture.account().await;
        fixture.start_reminders(&account, "1:email,7:email");
        let invoice = account.invoice("2026-12-10", json!({})).await;
        let other = account.invoice("2026-12-30", json!({})).await;
        for (n, invoice) in [&invoice, &other].into_iter().enumerate() {
            let path = format!("/invoices/{}", id(invoice));
            let body = json!({"send_invoice": true}).to_string().into_bytes();
            account.key.send(Method::PUT, &path, &[], Some(body)).await.expect(200);
            fixture.sent_at_least(&account, n + 1).await;
        }
        for day in [datetime!(2026-12-11 08:00 UTC), datetime!(2026-12-17 08:00 UTC)] {
            fixture.at(day);
            fixture.run(id(&invoice));
        }
        let sent = fixture.sent_at_least(&account, 4).await;
        let [later, first, _other, original] = &sent[..] else { panic!("{sent:?}") };
        let id_of = |message: &serde_json::Value| message_id(&fixture.mail(message));
        let (mail, id) = (fixture.mail(first), id_of(original));
        assert!(!fixture.mail(original).contains("In-Reply-To"));
        for header in [format!("In-Reply-To: {id}\r\n"), format!("References: {id}\r\n")] {
            assert!(mail.contains(&header), "{header} in {mail}");
        }
        let (mail, latest) = (fixture.mail(later), id_of(first));
        for header in [format!("In-Reply-To: {latest}\r\n"), format!("References: {id} {latest}\r\n")] {
            assert!(mail.contains(&header), "{header} in {mail}");
        }
    })
    .await;
}

#[tokio::test]
async fn forecast_equals_the_later_decisions() {
    on_both(async |fixture| {
        let account = fixture.account().await;
        fixture.start_reminders(&account, "-3:email,1:email,2:email,14:email");
        let invoice = account.invoice("2026-12-10", json!({})).await;
        let plan = fixture.server.command_json(&["reminder", "plan", "--account", &account.id]);
        let planned: Vec<String> = plan.as_array().unwrap().iter().map(super::decision).collect();
        let mut done = Vec::new();
        let mut now = START;
        // The last step is due on the 24th day. Only the hours at which steps are due and quiet hours begin
        // and end matter on each day.
        while now <= START + Duration::days(26) {
            if [7, 8, 9, 20].contains(&now.hour()) {
                fixture.at(now);
                done.extend(fixture.run(id(&invoice)));
            }
            now += Duration::hours(1);
        }
        assert_eq!(done, planned);
        assert!(planned.contains(&"+14 email send".to_owned()), "{planned:?}");
    })
    .await;
}

#[tokio::test]
async fn paid_cancelled_and_paused_invoices_are_not_reminded_of() {
    on_both(async |fixture| {
        let account = fixture.account().await;
        fixture.start_reminders(&account, "1:email");
        let mut invoices = Vec::new();
        for n in 0..4 {
            let contact = json!({"email": format!("ada{n}@example.com")});
            invoices.push(account.invoice("2026-12-04", contact).await);
        }
        let [paid, cancelled, paused, chased] = [0, 1, 2, 3].map(|n| id(&invoices[n]).to_owned());
        fixture.server.record_payment(&account.id, &paid, "110.00");
        account.key.post(&format!("/invoices/{cancelled}/cancel"), &json!({})).await.expect(200);
        let pause = ["reminder", "pause", "--account", &account.id, "--invoice", &paused];
        let until = fixture.server.command_json(&[&pause[..], &["--until", "2026-12-08"]].concat());
        assert_eq!(until, json!({"invoice_id": paused, "until": "2026-12-08"}));
        let today = fixture.server.command(&[&pause[..], &["--until", "2026-12-01"]].concat());
        assert!(!today.status.success(), "a pause that ends at once");
        assert!(String::from_utf8_lossy(&today.stderr).contains("must be after today"));
        fixture.at(REMINDED);
        assert_eq!(fixture.run(&chased), ["+1 email send"]);
        assert_eq!(fixture.run(&paid), [""; 0]);
        assert_eq!(fixture.sent(&account).await.len(), 1);
        fixture.at(datetime!(2026-12-08 08:00 UTC));
        assert_eq!(fixture.run(&paused), ["+1 email send"]);
        assert_eq!(fixture.sent(&account).await.len(), 2);
    })
    .await;
}

#[tokio::test]
async fn step_that_is_added_while_reminders_run_is_not_sent_for_a_day_that_has_passed() {
    on_both(async |fixture| {
        let account = fixture.account().await;
        fixture.start_reminders(&account, "1:email,14:email");
        let late = account.invoice("2026-12-04", json!({"phone": "+49 170 1234567"})).await;
        let bob = json!({"email": "bob@example.com", "phone": "+49 171 7654321"});
        let later = account.invoice("2027-01-23", bob).await;
        for invoice in [&late, &later] {
            fixture.consent(&account, &invoice["contact"]["id"]);
        }
        for (at, invoice, sent) in [
            (datetime!(2026-12-05 08:00 UTC), &late, "+1 email send"),
            (datetime!(2026-12-18 08:00 UTC), &late, "+14 email send"),
            (datetime!(2027-01-24 08:00 UTC), &later, "+1 email send"),
        ] {
            fixture.at(at);
            assert_eq!(fixture.run(id(invoice)), [sent]);
        }
        // 60 days after the due date of the one invoice, and ten days after that of the other.
        fixture.at(datetime!(2027-02-02 08:00 UTC));
        fixture.start_reminders(&account, "1:email,14:sms");
        assert_eq!(fixture.run(id(&late)), ["+14 sms skip added_later"]);
        assert_eq!(fixture.sent(&account).await.len(), 3);
        fixture.at(datetime!(2027-02-06 08:00 UTC));
        assert_eq!(fixture.run(id(&later)), ["+14 sms send"]);
        assert_eq!(fixture.sent(&account).await.len(), 4);
        fixture.at(datetime!(2027-02-10 08:00 UTC));
        fixture.start_reminders(&account, "1:email,15:email");
        assert_eq!(fixture.run(id(&late)), ["+15 email skip added_later"]);
        assert_eq!(fixture.why(&account, &later)[0], "+15 email skip added_later");
        assert_eq!(fixture.sent(&account).await.len(), 4);
    })
    .await;
}

/// Rows that cannot be read are made with PostgreSQL's own tool.
#[tokio::test]
async fn run_goes_on_when_an_account_cannot_be_read_and_names_it_at_the_end() {
    let Some(tool) = testkit::postgres::server().and_then(|server| server.tool("psql")) else { return };
    let Some(database) = Database::postgres() else { return };
    let fixture = ReminderFixture::open(database).await;
    let accounts = [fixture.account().await, fixture.account().await, fixture.account().await];
    for account in &accounts {
        fixture.start_reminders(account, "1:email");
        account.invoice("2026-12-15", json!({})).await;
    }
    let broken = &accounts[1].id;
    let update = format!("UPDATE reminder_policies SET steps = 'wrong' WHERE account_id = '{broken}'");
    let url = &fixture.server.database.url;
    let updated = std::process::Command::new(tool).args([url, "-c", &update]).output().unwrap();
    assert!(updated.status.success(), "{updated:?}");
    fixture.at(datetime!(2026-12-16 08:00 UTC));
    let run = fixture.server.command(&["reminder", "run", "--json"]);
    let said = String::from_utf8(run.stderr).unwrap();
    assert_eq!(run.status.code(), Some(1), "{said}");
    let decided: serde_json::Value = serde_json::from_slice(&run.stdout).unwrap();
    let decided = decided.as_array().unwrap();
    assert_eq!(decided.len(), 2, "{decided:?}");
    assert!(decided.iter().all(|step| step["decision"] == "send"), "{decided:?}");
    let last = said.lines().last().unwrap();
    assert!(last.contains(&format!("are not decided: {broken}: row ")), "{said}");
}
