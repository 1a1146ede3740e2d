//! The payment page: anyone who has the link can see the invoice and download its PDF.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use reqwest::Method;
use serde_json::{Value, json};

use crate::test_app::{BROWSER, Caller, TestApp, on_both};

/// An account with a letterhead, and the response to its creation.
async fn company(server: &TestApp) -> (Caller, Value) {
    let fields = json!({
        "company_name": "Harbour & Sons", "phone": "+61 2 5550 1234", "abn": "51 824 753 556",
        "address_line1": "1 George Street", "address_city": "Sydney", "brand_color": "#0B6E4F",
    });
    server.account_of(&server.partner(), fields).await
}

/// Records a payment on 2 March 2026.
fn pay(server: &TestApp, account: &Value, invoice: &Value, amount: &str) {
    let id = |value: &Value| value["id"].as_str().unwrap().to_owned();
    let (account, invoice) = (id(account), id(invoice));
    let words = ["payment", "record", "--account", &account, "--invoice", &invoice, "--amount", amount];
    let rest = ["--method", "card", "--received-at", "2026-03-02T15:00:00Z"];
    server.command_json(&[&words[..], &rest[..]].concat());
}

#[tokio::test]
async fn each_status_is_shown() {
    on_both(async |server| {
        let (account, made) = company(&server).await;
        let unpaid = json!({"invoice_date": "2020-01-01", "due_date": "9998-01-31"});
        let part_paid = account.invoice(unpaid.clone()).await.body;
        pay(&server, &made, &part_paid, "40");
        let paid = account.invoice(unpaid.clone()).await.body;
        pay(&server, &made, &paid, "110");
        let cancelled = account.invoice(unpaid.clone()).await.body;
        let cancel = format!("/invoices/{}/cancel", cancelled["id"].as_str().unwrap());
        account.send(Method::POST, &cancel, &[], None).await.expect(200);
        let scheduled = json!({"invoice_date": "9998-01-01", "due_date": "9998-01-31"});
        let overdue = json!({"invoice_date": "2020-01-01", "due_date": "2020-01-31"});
        for (invoice, words, due) in [
            (account.invoice(unpaid).await.body, "Due on 31 January 9998", "AUD 110.00"),
            (account.invoice(scheduled).await.body, "Due on 31 January 9998", "AUD 110.00"),
            (account.invoice(overdue).await.body, "Overdue since 1 February 2020", "AUD 110.00"),
            (part_paid, "Partly paid, due on 31 January 9998", "AUD 70.00"),
            (paid, "Paid on 2 March 2026", "AUD 110.00"),
            (cancelled, "This invoice was cancelled", "AUD 0.00"),
        ] {
            let page = server.open(&server.pay_path(&invoice)).await.expect(200).html();
            let number = invoice["invoice_number"].as_str().unwrap();
            for text in [
                &format!("<title>Invoice {number} – Harbour &#38; Sons</title>"),
                words,
                &format!("<strong>{due}</strong>"),
                "Ada Lovelace",
                "Consulting",
                "2 × 50.00 · 10% tax",
                "1 George Street",
                "ABN 51 824 753 556",
                "Download PDF",
            ] {
                assert!(page.contains(text), "{text} in {page}");
            }
        }
    })
    .await;
}

/// The path with its own secret and another path's account.
fn moved(path: &str, to: &str) -> String {
    let bytes = |path: &str| URL_SAFE_NO_PAD.decode(path.strip_prefix("/pay/").unwrap()).unwrap();
    let token = [&bytes(to)[..16], &bytes(path)[16..]].concat();
    format!("/pay/{}", URL_SAFE_NO_PAD.encode(token))
}

