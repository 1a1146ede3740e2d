//! The logo of an account: fetched, kept, served, shown, replaced.

use reqwest::Method;
use serde_json::{Value, json};

use super::path;
use crate::test_app::logo_server::{JPEG, LogoServer, PNG};
use crate::test_app::{Caller, Database, TestApp, TestResponse, invoice_body, until};

/// Runs a test on both databases, with a service that may call the logo server.
async fn on_both_with_logo_server(test: impl AsyncFn(TestApp, &LogoServer)) {
    for database in Database::both() {
        let pictures = LogoServer::start(database.folder.path()).await;
        let settings = [
            ("COUNTINGHOUSE_ALLOW_PRIVATE_TARGETS", "true"),
            ("COUNTINGHOUSE_EXTRA_CA_FILE", pictures.ca_file.as_str()),
            ("COUNTINGHOUSE_WORKER_INTERVAL", "1s"),
        ];
        let server = TestApp::start(database, &settings).await;
        test(server, &pictures).await;
    }
}

fn body(name: &str, logo: &str) -> Value {
    let email = format!("{name}@example.com");
    json!({"company_name": "Acme", "email": email, "external_id": name, "logo_url": logo})
}

/// The message of the error about the logo.
fn message(answer: TestResponse) -> String {
    let refused = answer.refused(400, "VALIDATION_ERROR");
    assert_eq!(refused.fields(), ["logo_url"], "{}", refused.body);
    let fault = &refused.body["error"]["field_errors"][0]["message"];
    fault.as_str().expect("a message").to_owned()
}

/// The logo's copy, at the URL that the service returned.
async fn copy(server: &TestApp, url: &Value) -> TestResponse {
    let address = url.as_str().expect("an address");
    let path = address.strip_prefix(&server.base).expect("our own address");
    server.anonymous().get(path).await
}

#[tokio::test]
async fn logos_are_accepted_and_other_files_refused() {
    on_both_with_logo_server(async |server, pictures| {
        let partner = server.partner();
        for (n, file) in ["logo.png", "logo.jpg", "as-text", "largest.png"].iter().enumerate() {
            let sent = body(&format!("taken-{n}"), &format!("{}/{file}", pictures.base));
            let made = partner.post("/partner/accounts", &sent).await.expect(201);
            let ending = if *file == "logo.jpg" { ".jpg" } else { ".png" };
            assert!(made.text("logo_url").ends_with(ending), "{file}");
        }
        let base = &pictures.base;
        for (logo, words) in [
            (format!("{base}/one-more.png"), "under 1 MB"),
            (format!("{base}/one-more-unstated.png"), "under 1 MB"),
            (format!("{base}/logo.svg"), "SVG"),
            (format!("{base}/svg.png"), "SVG"),
            (format!("{base}/text.png"), "neither a PNG nor a JPEG"),
            (format!("{base}/half.png"), "damaged or incomplete"),
            (format!("{base}/empty.png"), "empty"),
            (format!("{base}/moved.png"), "redirect"),
            (format!("{base}/broken.png"), "broke off"),
            (format!("{base}/none.png"), "404"),
            ("https://nowhere.invalid/logo.png".to_owned(), "resolve"),
            ("https://127.0.0.1:1/logo.png".to_owned(), "refused"),
            (base.replace("https", "http"), "https://"),
            ("logo.png".to_owned(), "https://"),
        ] {
            let refused = partner.post("/partner/accounts", &body("refused", &logo)).await;
            let message = message(refused);
            assert!(message.contains(words), "{logo}: {message}");
        }
        assert_eq!(partner.get("/partner/accounts").await.expect(200).body["total"], 4);
        // If no account is created, nothing is fetched: a known account is matched, a used e-mail address is
        // a conflict.
        let known = body("taken-0", &format!("{base}/none.png"));
        let matched = partner.post("/partner/accounts", &known).await.expect(200);
        assert!(matched.text("logo_url").ends_with(".png"));
        let mut taken = known;
        taken["external_id"] = json!("another");
        partner.post("/partner/accounts", &taken).await.refused(409, "CONFLICT");
    })
    .await;
}

#[tokio::test]
async fn a_silent_logo_server_is_given_up() {
    let database = Database::sqlite();
    let pictures = LogoServer::start(database.folder.path()).await;
    let settings = [
        ("COUNTINGHOUSE_ALLOW_PRIVATE_TARGETS", "true"),
        ("COUNTINGHOUSE_EXTRA_CA_FILE", pictures.ca_file.as_str()),
    ];
    let server = TestApp::start(database, &settings).await;
    let sent = body("slow", &format!("{}/silent.png", pictures.base));
    let refused = server.partner().post("/partner/accounts", &sent).await;
    assert!(message(refused).contains("within 10 seconds"));
}

