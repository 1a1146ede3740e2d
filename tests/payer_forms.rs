//! The forms of payment pages: help, promises, receipts, and mailed links.

use kernel::{Clock as _, SystemClock};
use reqwest::Method;
use serde_json::{Value, json};

use crate::test_app::{BROWSER, Caller, TestApp, TestResponse, encoded, hidden, on_both};

const OURS: (&str, &str) = ("Sec-Fetch-Site", "same-origin");
const FORM: (&str, &str) = ("Content-Type", "application/x-www-form-urlencoded");

/// Sends a form as a browser does, and follows the redirect.
async fn send(server: &TestApp, path: &str, fields: &[(&str, &str)]) -> TestResponse {
    let headers = [BROWSER, OURS, FORM];
    server.anonymous().send(Method::POST, path, &headers, Some(encoded(fields).into_bytes())).await
}

/// The form token of a page.
async fn form_token(server: &TestApp, path: &str) -> String {
    hidden(&server.open(path).await.expect(200), "once")
}

/// Opens a form and sends it.
async fn fill_in(server: &TestApp, path: &str, fields: &[(&str, &str)]) -> TestResponse {
    let form_token = form_token(server, path).await;
    send(server, path, &[&[("once", &*form_token)], fields].concat()).await
}

/// An account in Sydney, and the response to its creation.
async fn company(server: &TestApp, slug: &str) -> (Caller, Value) {
    let fields = json!({
        "company_name": "Harbour & Sons", "timezone": "Australia/Sydney", "payment_slug": slug,
        "brand_color": "#0B6E4F",
    });
    server.account_of(&server.partner(), fields).await
}

/// The date this number of days from today in Sydney. Around midnight it may be a day off, on which no test
/// depends.
fn day(days: i64) -> String {
    (SystemClock.now().date() + time::Duration::days(days)).to_string()
}

#[tokio::test]
async fn payer_asks_for_help_once_and_the_account_reads_it() {
    on_both(async |server| {
        let (account, _) = company(&server, "help").await;
        let made = account.invoice(json!({})).await.body;
        let path = format!("{}/help", server.pay_path(&made));
        let form_token = form_token(&server, &path).await;
        let fields =
            [("once", &*form_token), ("reason", "dispute"), ("statement", "We <never> got the tea.")];
        let page = send(&server, &path, &fields).await.expect(200).html();
        assert!(page.contains("You will not get reminders about this invoice in the meantime."), "{page}");
        let again = send(&server, &path, &fields).await.expect(200).html();
        assert_eq!(page, again, "a second click raises nothing more");
        let reference = page.split("Its reference is ").nth(1).unwrap().split('.').next().unwrap();
        assert_eq!(reference.len(), 8);
        let sent_on = send_without_following(&server, &path, &fields).await;
        let id = sent_on.rsplit_once("raised=").unwrap().1.to_owned();
        assert!(id.ends_with(reference));
        let raised = account.get(&format!("/escalations/{id}")).await.expect(200).body;
        assert_eq!(raised["customer_statement"], "We <never> got the tea.");
        assert_eq!(
            (&raised["escalation_type"], &raised["trigger_channel"], &raised["invoice_id"]),
            (&json!("dispute"), &json!("email"), &made["id"])
        );
        assert_eq!(raised["contact_id"], made["contact"]["id"]);
        // The page of another invoice does not show it.
        let other = server.pay_path(&account.invoice(json!({})).await.body);
        let page = server.open(&format!("{other}/help?raised={id}")).await.expect(200).html();
        assert!(!page.contains(reference), "{page}");
    })
    .await;
}

/// Sends a form; returns the target of the redirect.
async fn send_without_following(server: &TestApp, path: &str, fields: &[(&str, &str)]) -> String {
    let client = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).build().unwrap();
    let sent = client.post(format!("{}{path}", server.base)).header(OURS.0, OURS.1).header(FORM.0, FORM.1);
    let answer = sent.body(encoded(fields)).send().await.unwrap();
    assert_eq!(answer.status(), 303);
    answer.headers()["location"].to_str().unwrap().to_owned()
}

