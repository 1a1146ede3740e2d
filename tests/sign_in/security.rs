//! The security settings: password, second factor, sessions.

use idempotency::FormToken;
use kernel::{Clock as _, Id, SystemClock, SystemIds};
use reqwest::Method;
use reqwest::header::{LOCATION, REFERER, SET_COOKIE};
use ring::hmac;
use serde_json::json;
use time::Duration;

use super::{PASSWORD, SECURITY, location, mail_with, owner, sign_in};
use crate::test_app::{Browser, TestResponse, hidden, invoice_body, on_both};

/// The bytes of the secret that a page shows.
pub(crate) fn secret(page: &TestResponse) -> Vec<u8> {
    let html = page.html();
    let shown = html.split("<strong>").nth(1).unwrap().split("</strong>").next().unwrap();
    let (mut bytes, mut buffer, mut bits) = (Vec::new(), 0_u32, 0_u32);
    for letter in shown.bytes().filter(|letter| *letter != b' ') {
        let digits = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
        let value = digits.iter().position(|digit| *digit == letter).unwrap();
        (buffer, bits) = ((buffer << 5) | u32::try_from(value).unwrap(), bits + 5);
        if bits >= 8 {
            bits -= 8;
            bytes.push(u8::try_from((buffer >> bits) & 0xff).unwrap());
            buffer &= (1 << bits) - 1;
        }
    }
    bytes
}

/// The code of the current time plus a number of 30-second steps (RFC 6238).
pub(crate) fn code(secret: &[u8], steps: i64) -> String {
    let now = SystemClock.now().unix_timestamp();
    let key = hmac::Key::new(hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY, secret);
    let tag = hmac::sign(&key, &(now / 30 + steps).to_be_bytes());
    let tag = tag.as_ref();
    let offset = usize::from(tag[19] & 0x0f);
    let bytes = <[u8; 4]>::try_from(&tag[offset..offset + 4]).unwrap();
    format!("{:06}", (u32::from_be_bytes(bytes) & 0x7fff_ffff) % 1_000_000)
}

#[tokio::test]
async fn second_factor_is_set_up_asked_for_and_turned_off() {
    on_both(async |server| {
        let (browser, account, email) = owner(&server).await;
        let early = [("action", "turn_on_second_factor"), ("code", "000000")];
        let early = browser.submit(SECURITY, &early).await.expect(409).html();
        assert!(early.contains("its set-up was not begun. Open the page again."), "{early}");
        let shown = browser.submit(SECURITY, &[("action", "set_up_second_factor")]).await.expect(200);
        let page = shown.html();
        assert!(page.contains("<svg class=\"qr\"") && page.contains("fill=\"#000\""), "{page}");
        let secret = secret(&shown);
        assert_eq!(secret.len(), 20);
        let turn_on = async |code: &str| {
            browser.submit(SECURITY, &[("action", "turn_on_second_factor"), ("code", code)]).await
        };
        let wrong = turn_on("000000").await.expect(422).html();
        assert!(
            wrong.contains("href=\"#code\">This is not the code that your authenticator shows."),
            "{wrong}"
        );
        let codes = turn_on(&code(&secret, 0)).await.expect(200).html();
        let recovery = codes.split("<ul>\n<li>").last().unwrap().split('<').next().unwrap();
        assert_eq!(recovery.len(), 19, "{codes}");
        assert!(browser.get(SECURITY).await.expect(200).html().contains("Recovery codes left: 10"));

        let other = Browser::new(&server);
        let answer = sign_in(&other, &email, PASSWORD).await.expect(303);
        assert!(location(&answer).contains("/login/code?next="), "{}", location(&answer));
        other.get(SECURITY).await.expect(303);
        other.post("/login/code", &[("code", "000000")]).await.expect(422);
        let entered = other.post("/login/code", &[("code", &code(&secret, 1)), ("next", SECURITY)]).await;
        assert!(location(&entered.expect(303)).ends_with(SECURITY));
        other.get(SECURITY).await.expect(200);
        let again = other.post("/login/code", &[("code", &code(&secret, 1)), ("next", SECURITY)]).await;
        assert!(location(&again.expect(303)).ends_with(SECURITY), "it is signed in already");

        let third = Browser::new(&server);
        sign_in(&third, &email, PASSWORD).await.expect(303);
        third.post("/login/code", &[("code", recovery)]).await.expect(303);
        third.get(SECURITY).await.expect(200);
        mail_with(&server, "A recovery code was used").await;

        let reset = server.command_json(&["account", "reset-second-factor", &account]);
        assert_eq!((&reset["id"], &reset["second_factor"]), (&json!(account), &json!("turned_off")));
        let again = server.command(&["account", "reset-second-factor", &account]);
        let said = String::from_utf8(again.stdout).unwrap();
        assert!(said.ends_with("\nsecond factor off already; nothing was changed\n"), "{said}");
        sign_in(&Browser::new(&server), &email, PASSWORD).await.expect(303);
        mail_with(&server, "Two-step sign-in was turned off").await;
    })
    .await;
}

