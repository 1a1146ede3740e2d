//! `/dashboard/settings/profile`.

use reqwest::Method;
use reqwest::header::CONTENT_TYPE;
use serde_json::json;

use super::{Owner, location};
use crate::test_app::hidden;
use crate::test_app::logo_server::PNG;
use crate::test_app::{TestResponse, on_both};

const PATH: &str = "/dashboard/settings/profile";

async fn account(owner: &Owner) -> serde_json::Value {
    owner.partner.get(&format!("/partner/accounts/{}", owner.id)).await.expect(200).body
}

/// Sends fields with the form token of a page.
async fn save(owner: &Owner, page: &TestResponse, fields: &[(&str, &str)]) -> TestResponse {
    let hidden = [("once", hidden(page, "once")), ("version", hidden(page, "version"))];
    let hidden = hidden.iter().map(|(name, value)| (*name, value.as_str()));
    let all: Vec<_> = hidden.chain(fields.iter().copied()).collect();
    owner.browser.post(PATH, &all).await
}

#[tokio::test]
async fn owner_changes_the_profile_and_not_what_is_fixed() {
    on_both(async |server| {
        let owner = Owner::new(&server).await;
        let before = account(&owner).await;
        let page = owner.browser.get(PATH).await.expect(200);
        let fields = [
            ("company_name", "Acme <Two>"),
            ("timezone", "australia/sydney"),
            ("brand_color", "#1A2B3C"),
            ("phone", ""),
            ("payment_slug", "Pay Acme!"),
            ("communications_enabled", "false"),
            ("email", "else@example.com"),
            ("external_id", "else"),
            ("status", "inactive"),
            ("currency", "USD"),
            ("monthly_invoice_limit", "1"),
        ];
        assert_eq!(
            location(&save(&owner, &page, &fields).await),
            location(&save(&owner, &page, &fields).await)
        );
        let after = account(&owner).await;
        let mut wanted = before.clone();
        for (field, value) in [
            ("company_name", json!("Acme <Two>")),
            ("timezone", json!("Australia/Sydney")),
            ("brand_color", json!("#1A2B3C")),
            ("payment_slug", json!("pay-acme")),
            ("communications_enabled", json!(false)),
        ] {
            wanted[field] = value;
        }
        wanted["updated_at"] = after["updated_at"].clone();
        assert_eq!(after, wanted);
        let shown = owner.browser.get(PATH).await.expect(200).html();
        assert!(shown.contains("Acme &#60;Two&#62;") && !shown.contains("<Two>"), "{shown}");
        let audit = server.command_json(&["audit", "list", "--account", &owner.id]);
        assert_eq!((audit.as_array().unwrap().len(), &audit[0]["action"]), (1, &json!("profile.changed")));
        assert_eq!(audit[0]["after"]["payment_slug"], "pay-acme", "{audit}");
    })
    .await;
}

#[tokio::test]
async fn faulty_and_stale_profiles_change_nothing() {
    on_both(async |server| {
        let owner = Owner::new(&server).await;
        let page = owner.browser.get(PATH).await.expect(200);
        let before = account(&owner).await;
        let fields = [
            ("company_name", ""),
            ("brand_color", "red"),
            ("timezone", "Mars"),
            ("logo_url", "http://example.com"),
            ("phone", "+61 <2>"),
        ];
        let faulty = save(&owner, &page, &fields).await.expect(422).html();
        for field in ["company_name", "brand_color", "timezone", "logo_url"] {
            assert!(faulty.contains(&format!("id=\"{field}-error\"")), "{field}: {faulty}");
            assert!(faulty.contains(&format!("href=\"#{field}\"")), "{field}: {faulty}");
        }
        assert!(faulty.contains("+61 &#60;2&#62;"), "{faulty}");
        assert_eq!(account(&owner).await, before);
        let second = owner.browser.get(PATH).await.expect(200);
        save(&owner, &second, &[("phone", "1")]).await.expect(303);
        let stale = save(&owner, &page, &[("phone", "2")]).await.expect(409).html();
        assert!(stale.contains("was changed in the meantime"), "{stale}");
        assert!(stale.contains(&format!("href=\"{PATH}\">Open the current version</a>")), "{stale}");
        assert_eq!(account(&owner).await["phone"], "1");
        let form_token = hidden(&owner.browser.get(PATH).await.expect(200), "once");
        owner.browser.post(PATH, &[("once", &*form_token), ("phone", "3")]).await.expect(409);
    })
    .await;
}

/// Sends the form with a file, as browsers do.
async fn upload(owner: &Owner, page: &TestResponse, fields: &[(&str, &str)], file: &[u8]) -> TestResponse {
    let mut body = Vec::new();
    let hidden = [("once", hidden(page, "once")), ("version", hidden(page, "version"))];
    let hidden = hidden.iter().map(|(name, value)| (*name, value.as_str()));
    for (name, value) in hidden.chain(fields.iter().copied()) {
        let part = format!("--B\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n");
        body.extend(part.into_bytes());
    }
    body.extend(b"--B\r\nContent-Disposition: form-data; name=\"logo\"; filename=\"l.png\"\r\n\r\n");
    body.extend(file);
    body.extend(b"\r\n--B--\r\n");
    let request = owner.browser.request(Method::POST, PATH).header("Sec-Fetch-Site", "same-origin");
    let request = request.header(CONTENT_TYPE, "multipart/form-data; boundary=B").body(body);
    owner.browser.send(request).await
}

#[tokio::test]
async fn logo_is_uploaded_and_removed() {
    on_both(async |server| {
        let owner = Owner::new(&server).await;
        let page = owner.browser.get(PATH).await.expect(200);
        for (file, words) in [
            (b"GIF89a".to_vec(), "is a GIF image, which is not taken"),
            (vec![0; 1_500_000], "is a file that is too large"),
        ] {
            let refused = upload(&owner, &page, &[], &file).await.expect(422).html();
            assert!(refused.contains("id=\"logo-error\"") && refused.contains(words), "{refused}");
        }
        upload(&owner, &page, &[], &vec![0; 9_000_000]).await.expect(413);
        let faulty = upload(&owner, &page, &[("company_name", "")], PNG).await.expect(422).html();
        assert!(faulty.contains("id=\"company_name-error\""), "{faulty}");
        assert!(faulty.contains("was not stored, because of the other fields"), "{faulty}");
        upload(&owner, &page, &[], PNG).await.expect(303);
        let logo = account(&owner).await["logo_url"].as_str().unwrap().to_owned();
        let path = logo.strip_prefix(&server.base).unwrap();
        assert_eq!(server.anonymous().get(path).await.expect(200).bytes, PNG);
        let page = owner.browser.get(PATH).await.expect(200);
        assert!(page.html().contains(&format!("src=\"{path}\"")), "{}", page.html());
        save(&owner, &page, &[("logo_url", &*logo), ("phone", "1")]).await.expect(303);
        assert_eq!(account(&owner).await["logo_url"], *logo);
        let page = owner.browser.get(PATH).await.expect(200);
        save(&owner, &page, &[("logo_url", "")]).await.expect(303);
        assert_eq!(account(&owner).await["logo_url"], json!(null));
    })
    .await;
}