#[tokio::test]
async fn faulty_forms_come_back_with_their_values_and_change_nothing() {
    on_both(async |server| {
        let (account, _) = company(&server, "faulty").await;
        let path = server.pay_path(&account.invoice(json!({})).await.body);
        let help = format!("{path}/help");
        let page =
            fill_in(&server, &help, &[("reason", "x"), ("statement", "a\"<b>")]).await.expect(422).html();
        assert!(page.contains("href=\"#reason\"") && page.contains("a&#34;&#60;b&#62;"), "{page}");
        let page = fill_in(&server, &help, &[("reason", "refused")]).await.expect(422).html();
        assert!(
            page.contains("Tell us in a few words what it is about.")
                && page.contains(" checked> I will not pay"),
            "{page}"
        );
        let promise = format!("{path}/promise");
        for date in ["", "tomorrow", &day(-2), &day(16)] {
            let page = fill_in(&server, &promise, &[("date", date)]).await.expect(422).html();
            assert!(page.contains("href=\"#date\""), "{date}: {page}");
        }
        let page = server.open(&path).await.expect(200).html();
        assert!(!page.contains("You promised"), "{page}");
        // A form that is not from a page of the service, and one without a form token.
        let fields = encoded(&[("reason", "refused"), ("statement", "No.")]).into_bytes();
        for headers in [&[FORM][..], &[FORM, ("Sec-Fetch-Site", "cross-site")]] {
            let sent = server.anonymous().send(Method::POST, &help, headers, Some(fields.clone())).await;
            sent.expect(403);
        }
        send(&server, &help, &[("reason", "refused"), ("statement", "No.")]).await.expect(409);
    })
    .await;
}

#[tokio::test]
async fn promise_is_shown_and_changed_once() {
    on_both(async |server| {
        let (account, _) = company(&server, "promise").await;
        let path = server.pay_path(&account.invoice(json!({})).await.body);
        let promise = format!("{path}/promise");
        let page = fill_in(&server, &promise, &[("date", &day(3))]).await.expect(200).html();
        assert!(page.contains("You promised to pay by"), "{page}");
        let page = server.open(&promise).await.expect(200).html();
        assert!(page.contains("You can change the date once."), "{page}");
        // A page that was opened before the last change.
        let stale = form_token(&server, &promise).await;
        fill_in(&server, &promise, &[("date", &day(5))]).await.expect(200);
        let page = send(&server, &promise, &[("once", &*stale), ("date", &day(6))]).await.expect(409).html();
        assert!(page.contains("You can no longer change the date here."), "{page}");
        let page = server.open(&path).await.expect(200).html();
        assert!(page.contains("You promised to pay by") && !page.contains(">Promise to pay</a>"), "{page}");
    })
    .await;
}

#[tokio::test]
async fn receipts_are_offered_with_the_payments() {
    on_both(async |server| {
        let (account, made) = company(&server, "receipts").await;
        let made_invoice = account.invoice(json!({})).await.body;
        let path = server.pay_path(&made_invoice);
        let [account_id, id] = [&made, &made_invoice].map(|of| of["id"].as_str().unwrap().to_owned());
        let paid = server.record_payment(&account_id, &id, "40");
        let payment = paid["payments"][0]["id"].as_str().unwrap();
        let page = server.open(&path).await.expect(200).html();
        let receipt = format!("{path}/receipts/{payment}.pdf");
        assert!(page.contains(&receipt), "{page}");
        let pdf = server.open(&receipt).await.expect(200);
        assert!(pdf.bytes.starts_with(b"%PDF-"));
        let name = pdf.header("content-disposition");
        let day = name
            .strip_prefix("inline; filename=\"receipt-INV-0001-")
            .and_then(|rest| rest.strip_suffix(".pdf\""));
        assert!((-1..=1).any(|off| day == Some(&*self::day(off))), "{name}");
        assert_eq!((pdf.header("cache-control"), pdf.header("x-robots-tag")), ("no-store", "noindex"));
        let other = server.pay_path(&account.invoice(json!({})).await.body);
        for unknown in [format!("{other}/receipts/{payment}.pdf"), format!("{path}/receipts/7.pdf")] {
            server.open(&unknown).await.expect(404);
        }
        let cancel = format!("/invoices/{id}/cancel");
        account.send(Method::POST, &cancel, &[], None).await.expect(200);
        server.open(&receipt).await.expect(409);
    })
    .await;
}

