//! Signing in over HTTP: invitation, password, cookie, the redirect after sign-in, and refused attempts.

pub(crate) mod security;

use futures_util::future::join_all;
use reqwest::Method;
use reqwest::header::{LOCATION, RETRY_AFTER, SET_COOKIE};
use serde_json::{Value, json};

use crate::test_app::{Browser, TestApp, TestResponse, hidden, on_both};

pub(crate) const PASSWORD: &str = "correct horse battery";
pub(crate) const SECURITY: &str = "/dashboard/settings/security";

fn location(answer: &TestResponse) -> String {
    answer.headers[LOCATION].to_str().unwrap().to_owned()
}

/// A new account: its id and its owner's e-mail address.
async fn account(server: &TestApp) -> (String, String) {
    let made = server.account_of(&server.partner(), json!({})).await.1;
    let text = |name: &str| made[name].as_str().unwrap().to_owned();
    (text("id"), text("email"))
}

/// The path of a new invitation.
fn invite(server: &TestApp, account: &str) -> String {
    let invited = server.command_json(&["account", "invite", account]);
    assert_eq!(invited["account_id"], account);
    let url = invited["invitation_url"].as_str().unwrap();
    url.strip_prefix(&server.base).unwrap().to_owned()
}

/// A browser whose owner has accepted an invitation.
pub(crate) async fn owner(server: &TestApp) -> (Browser, String, String) {
    let (account, email) = account(server).await;
    let browser = Browser::new(server);
    let accepted = browser.post(&invite(server, &account), &[("password", PASSWORD)]).await;
    assert_eq!(location(&accepted.expect(303)), "/dashboard");
    (browser, account, email)
}

async fn sign_in(browser: &Browser, email: &str, password: &str) -> TestResponse {
    browser.post("/login", &[("email", email), ("password", password)]).await
}

/// Waits for a mail with this text.
pub(crate) async fn mail_with(server: &TestApp, words: &str) -> String {
    server.mails(1, |mail| mail.contains(words)).await.remove(0)
}

/// The path of a link in a mail.
pub(crate) fn link(mail: &str, path: &str) -> String {
    let token = mail.split(path).nth(1).unwrap();
    let is_of_token = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    format!("{path}{}", token.chars().take_while(is_of_token).collect::<String>())
}

#[tokio::test]
async fn invitation_opens_the_dashboard_once() {
    on_both(async |server| {
        let (account, email) = account(&server).await;
        let path = invite(&server, &account);
        let browser = Browser::new(&server);
        let page = browser.get(&path).await.expect(200).html();
        assert!(page.contains("<title>Choose a password – Test company</title>") && page.contains(&email));
        let refused = browser.post(&path, &[("password", "password123")]).await.expect(422).html();
        assert!(
            refused.contains("href=\"#password\">Password is one of") && !refused.contains("password123")
        );
        let accepted = browser.post(&path, &[("password", PASSWORD)]).await.expect(303);
        let cookie = accepted.headers[SET_COOKIE].to_str().unwrap();
        let (value, attributes) = cookie.split_once("; ").unwrap();
        assert_eq!(attributes, "Path=/; HttpOnly; SameSite=Lax");
        assert_eq!(value.strip_prefix("session=").unwrap().len(), 64);
        browser.get(SECURITY).await.expect(200);

        let again = browser.get(&path).await.expect(410).html();
        assert!(again.contains(">Sign in</a>"), "{again}");
        browser.post(&path, &[("password", PASSWORD)]).await.expect(410);
        browser.get("/invitations/unknown").await.expect(404);
    })
    .await;
}

#[tokio::test]
async fn page_without_a_session_leads_to_the_sign_in_and_back() {
    on_both(async |server| {
        let (_, _, email) = owner(&server).await;
        let browser = Browser::new(&server);
        let path = "/dashboard/settings/security?before=x";
        let answer = browser.get(path).await.expect(303);
        let login = location(&answer);
        assert!(login.ends_with("/login?next=%2Fdashboard%2Fsettings%2Fsecurity%3Fbefore%3Dx"), "{login}");
        let page = browser.get(&login).await.expect(200);
        assert!(page.html().contains(">Sign in</button>"));
        let next = hidden(&page, "next");
        let fields = [("email", &*email), ("password", PASSWORD), ("next", &*next)];
        let answer = browser.post("/login", &fields).await.expect(303);
        assert_eq!(location(&answer), path);
        browser.get(path).await.expect(200);
    })
    .await;
}