#[tokio::test]
async fn draft_unknown_and_garbled_tokens_are_not_found() {
    on_both(async |server| {
        let (account, _) = company(&server).await;
        let (other, _) = company(&server).await;
        let draft = account.post("/invoices", &json!({"is_draft": true})).await.expect(201).body;
        let mine = server.pay_path(&account.invoice(json!({})).await.body);
        let theirs = server.pay_path(&other.invoice(json!({})).await.body);
        server.open(&mine).await.expect(200);
        let flip = |c: &str| if c == "A" { "B" } else { "A" };
        for path in [
            server.pay_path(&draft),
            moved(&mine, &theirs),
            moved(&theirs, &mine),
            format!("{}{}", &mine[..mine.len() - 1], flip(&mine[mine.len() - 1..])),
            mine[..mine.len() - 1].to_owned(),
            format!("{mine}A"),
            format!("{mine}%00"),
            "/pay/%3Cscript%3E".to_owned(),
            "/pay/..%2F..%2Fetc".to_owned(),
        ] {
            for path in [path.clone(), format!("{path}/invoice.pdf")] {
                let page = server.open(&path).await.expect(404);
                assert_eq!(page.header("content-type"), "text/html; charset=utf-8");
                let (page, id) = (page.html(), page.header("x-request-id"));
                assert!(page.contains("Page not found") && page.contains(id), "{path}: {page}");
                assert!(!page.contains("<script"), "{page}");
            }
        }
        server.anonymous().get("/pay/garbled").await.refused(404, "NOT_FOUND");
    })
    .await;
}

#[tokio::test]
async fn security_headers_forbid_foreign_content_and_caching() {
    on_both(async |server| {
        let (account, _) = company(&server).await;
        let path = server.pay_path(&account.invoice(json!({})).await.body);
        let page = server.open(&path).await.expect(200);
        let policy = page.header("content-security-policy");
        let style = policy.strip_prefix("default-src 'none'; style-src 'self' 'sha256-").unwrap();
        assert!(
            style.ends_with("'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"),
            "{policy}"
        );
        let not_found = server.open("/pay/garbled").await.expect(404);
        let pdf = server.open(&format!("{path}/invoice.pdf")).await.expect(200);
        for answer in [&page, &not_found, &pdf] {
            for (name, value) in [
                ("referrer-policy", "same-origin"),
                ("x-content-type-options", "nosniff"),
                ("cache-control", "no-store"),
                ("x-robots-tag", "noindex"),
            ] {
                assert_eq!(answer.header(name), value, "{name}");
            }
            assert!(
                answer.header("content-security-policy").starts_with("default-src 'none'; style-src 'self'")
            );
            assert!(!answer.headers.keys().any(|name| name.as_str().starts_with("x-ratelimit")));
        }
        let document = server.anonymous().get("/api/v1/openapi.json").await.expect(200);
        assert!(!document.body["paths"].as_object().unwrap().keys().any(|path| path.contains("/pay")));
        let refused = server.anonymous().send(Method::POST, &path, &[], None).await;
        assert_eq!(refused.refused(405, "METHOD_NOT_ALLOWED").header("allow"), "GET, HEAD");
        let forms_only = server.open(&format!("{path}/checkout")).await.expect(405);
        assert!(forms_only.html().contains("This address only takes a form."));
        let refused = server.anonymous().send(Method::POST, &path, &[BROWSER], None).await.expect(405);
        assert!(refused.html().contains("This page can only be viewed."));
        let head = server.anonymous().send(Method::HEAD, &path, &[], None).await.expect(200);
        assert!(head.bytes.is_empty());
        assert!(!server.log().contains(path.strip_prefix("/pay/").unwrap()), "the token was logged");
    })
    .await;
}

#[tokio::test]
async fn page_and_style_sheet_are_compressed_and_the_latter_is_cached_for_a_year() {
    on_both(async |server| {
        let (account, _) = company(&server).await;
        let path = server.pay_path(&account.invoice(json!({})).await.body);
        let page = server.open(&path).await.expect(200).html();
        let css = page.split("<link rel=\"stylesheet\" href=\"").nth(1).unwrap().split('"').next().unwrap();
        let plain = server.open(css).await.expect(200);
        assert_eq!(plain.header("content-type"), "text/css; charset=utf-8");
        assert_eq!(plain.header("cache-control"), "public, max-age=31536000, immutable");
        for path in [css, &path] {
            let headers = [BROWSER, ("Accept-Encoding", "gzip, br")];
            let gzip = server.anonymous().send(Method::GET, path, &headers, None).await.expect(200);
            assert_eq!(gzip.header("content-encoding"), "gzip");
            assert!(gzip.bytes.starts_with(&[0x1f, 0x8b]) && gzip.bytes.len() < 3_000);
        }
        server.open("/assets/pages.css").await.expect(404);
    })
    .await;
}