/// Asserts what the page to which a form led says.
async fn says(browser: &Browser, done: &TestResponse, sentence: &str) {
    let page = browser.get(&location(done)).await.expect(200).html();
    let said = format!("role=\"status\">{sentence}</p>");
    assert!(page.contains(&said), "{said} in {page}");
}

#[tokio::test]
async fn page_with_a_secret_shows_it_once() {
    on_both(async |server| {
        let (browser, _, _) = owner(&server).await;
        let form_token = crate::test_app::hidden(&browser.get(SECURITY).await, "once");
        let fields = [("once", &*form_token), ("action", "set_up_second_factor")];
        let first = browser.post(SECURITY, &fields).await.expect(200);
        let again = browser.post(SECURITY, &fields).await.expect(409).html();
        assert!(again.contains("shown already") && !first.html().contains("shown already"), "{again}");
        assert!(!again.contains("<svg"));
    })
    .await;
}

#[tokio::test]
async fn new_password_ends_the_other_sessions_and_keeps_this_browser() {
    on_both(async |server| {
        let (browser, account, email) = owner(&server).await;
        let other = Browser::new(&server);
        sign_in(&other, &email, PASSWORD).await.expect(303);
        let invited = server.command_json(&["account", "invite", &account]);
        let invitation = invited["invitation_url"].as_str().unwrap();
        other.get(invitation).await.expect(200);
        let change = async |password: &str| {
            browser.submit(SECURITY, &[("action", "change_password"), ("password", password)]).await
        };
        let refused = change("too short").await.expect(422).html();
        assert!(refused.contains("New password must have at least 10 characters"), "{refused}");
        let changed = change("another good password").await.expect(303);
        assert!(changed.headers.get(SET_COOKIE).is_some() && changed.headers.get(LOCATION).is_some());
        says(&browser, &changed, "Your password was changed, and every other session has ended.").await;
        other.get(SECURITY).await.expect(303);
        sign_in(&other, &email, PASSWORD).await.expect(422);
        // Somebody who reads the owner's mail must not get in with an earlier link.
        other.get(invitation).await.expect(410);
        mail_with(&server, "Your password was changed").await;
    })
    .await;
}

#[tokio::test]
async fn form_that_needs_a_confirmation_first_says_that_nothing_was_changed() {
    on_both(async |server| {
        let (_, account, email) = owner(&server).await;
        let earlier = SystemClock.now() - Duration::minutes(11);
        let browser = Browser::signed_in_at(earlier, &server, &account).await;
        let page = browser.get(SECURITY).await.expect(200);
        let fields = [
            ("once", &*hidden(&page, "once")),
            ("action", "change_password"),
            ("password", "a new password"),
        ];
        let request = browser.request(Method::POST, SECURITY).form(&fields);
        let request = request.header("Sec-Fetch-Site", "same-origin");
        let request = request.header(REFERER, format!("{}{SECURITY}", server.base));
        let confirm = location(&browser.send(request).await.expect(303));
        let page = browser.get(&confirm).await.expect(200);
        let next = hidden(&page, "next");
        let confirmed = [("next", &*next), ("password", PASSWORD)];
        let back = location(&browser.post("/confirm", &confirmed).await.expect(303));
        let said = browser.get(&back).await.expect(200).html();
        assert!(said.contains("Nothing was changed yet"), "{said}");
        sign_in(&browser, &email, PASSWORD).await.expect(303);
    })
    .await;
}