#[tokio::test]
async fn sign_in_leads_to_no_other_site() {
    on_both(async |server| {
        let (_, _, email) = owner(&server).await;
        for next in
            ["https://evil.example.com", "//evil.example.com", "/\\evil.example.com", "/\t/evil.example.com"]
        {
            let browser = Browser::new(&server);
            let fields = [("email", &*email), ("password", PASSWORD), ("next", next)];
            let answer = browser.post("/login", &fields).await.expect(303);
            assert_eq!(location(&answer), "/dashboard", "{next}");
        }
    })
    .await;
}

#[tokio::test]
async fn unknown_email_and_wrong_password_look_the_same() {
    on_both(async |server| {
        let (_, _, email) = owner(&server).await;
        let answer = async |email: &str, password: &str| {
            let answer = sign_in(&Browser::new(&server), email, password).await.expect(422);
            assert!(answer.headers.get(SET_COOKIE).is_none());
            answer.html().replace(email, "")
        };
        let wrong = answer(&email, "wrong password").await;
        assert!(wrong.contains("Password or e-mail is not right"), "{wrong}");
        assert_eq!(answer("nobody@example.com", PASSWORD).await, wrong);
        let empty = sign_in(&Browser::new(&server), "", "").await.expect(422).html();
        assert!(empty.contains("Email is required") && empty.contains("Password is required"), "{empty}");
        let no_address = sign_in(&Browser::new(&server), "ada", PASSWORD).await.expect(422).html();
        assert!(no_address.contains("Email must be an e-mail address"), "{no_address}");
    })
    .await;
}

/// Browsers with a field of the type `email` send a domain in ASCII, whatever was typed.
#[tokio::test]
async fn an_owner_signs_in_with_every_spelling_of_the_domain_of_the_address() {
    on_both(async |server| {
        let partner = server.partner();
        let [unicode, ascii] = ["josé@bücher.example", "José@xn--bcher-kva.example"];
        let made = server.account_of(&partner, json!({"email": unicode})).await.1;
        assert_eq!(made["email"], unicode);
        let browser = Browser::new(&server);
        let invited = invite(&server, made["id"].as_str().unwrap());
        browser.post(&invited, &[("password", PASSWORD)]).await.expect(303);
        for email in [unicode, ascii] {
            sign_in(&Browser::new(&server), email, PASSWORD).await.expect(303);
        }
        let second = json!({"company_name": "Second", "email": ascii});
        partner.post("/partner/accounts", &second).await.refused(409, "CONFLICT");
        browser.post("/password/forgot", &[("email", ascii)]).await.expect(303);
        mail_with(&server, "/password/reset/").await;
        for _ in 0..5 {
            sign_in(&Browser::new(&server), unicode, "wrong password").await.expect(422);
        }
        sign_in(&Browser::new(&server), ascii, PASSWORD).await.expect(429);
    })
    .await;
}

#[tokio::test]
async fn five_failures_make_the_right_password_wait() {
    on_both(async |server| {
        let (_, account, email) = owner(&server).await;
        for _ in 0..5 {
            sign_in(&Browser::new(&server), &email, "wrong password").await.expect(422);
        }
        let waits = sign_in(&Browser::new(&server), &email.to_uppercase(), PASSWORD).await.expect(429);
        let seconds: i64 = waits.headers[RETRY_AFTER].to_str().unwrap().parse().unwrap();
        assert!((1..=60).contains(&seconds), "{seconds}");
        let browser = Browser::new(&server);
        let sent = browser.post("/password/forgot", &[("email", &email)]).await.expect(303);
        assert!(browser.get(&location(&sent)).await.expect(200).html().contains("If there is an account"));
        let path = link(&mail_with(&server, "/password/reset/").await, "/password/reset/");
        let new = "another good password";
        server.command_json(&["account", "disable", &account]);
        let off = browser.get(&path).await.expect(403).html();
        assert!(off.contains("switched off by the operator of this service"), "{off}");
        browser.post(&path, &[("password", new)]).await.expect(403);
        server.command_json(&["account", "enable", &account]);
        browser.get(&path).await.expect(200);
        let changed = browser.post(&path, &[("password", new)]).await.expect(303);
        assert!(browser.get(&location(&changed)).await.expect(200).html().contains("was changed"));
        sign_in(&browser, &email, new).await.expect(303);
        let used = browser.get(&path).await.expect(410).html();
        assert!(used.contains("/password/forgot"), "{used}");
        let unknown = browser.get("/password/reset/unknown").await.expect(404).html();
        assert!(unknown.contains("/password/forgot"), "{unknown}");
    })
    .await;
}