#[tokio::test]
async fn pdf_is_that_of_the_api() {
    on_both(async |server| {
        let (account, _) = company(&server).await;
        let made = account.invoice(json!({})).await.body;
        let pdf = server.open(&format!("{}/invoice.pdf", server.pay_path(&made))).await.expect(200);
        assert!(pdf.bytes.starts_with(b"%PDF-"));
        assert_eq!(pdf.header("content-type"), "application/pdf");
        assert_eq!(pdf.header("content-disposition"), "inline; filename=\"invoice-INV-0001.pdf\"");
        let api = account.get(&format!("/invoices/{}/pdf", made["id"].as_str().unwrap())).await.expect(200);
        assert_eq!(pdf.bytes, api.bytes);
    })
    .await;
}

#[tokio::test]
async fn markup_in_callers_text_is_escaped() {
    on_both(async |server| {
        let script = "<script>alert(1)</script>";
        let fields = json!({"company_name": script, "phone": script, "abn": script, "address_line1": script});
        let (account, _) = server.account_of(&server.partner(), fields).await;
        let fields = json!({
            "contact": {"name": script, "email": "eve@example.com", "address": {"line1": script}},
            "invoice_number": script, "reference": script, "notes": script,
            "line_items": [{"description": script, "quantity": 1, "unit_amount": 1}],
        });
        let made = account.invoice(fields).await.body;
        let page = server.open(&server.pay_path(&made)).await.expect(200).html();
        assert!(!page.contains("<script"), "{page}");
        assert!(page.matches("&#60;script&#62;").count() >= 9, "{page}");
    })
    .await;
}

#[tokio::test]
async fn account_switched_off_can_be_read_and_nothing_else() {
    on_both(async |server| {
        let (account, made) = company(&server).await;
        let path = server.pay_path(&account.invoice(json!({})).await.body);
        server.command_json(&["account", "disable", made["id"].as_str().unwrap()]);
        let page = server.open(&path).await.expect(200).html();
        let email = made["email"].as_str().unwrap();
        for text in [
            "Consulting",
            "cannot be paid or downloaded here",
            &format!("mailto:{email}"),
            "tel:+61255501234",
        ] {
            assert!(page.contains(text), "{text} in {page}");
        }
        assert!(!page.contains("invoice.pdf"), "{page}");
        let pdf = format!("{path}/invoice.pdf");
        for path in [&pdf, &format!("{path}/return")] {
            let refused = server.open(path).await.expect(409).html();
            let title = "<title>Not possible at the moment – Harbour &#38; Sons</title>";
            assert!(refused.contains(title), "{refused}");
        }
        server.anonymous().get(&pdf).await.refused(409, "CONFLICT");
        server.command_json(&["account", "enable", made["id"].as_str().unwrap()]);
        server.open(&pdf).await.expect(200);
    })
    .await;
}

#[tokio::test]
async fn unknown_tokens_of_an_address_are_throttled_and_known_ones_are_not() {
    on_both(async |server| {
        let (account, _) = company(&server).await;
        let path = server.pay_path(&account.invoice(json!({})).await.body);
        for _ in 0..30 {
            server.open(&format!("{}A", &path[..path.len() - 2])).await.expect(404);
        }
        let page = server.open("/pay/garbled/invoice.pdf").await.expect(429);
        let seconds: u32 = page.header("retry-after").parse().unwrap();
        assert!((1..=600).contains(&seconds), "{seconds}");
        assert!(page.html().contains("Too many attempts"));
        server.anonymous().get("/pay/garbled").await.refused(429, "RATE_LIMITED");
        server.open(&path).await.expect(200);
    })
    .await;
}

#[tokio::test]
async fn unknown_path_is_a_page_for_browsers_and_json_for_others() {
    on_both(async |server| {
        let page = server.open("/pay/no/such/path").await.expect(404);
        assert!(page.html().contains("<h1>Page not found</h1>"));
        for path in ["/pay/no/such/path", "/pay/", "/assets/"] {
            server.anonymous().get(path).await.refused(404, "NOT_FOUND");
        }
        server.open("/api/v1/nothing").await.refused(404, "NOT_FOUND");
    })
    .await;
}