#[tokio::test]
async fn new_password_that_was_sent_twice_is_not_said_to_be_unchanged() {
    on_both(async |server| {
        let (browser, _, email) = owner(&server).await;
        let form_token = hidden(&browser.get(SECURITY).await, "once");
        let fields = [("once", &*form_token), ("action", "change_password"), ("password", "a new password")];
        let before = browser.cookie();
        browser.post(SECURITY, &fields).await.expect(303);
        browser.set_cookie(before);
        let request = browser.request(Method::POST, SECURITY).form(&fields);
        let request = request.header("Sec-Fetch-Site", "same-origin");
        let request = request.header(REFERER, format!("{}{SECURITY}", server.base));
        let login = location(&browser.send(request).await.expect(303));
        let next = hidden(&browser.get(&login).await, "next");
        sign_in(&browser, &email, "a new password").await.expect(303);
        let said = browser.get(&next).await.expect(200).html();
        assert!(said.contains("Nothing was changed yet, unless you sent it twice:"), "{said}");
    })
    .await;
}

#[tokio::test]
async fn empty_password_and_empty_code_are_required_and_not_counted() {
    on_both(async |server| {
        let (browser, _, email) = owner(&server).await;
        let shown = browser.submit(SECURITY, &[("action", "set_up_second_factor")]).await.expect(200);
        let secret = secret(&shown);
        let on = [("action", "turn_on_second_factor"), ("code", &*code(&secret, 0))];
        browser.submit(SECURITY, &on).await.expect(200);
        let other = Browser::new(&server);
        sign_in(&other, &email, PASSWORD).await.expect(303);
        for _ in 0..3 {
            let page = other.post("/login/code", &[("code", " ")]).await.expect(422).html();
            assert!(page.contains("Code is required"), "{page}");
            let page = browser.post("/confirm", &[("password", ""), ("code", "")]).await.expect(422).html();
            assert!(page.contains("Password or a code is required"), "{page}");
        }
        other.post("/login/code", &[("code", &code(&secret, 1))]).await.expect(303);
        browser.post("/confirm", &[("password", PASSWORD)]).await.expect(303);
    })
    .await;
}

#[tokio::test]
async fn form_that_moves_money_or_makes_secrets_is_confirmed_first_ten_minutes_after_the_sign_in() {
    on_both(async |server| {
        let (key, made) = server.account_of(&server.partner(), json!({})).await;
        let account = made["id"].as_str().unwrap();
        let invoice = key.post("/invoices", &invoice_body()).await.expect(201);
        let invoice = invoice.text("id");
        let paid = server.record_payment(account, invoice, "110");
        let payment = paid["payments"][0]["id"].as_str().unwrap();
        let refund = &*format!("/dashboard/invoices/{invoice}/refund/{payment}");
        let payments = "/dashboard/settings/payments";
        let earlier = SystemClock.now() - Duration::minutes(11);
        let browser = Browser::signed_in_at(earlier, &server, account).await;
        let audited = || server.command_json(&["audit", "list", "--account", account]);
        let before = audited();
        let is_refused = |answer: TestResponse| {
            let to = location(&answer.expect(303));
            assert!(to.contains("/confirm?next="), "{to}");
        };
        for page in [payments, refund] {
            is_refused(browser.get(page).await);
        }
        for (path, action, field) in [
            ("/dashboard/settings/api", "generate", ("", "")),
            (payments, "save_promise_days", ("promise_days", "5")),
            (payments, "connect.sandbox", ("", "")),
            (refund, "", ("amount", "1.00")),
            ("/dashboard/settings/webhooks", "add", ("url", "https://1.1.1.1/hook")),
            ("/dashboard/settings/webhooks", "delete", ("", "")),
            (SECURITY, "change_password", ("password", "another good password")),
            (SECURITY, "set_up_second_factor", ("", "")),
        ] {
            let token = FormToken::new(&SystemIds::default(), earlier, Id::parse(account).unwrap());
            let fields = [("once", &*token.uuid().to_string()), ("action", action), field];
            is_refused(browser.post(path, &fields).await);
        }
        assert_eq!(audited(), before);
    })
    .await;
}