#[tokio::test]
async fn form_that_the_status_does_not_allow_is_a_conflict() {
    on_both(async |server| {
        let (account, made) = company(&server, "offers").await;
        let made_invoice = account.invoice(json!({})).await.body;
        let path = server.pay_path(&made_invoice);
        let cancel = format!("/invoices/{}/cancel", made_invoice["id"].as_str().unwrap());
        account.send(Method::POST, &cancel, &[], None).await.expect(200);
        let promise = server.open(&format!("{path}/promise")).await.expect(409);
        assert!(promise.html().contains("You cannot promise to pay this invoice"));
        server.open(&format!("{path}/help")).await.expect(200);
        let unpaid = server.pay_path(&account.invoice(json!({})).await.body);
        let [help, promise] = ["help", "promise"].map(|form| format!("{unpaid}/{form}"));
        let [for_help, for_promise] = [form_token(&server, &help).await, form_token(&server, &promise).await];
        server.command_json(&["account", "disable", made["id"].as_str().unwrap()]);
        for path in [&help, &promise] {
            server.open(path).await.expect(409);
        }
        let fields = [("once", &*for_help), ("reason", "refused"), ("statement", "No.")];
        send(&server, &help, &fields).await.expect(409);
        send(&server, &promise, &[("once", &for_promise), ("date", &day(2))]).await.expect(409);
        let page = server.open("/to/offers").await.expect(200).html();
        assert!(!page.contains("<form") && page.contains("mailto:"), "{page}");
        send(&server, "/to/offers", &[]).await.expect(409);
        let draft = account_draft(&server).await;
        server.open(&format!("{draft}/help")).await.expect(404);
    })
    .await;
}

/// The path of a draft's payment page.
async fn account_draft(server: &TestApp) -> String {
    let account = server.account().await;
    server.pay_path(&account.post("/invoices", &json!({"is_draft": true})).await.expect(201).body)
}

#[tokio::test]
async fn eleventh_form_of_a_token_within_an_hour_waits() {
    on_both(async |server| {
        let (account, _) = company(&server, "throttle").await;
        let path = server.pay_path(&account.invoice(json!({})).await.body);
        let (help, promise) = (format!("{path}/help"), format!("{path}/promise"));
        for _ in 0..5 {
            send(&server, &help, &[]).await.expect(409);
            send(&server, &promise, &[]).await.expect(409);
        }
        let page = send(&server, &help, &[]).await.expect(429);
        let seconds: u32 = page.header("retry-after").parse().unwrap();
        assert!((1..=3_600).contains(&seconds), "{seconds}");
        server.open(&help).await.expect(200);
        let other = format!("{}/help", server.pay_path(&account.invoice(json!({})).await.body));
        send(&server, &other, &[]).await.expect(409);
    })
    .await;
}

#[tokio::test]
async fn link_is_mailed_to_the_contact_and_the_page_says_the_same_either_way() {
    on_both(async |server| {
        let (account, _) = company(&server, "links").await;
        let made = account.invoice(json!({})).await.body;
        let (number, own) = (made["invoice_number"].as_str().unwrap(), "ada@example.com");
        let mut pages = Vec::new();
        for (number, email) in [("INV-9999", own), (number, "eve@example.com"), (number, "ADA@example.com")] {
            let fields = [("invoice_number", number), ("email", email)];
            let page = fill_in(&server, "/to/links", &fields).await.expect(200);
            pages.push(page.html());
        }
        assert!(pages[0].contains("its link is on its way to that address"), "{}", pages[0]);
        assert!(pages[1..].iter().all(|page| *page == pages[0]));
        let sent = server.mails(1, |mail| mail.contains("Subject: The link to invoice")).await;
        assert_eq!(sent.len(), 1);
        let mail = &sent[0];
        assert!(mail.contains(&server.pay_path(&made)) && mail.contains("ada@example.com"), "{mail}");
        let page = fill_in(&server, "/to/links", &[("invoice_number", ""), ("email", "x")]).await;
        let page = page.expect(422).html();
        assert!(page.contains("href=\"#invoice_number\"") && page.contains("href=\"#email\""), "{page}");
        server.open("/to/no-such-company").await.expect(404);
    })
    .await;
}

#[tokio::test]
async fn requests_for_links_are_throttled_whether_or_not_they_match() {
    on_both(async |server| {
        let (account, _) = company(&server, "guesses").await;
        account.invoice(json!({})).await;
        for number in ["INV-0001", "INV-9999"] {
            for _ in 0..5 {
                let fields = [("invoice_number", number), ("email", "eve@example.com")];
                fill_in(&server, "/to/guesses", &fields).await.expect(200);
            }
        }
        let fields = [("invoice_number", "INV-0002"), ("email", "eve@example.com")];
        let page = send(&server, "/to/guesses", &fields).await.expect(429);
        assert!(!page.header("retry-after").is_empty());
    })
    .await;
}
