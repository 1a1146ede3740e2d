//! A stolen database, or a backup of it, contains no usable secret: neither as it was shown, nor in another
//! encoding.

use std::process::Command;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use reqwest::Method;
use serde_json::json;

use crate::sign_in::security::{code, secret};
use crate::sign_in::{SECURITY, link, mail_with, owner};
use crate::test_app::{MASTER_KEY, TestApp, on_both_with};

/// Every secret that was shown, with its description.
struct Shown(Vec<(&'static str, Vec<u8>)>);

impl Shown {
    /// Asserts that a copy does not contain any of the secrets: as text, base64-decoded, or as hexadecimal
    /// digits of either.
    fn assert_absent_from(&self, copy: &[u8], place: &str) {
        for (what, secret) in &self.0 {
            let decoded = [URL_SAFE_NO_PAD.decode(secret), STANDARD.decode(secret)];
            let raw = decoded.into_iter().flatten();
            for bytes in raw.chain([secret.clone()]) {
                let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
                for writing in [&bytes[..], hex.as_bytes()] {
                    assert!(!holds(copy, writing), "{place} holds {what}");
                }
            }
        }
    }
}

/// Makes the service create and use a secret of each kind.
async fn create_secrets(server: &TestApp) -> Shown {
    let partner = server.partner();
    let mut shown = vec![("a partner's key", partner.key.clone().unwrap())];
    let hook = json!({"webhook_url": "https://1.1.1.1/", "email": "ada@example.com"});
    let (account, made) = server.account_of(&partner, hook).await;
    shown.push(("an account's first key", account.key.clone().unwrap()));
    let secret = made["webhook_signing_secret"].as_str().unwrap();
    shown.push(("a signing secret", secret.to_owned()));
    let rotate = format!("/partner/accounts/{}/api-key", made["id"].as_str().unwrap());
    let rotated = partner.send(Method::POST, &rotate, &[], None).await.expect(200);
    shown.push(("an account's key", rotated.text("api_key").to_owned()));
    let account = server.with_key(rotated.text("api_key"));
    account.get("/invoices").await.expect(200);
    shown.push(("the token of an invitation", invitation(server).await));
    shown.push(("the master key", MASTER_KEY.to_owned()));
    let (key, secret) = (format!("rk_live_{}", "q".repeat(40)), format!("whsec_{}", "z".repeat(40)));
    let connect = ["gateway", "connect", "--account", made["id"].as_str().unwrap(), "stripe"];
    let lines = format!("key={key}\nwebhook_secret={secret}\n");
    assert!(server.command_with_input(&connect, &lines).status.success());
    shown.extend([("a gateway's key", key), ("the secret of a gateway's events", secret)]);
    assert!(shown.iter().all(|(_, secret)| secret.len() >= 40));
    let shown = shown.into_iter().map(|(what, secret)| (what, secret.into_bytes()));
    Shown(shown.chain(owners_secrets(server).await).collect())
}

/// The secrets of an owner who signs in with a second factor and has asked for a new password.
async fn owners_secrets(server: &TestApp) -> Vec<(&'static str, Vec<u8>)> {
    let (browser, _, email) = owner(server).await;
    let cookie = browser.cookie().unwrap();
    let set_up = browser.submit(SECURITY, &[("action", "set_up_second_factor")]).await.expect(200);
    let authenticator = secret(&set_up);
    let turn_on = [("action", "turn_on_second_factor"), ("code", &*code(&authenticator, 0))];
    let codes = browser.submit(SECURITY, &turn_on).await.expect(200).html();
    let recovery = codes.split("<ul>\n<li>").last().unwrap().split('<').next().unwrap().to_owned();
    browser.post("/password/forgot", &[("email", &email)]).await.expect(303);
    let reset = link(&mail_with(server, "/password/reset/").await, "/password/reset/");
    let reset = reset.rsplit('/').next().unwrap().to_owned();
    let shown = set_up.html().split("<strong>").nth(1).unwrap().split('<').next().unwrap().replace(' ', "");
    let texts = [
        ("the token of a session", cookie.strip_prefix("session=").unwrap().to_owned()),
        ("a recovery code", recovery.clone()),
        ("a recovery code without its hyphens", recovery.replace('-', "")),
        ("the secret of an authenticator as it was shown", shown),
        ("the token of a password reset", reset),
    ];
    let mut secrets: Vec<_> = texts.into_iter().map(|(what, text)| (what, text.into_bytes())).collect();
    secrets.push(("the secret of an authenticator", authenticator));
    assert!(secrets.iter().all(|(_, secret)| secret.len() >= 16));
    secrets
}

/// The token in the mail to the owner, once the mail exists.
async fn invitation(server: &TestApp) -> String {
    let mail = server.mails(1, |_| true).await.remove(0);
    let token = mail.split("/invitations/").nth(1).unwrap();
    token.chars().take_while(|c| c.is_ascii_alphanumeric() || "-_".contains(*c)).collect()
}

/// All files and dumps that a copy of the database would contain.
fn copies(server: &TestApp) -> Vec<(&'static str, Vec<u8>)> {
    let folder = server.database.folder.path();
    let read = |name: &str| std::fs::read(folder.join(name)).unwrap();
    if server.database.name != "sqlite" {
        // The content of an operator's backup.
        let tool = if server.database.is_distributed() {
            testkit::citus::programs().map(|programs| programs.join("pg_dump"))
        } else {
            testkit::postgres::server().and_then(|server| server.tool("pg_dump"))
        };
        let tool = tool.expect("pg_dump beside the server");
        let dump = Command::new(tool).arg(&server.database.url).output().unwrap();
        assert!(dump.status.success(), "{}", String::from_utf8_lossy(&dump.stderr));
        return vec![("a dump", dump.stdout)];
    }
    server.command_json(&["backup", "stolen.db"]);
    let database = server.database.url.rsplit('/').next().unwrap();
    let log = std::fs::read(folder.join(format!("{database}-wal")));
    vec![
        ("the database", [read(database), log.unwrap_or_default()].concat()),
        ("a backup", read("stolen.db")),
    ]
}

fn holds(copy: &[u8], what: &[u8]) -> bool {
    copy.windows(what.len()).any(|part| part == what)
}

#[tokio::test]
async fn a_stolen_database_contains_no_usable_secret() {
    // No gateway listens there; the key is stored all the same.
    on_both_with(&[("COUNTINGHOUSE_STRIPE_URL", "http://127.0.0.1:9")], async |server| {
        let shown = create_secrets(&server).await;
        for (place, copy) in copies(&server) {
            assert!(
                holds(&copy, b"ada@example.com"),
                "{place} has the account, so that it is the right copy"
            );
            shown.assert_absent_from(&copy, place);
        }
    })
    .await;
}

#[tokio::test]
async fn queued_mail_contains_no_usable_link() {
    // No server listens there, so that the mail waits in the database.
    let settings = [("COUNTINGHOUSE_SMTP_URL", "smtp://127.0.0.1:9?tls=none")];
    on_both_with(&settings, async |mut server| {
        let invited = json!({"email": "ada@example.com"});
        server.account_of(&server.partner(), invited).await;
        let copies = copies(&server);
        // The same mail that waited then is sent now, and shows the token that the copies must not contain.
        server.set("COUNTINGHOUSE_SMTP_URL", None);
        server.kill_and_start_again();
        let token = invitation(&server).await;
        assert!(token.len() >= 40, "{token}");
        let shown = Shown(vec![("the token of an invitation", token.into_bytes())]);
        for (place, copy) in copies {
            assert!(holds(&copy, b"sealed_token"), "the mail waits in {place}");
            assert!(!holds(&copy, b"/invitations/"), "{place} holds a link");
            shown.assert_absent_from(&copy, place);
        }
    })
    .await;
}