#[tokio::test]
async fn fifty_concurrent_right_passwords_succeed_and_wrong_ones_are_limited_to_twenty() {
    on_both(async |server| {
        let (_, _, email) = owner(&server).await;
        let browsers: Vec<_> = (0..50).map(|_| Browser::new(&server)).collect();
        let all = browsers.iter().map(|browser| sign_in(browser, &email, PASSWORD));
        for answer in join_all(all).await {
            answer.expect(303);
        }
        let wrong = browsers.iter().enumerate().map(async |(n, browser)| {
            sign_in(browser, &format!("unknown{n}@example.com"), "wrong password").await.status
        });
        let statuses = join_all(wrong).await;
        let count = |wanted: u16| statuses.iter().filter(|status| **status == wanted).count();
        assert_eq!((count(422), count(429)), (20, 30), "{statuses:?}");
    })
    .await;
}

#[tokio::test]
async fn account_that_is_switched_off_is_refused_and_says_by_whom() {
    on_both(async |server| {
        let (browser, account, email) = owner(&server).await;
        server.command_json(&["account", "disable", &account]);
        let refused = browser.get(SECURITY).await.expect(403).html();
        assert!(refused.contains("switched off by the operator of this service"), "{refused}");
        assert!(refused.contains("Ask them to switch it on again") && refused.contains(" – Test company<"));
        let refused = sign_in(&Browser::new(&server), &email, PASSWORD).await.expect(403).html();
        assert!(refused.contains("switched off by the operator of this service"), "{refused}");
        sign_in(&Browser::new(&server), &email, "wrong password").await.expect(422);
        server.command_json(&["account", "enable", &account]);
        browser.get(SECURITY).await.expect(200);
        let entries = server.command_json(&["audit", "list", "--account", &account]);
        let actions: Vec<&str> =
            entries.as_array().unwrap().iter().map(|entry| entry["action"].as_str().unwrap()).collect();
        assert_eq!(actions, ["account.enabled", "account.disabled", "password.set", "account.invited"]);
        let set = &entries[2];
        assert_eq!((&set["actor"], &set["address"]), (&json!(email), &json!("127.0.0.1")));
        assert_eq!((&entries[0]["actor"], &entries[0]["address"]), (&json!("operator"), &Value::Null));
        let newest = server.command_json(&["audit", "list", "--account", &account, "--limit", "1"]);
        assert_eq!(newest.as_array().unwrap().len(), 1);
    })
    .await;
}

#[tokio::test]
async fn signing_out_ends_the_session_and_takes_the_cookie() {
    on_both(async |server| {
        let (browser, _, _) = owner(&server).await;
        let cookie = browser.cookie();
        let out = browser.post("/logout", &[]).await.expect(303);
        assert!(location(&out).ends_with("/login"));
        assert_eq!(browser.cookie(), None);
        browser.set_cookie(cookie);
        browser.get(SECURITY).await.expect(303);
    })
    .await;
}

#[tokio::test]
async fn sign_in_begins_a_new_session_and_ends_the_one_before() {
    on_both(async |server| {
        let (browser, _, email) = owner(&server).await;
        let before = browser.cookie();
        sign_in(&browser, &email, PASSWORD).await.expect(303);
        assert_ne!(browser.cookie(), before);
        let old = Browser::new(&server);
        old.set_cookie(before);
        old.get(SECURITY).await.expect(303);
        browser.get(SECURITY).await.expect(200);
    })
    .await;
}

#[tokio::test]
async fn forms_of_other_sites_and_keys_of_the_api_open_nothing() {
    on_both(async |server| {
        let (browser, _, _) = owner(&server).await;
        let foreign = browser.request(Method::POST, "/logout").header("Sec-Fetch-Site", "cross-site");
        browser.send(foreign).await.expect(403);
        let none = browser.request(Method::POST, "/logout");
        browser.send(none).await.expect(403);
        browser.get(SECURITY).await.expect(200);
        let api = browser.get("/api/v1/invoices").await;
        assert_eq!(api.status, 401, "a cookie is no key");
        let key = server.account().await.key.unwrap();
        let without_cookie = Browser::new(&server);
        let with_key = without_cookie.request(Method::GET, SECURITY).bearer_auth(key);
        without_cookie.send(with_key).await.expect(303);
    })
    .await;
}

#[tokio::test]
async fn first_run_prints_a_link_that_works() {
    let mut server = TestApp::start(crate::test_app::Database::sqlite(), &[]).await;
    let base = server.base.clone();
    let printed = server.stop_and_read_output().await;
    let line = printed.lines().find(|line| line.starts_with("Open the dashboard: ")).unwrap();
    let path = line.strip_prefix(&format!("Open the dashboard: {base}/invitations/")).unwrap().to_owned();
    assert_eq!(path.len(), 64, "{line}");
    server.start_again();
    let browser = Browser::new(&server);
    browser.post(&format!("/invitations/{path}"), &[("password", PASSWORD)]).await.expect(303);
    browser.get(SECURITY).await.expect(200);
}