#[tokio::test]
async fn sessions_are_listed_and_ended() {
    on_both(async |server| {
        let (browser, _, email) = owner(&server).await;
        let mut other = Browser::new(&server);
        other.name = "Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/141.0 Safari/537.36".to_owned();
        sign_in(&other, &email, PASSWORD).await.expect(303);
        let notice = mail_with(&server, "Sign-in from a new browser").await;
        assert!(notice.contains("Chrome on Windows at 127.0.0.1"), "{notice}");
        let page = browser.get(SECURITY).await.expect(200).html();
        assert!(page.contains("Chrome on Windows") && page.contains("This browser"), "{page}");
        let end = page.split("value=\"end_session.").nth(1).unwrap().split('"').next().unwrap();
        let ended = browser.submit(SECURITY, &[("action", &format!("end_session.{end}"))]).await;
        says(&browser, &ended.expect(303), "The session has ended.").await;
        other.get(SECURITY).await.expect(303);
        sign_in(&other, &email, PASSWORD).await.expect(303);
        let ended = browser.submit(SECURITY, &[("action", "end_other_sessions")]).await.expect(303);
        says(&browser, &ended, "Every other session has ended.").await;
        other.get(SECURITY).await.expect(303);
        assert!(browser.get(SECURITY).await.expect(200).html().contains("sessions.ended"));
    })
    .await;
}

#[tokio::test]
async fn what_the_operator_changes_is_audited() {
    on_both(async |server| {
        let (caller, made) = server.account_of(&server.partner(), json!({})).await;
        let account = made["id"].as_str().unwrap();
        let invoice = caller.post("/invoices", &invoice_body()).await.expect(201);
        server.command_json(&["account", "disable", account]);
        server.command_json(&["account", "enable", account]);
        server.command_json(&["account", "set-invoice-limit", account, "20"]);
        server.command_json(&["account", "set-message-limit", account, "30"]);
        server.command_json(&["account", "set-message-limit", account, "none"]);
        server.command_json(&["account", "set-currency", account, "EUR"]);
        server.command_json(&["account", "rotate-key", account]);
        let words = ["payment", "record", "--account", account, "--invoice", invoice.text("id")];
        let rest = ["--amount", "1", "--method", "cash", "--idempotency-key", "k"];
        for _ in 0..2 {
            server.command_json(&[&words[..], &rest[..]].concat());
        }
        let listed = server.command_json(&["audit", "list", "--account", account]);
        let listed = listed.as_array().unwrap();
        let actions: Vec<_> = listed.iter().map(|entry| entry["action"].as_str().unwrap()).collect();
        let expected = [
            "payment.recorded", "api_key.rotated", "account.currency_set", "account.message_limit_set",
            "account.message_limit_set", "account.invoice_limit_set", "account.enabled", "account.disabled",
        ];
        assert_eq!(actions, expected);
        assert!(listed.iter().all(|entry| entry["actor"] == "operator"));
        assert_eq!(listed[5]["after"], 20);
        assert_eq!((&listed[4]["before"], &listed[4]["after"]), (&json!(null), &json!(30)));
        assert_eq!((&listed[3]["before"], &listed[3]["after"]), (&json!(30), &json!(null)));
        let payment = json!({
            "invoice": invoice.text("id"), "invoice_number": invoice.text("invoice_number"),
            "amount": "1.00", "currency": "AUD", "method": "cash",
        });
        assert_eq!(listed[0]["after"], payment);
        assert!(listed[1]["after"].as_str().unwrap().starts_with("ct_live_"));
    })
    .await;
}