#[tokio::test]
async fn a_logo_inside_the_network_is_refused() {
    let server = TestApp::start(Database::sqlite(), &[]).await;
    let partner = server.partner();
    for host in ["127.0.0.1", "[::1]", "10.0.0.7", "169.254.169.254", "0x7f.1"] {
        let sent = body("inside", &format!("https://{host}/logo.png"));
        let refused = partner.post("/partner/accounts", &sent).await;
        assert!(message(refused).contains("not public"), "{host}");
    }
    assert_eq!(partner.get("/partner/accounts").await.expect(200).body["total"], 0);
    // Both URLs are checked before either is reported.
    let mut both = body("inside", "https://10.0.0.7/logo.png");
    both["webhook_url"] = json!("https://10.0.0.7/hook");
    let refused = partner.post("/partner/accounts", &both).await;
    assert_eq!(refused.refused(400, "VALIDATION_ERROR").fields(), ["logo_url", "webhook_url"]);
}

#[tokio::test]
async fn a_replaced_logo_is_removed() {
    on_both_with_logo_server(async |server, pictures| {
        let partner = server.partner();
        let png = body("acme", &format!("{}/logo.png", pictures.base));
        let made = partner.post("/partner/accounts", &png).await.expect(201);
        let (account, first) = (path(&made.body), made.body["logo_url"].clone());
        let listed = partner.get("/partner/accounts").await.expect(200);
        assert_eq!(listed.body["data"][0]["logo_url"], first);
        let served = copy(&server, &first).await.expect(200);
        assert_eq!((served.bytes.as_slice(), served.header("content-type")), (PNG, "image/png"));
        assert_eq!(served.header("x-content-type-options"), "nosniff");
        assert!(served.header("cache-control").contains("immutable"));
        assert!(served.header("content-security-policy").contains("sandbox"));
        let head = first.as_str().unwrap().strip_prefix(&server.base).unwrap();
        let head = server.anonymous().send(Method::HEAD, head, &[], None).await.expect(200);
        assert!(head.bytes.is_empty() && head.header("content-length") == PNG.len().to_string());

        // This service shows the address with http://.
        let same = partner.patch(&account, &json!({"logo_url": first})).await.expect(200);
        assert_eq!(same.body["logo_url"], first);

        let bad = json!({"logo_url": format!("{}/text.png", pictures.base), "phone": "9"});
        assert!(message(partner.patch(&account, &bad).await).contains("neither"));
        let unchanged = partner.get(&account).await.expect(200);
        assert_eq!((&unchanged.body["logo_url"], &unchanged.body["phone"]), (&first, &Value::Null));

        let jpeg = json!({"logo_url": format!("{}/logo.jpg", pictures.base)});
        let replaced = partner.patch(&account, &jpeg).await.expect(200);
        let second = replaced.body["logo_url"].clone();
        assert_eq!(copy(&server, &second).await.expect(200).bytes, JPEG);
        until_gone(&server, &first).await;
        let without = partner.patch(&account, &json!({"logo_url": null})).await.expect(200);
        assert_eq!(without.body["logo_url"], Value::Null);
        until_gone(&server, &second).await;
    })
    .await;
}

/// Waits until a copy is removed.
async fn until_gone(server: &TestApp, url: &Value) {
    until("the removal", async || (copy(server, url).await.status == 404).then_some(())).await;
}

#[tokio::test]
async fn the_logo_is_on_invoices_and_in_their_mail() {
    on_both_with_logo_server(async |server, pictures| {
        let partner = server.partner();
        let images = async |account: &Caller| {
            let made = account.post("/invoices", &invoice_body()).await.expect(201);
            let pdf = account.get(&format!("/invoices/{}/pdf", made.text("id"))).await.expect(200);
            let pdf = String::from_utf8_lossy(&pdf.bytes).replace(' ', "");
            pdf.matches("/Subtype/Image").count()
        };
        let logo = json!({"logo_url": format!("{}/logo.png", pictures.base), "communications_enabled": true});
        let (account, made) = server.account_of(&partner, logo).await;
        assert!(images(&account).await > 0, "the logo is missing");
        let (without, _) = server.account_of(&partner, json!({})).await;
        assert_eq!(images(&without).await, 0);

        let mut sent = invoice_body();
        sent["send_invoice"] = json!(true);
        account.post("/invoices", &sent).await.expect(201);
        // A missing logo does not prevent an invoice.
        let name = made["logo_url"].as_str().unwrap().rsplit('/').next().unwrap();
        let file = server.database.folder.path().join("media").join(name);
        std::fs::remove_file(file).unwrap();
        account.post("/invoices", &sent).await.expect(201);
    })
    .await;
}
