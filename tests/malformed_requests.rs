//! Whatever bytes arrive, the response is an error that says what is wrong, never a 500, and never missing.

use reqwest::Method;
use serde_json::json;

use crate::test_app::{invoice_body, on_both};

fn bodies() -> Vec<Vec<u8>> {
    let deep = |open: &str, close: &str, levels: usize| {
        format!("{}{}", open.repeat(levels), close.repeat(levels)).into_bytes()
    };
    let mut bodies: Vec<Vec<u8>> = [
        "",
        " ",
        "{",
        "}",
        "[]",
        "null",
        "true",
        "7",
        "\"text\"",
        "{}",
        "{\"a\"",
        "{\"contact\":}",
        "{} {}",
        "[{}]",
        "{'a':1}",
        "{\"line_items\":{}}",
        "{\"line_items\":[]}",
        "{\"line_items\":[null]}",
        "{\"line_items\":[[]]}",
        "{\"line_items\":[7,\"x\",{}]}",
        "{\"contact\":[]}",
        "{\"contact\":\"x\"}",
        "{\"contact\":{\"id\":{}}}",
        "{\"contact\":{\"email\":[1]}}",
        "{\"is_draft\":\"true\"}",
        "{\"is_draft\":1}",
        "{\"send_invoice\":{}}",
        "{\"invoice_date\":20260101}",
        "{\"invoice_date\":\"2026-02-30\"}",
        "{\"currency\":\"XXX\"}",
        "{\"currency\":7}",
        "{\"line_amount_types\":\"?\"}",
        "{\"reference\":\"\\u0000\"}",
        "{\"reference\":\"\\ud800\"}",
        "{\"notes\":\"\\u001b[0m\"}",
        "{\"reference\":\"\u{202e}\"}",
        "\u{feff}{}",
        "{\"a\":1e999999}",
        "{\"is_draft\":true,\"is_draft\":false}",
    ]
    .map(|text| text.as_bytes().to_vec())
    .into();
    for number in [
        "1e400", "-1e400", "1e-400", "99999999999999999999", "0.00001", "-1", "0", "\"2\"",
        "1e99999999999999999999", "NaN", "01", "1.",
    ] {
        let line = |field: &str| {
            format!(
                "{{\"contact\":{{\"name\":\"A\",\"phone\":\"1\"}},\"line_items\":[{{\"description\":\"x\",\"unit_amount\":-1,\"{field}\":{number}}}]}}"
            )
        };
        bodies.extend(["quantity", "unit_amount", "tax_rate"].map(|field| line(field).into_bytes()));
    }
    bodies.push(b"{\"reference\":\"\xff\xfe\"}".to_vec());
    bodies.push(b"\xef\xbb\xbf{".to_vec());
    bodies.push(vec![0; 1_000]);
    bodies.push(deep("[", "]", 100_000));
    bodies.push(deep("{\"a\":", "}", 100_000));
    bodies.push([b"{\"contact\":".to_vec(), deep("[", "]", 5_000), b"}".to_vec()].concat());
    bodies.push(format!("{{\"reference\":\"{}\"}}", "x".repeat(900_000)).into_bytes());
    bodies.push(format!("{{\"line_items\":[{}7]}}", "7,".repeat(300_000)).into_bytes());
    bodies
}

#[tokio::test]
async fn every_faulty_body_gets_a_clear_error_and_changes_nothing() {
    on_both(async |server| {
        let account = server.account().await;
        let partner = server.partner();
        for body in bodies() {
            let shown = String::from_utf8_lossy(&body[..body.len().min(120)]).into_owned();
            for (caller, path) in
                [(&account, "/invoices"), (&account, "/contacts"), (&partner, "/partner/accounts")]
            {
                let answer = caller.post_bytes(path, &body).await;
                assert!(
                    matches!(answer.status, 400 | 404),
                    "{path} {shown}: {} {}",
                    answer.status,
                    answer.body
                );
                assert!(
                    answer.bytes.len() < 64 * 1_024,
                    "{path} {shown}: an answer of {} bytes",
                    answer.bytes.len()
                );
                answer.refused(400, "VALIDATION_ERROR");
            }
        }
        assert_eq!(account.get("/invoices").await.expect(200).body["data"].as_array().unwrap().len(), 0);
        assert_eq!(partner.get("/partner/accounts").await.expect(200).body["total"], 0);
        account.post("/invoices", &invoice_body()).await.expect(201);
    })
    .await;
}

/// JSON that repeatedly contains JSON in a string, under the internal name by which serde_json parses a
/// string as JSON. A parser that follows the name starts counting levels again in each string.
fn nested_json(brackets: usize) -> String {
    (0..12).fold("7".to_owned(), |inner, _| {
        let text = serde_json::to_string(&inner).expect("a text has a JSON form");
        let (open, close) = ("[".repeat(brackets), "]".repeat(brackets));
        format!("{open}{{\"$serde_json::private::RawValue\":{text}}}{close}")
    })
}

#[tokio::test]
async fn deeply_nested_bodies_under_an_idempotency_key_are_refused() {
    let bodies = [
        nested_json(125),
        nested_json(60),
        nested_json(0),
        format!("{{\"reference\":{}}}", nested_json(125)),
        format!("{{\"reference\":{},\"email\":{}}}", nested_json(60), nested_json(60)),
        "[".repeat(100_000),
        format!("{}{}", "{\"a\":[".repeat(100_000), "]}".repeat(100_000)),
    ];
    on_both(async |server| {
        let account = server.account().await;
        for (place, body) in bodies.iter().enumerate() {
            let key = format!("hostile-{place}");
            for path in ["/invoices", "/contacts"] {
                let headers = [("Idempotency-Key", key.as_str())];
                let send = || account.send(Method::POST, path, &headers, Some(body.clone().into_bytes()));
                let refused = send().await.refused(400, "VALIDATION_ERROR");
                let replayed = send().await.expect(400);
                assert_eq!(replayed.header("idempotency-replayed"), "true", "{path} {place}");
                assert_eq!(replayed.bytes, refused.bytes, "{path} {place}");
            }
        }
        let text_in_disguise =
            r#"{"name":"Ada","phone":"1","external_id":{"$serde_json::private::RawValue":"\"x\""}}"#;
        let answer = account
            .post_bytes("/contacts", text_in_disguise.as_bytes())
            .await
            .refused(400, "VALIDATION_ERROR");
        assert_eq!(answer.fields(), ["external_id"]);
        account.post("/invoices", &invoice_body()).await.expect(201);
    })
    .await;
}

#[tokio::test]
async fn oversized_and_non_json_bodies_are_refused() {
    on_both(async |server| {
        let account = server.account().await;
        for size in [1_048_577, 8_000_000] {
            account.post_bytes("/invoices", &vec![b' '; size]).await.refused(413, "PAYLOAD_TOO_LARGE");
        }
        // Exactly 1 MiB is accepted; the blanks are not valid JSON.
        account.post_bytes("/invoices", &vec![b' '; 1_048_576]).await.refused(400, "VALIDATION_ERROR");
        let xml = [("Content-Type", "application/xml")];
        account
            .send(Method::POST, "/invoices", &xml, Some(b"<a/>".to_vec()))
            .await
            .refused(415, "UNSUPPORTED_MEDIA_TYPE");
        let utf8 = [("Content-Type", "application/json; charset=utf-8")];
        let body = invoice_body().to_string().into_bytes();
        account.send(Method::POST, "/invoices", &utf8, Some(body)).await.expect(201);
    })
    .await;
}

#[tokio::test]
async fn malformed_paths_and_queries_are_refused() {
    on_both(async |server| {
        let account = server.account().await;
        for path in [
            "/invoices?status=%00",
            "/invoices?status=OPEN",
            "/invoices?limit=0",
            "/invoices?limit=-1",
            "/invoices?limit=x",
            "/invoices?limit=1.5",
            "/invoices?contact_id=1",
            "/invoices?cursor=x",
            "/invoices?date_from=yesterday",
            "/invoices?date_to=2026-02-30",
            "/invoices?invoice_number=%00",
            "/invoices?invoice_number=%ff",
            "/contacts?external_id=%00",
            "/contacts?email=%ff@example.com",
            "/invoices/%00",
            "/invoices/1",
            "/contacts/1",
            "/invoices?limit=99999999999999999999999x",
        ] {
            let answer = account.get(path).await.refused(400, "VALIDATION_ERROR");
            assert_eq!(answer.fields().len(), 1, "{path} {}", answer.body);
        }
        for path in [
            "/", "/invoices/", "/invoices//", "/invoices/a/b", "/../etc/passwd", "/partner", "/Invoices",
            "/%2e%2e",
        ] {
            account.get(path).await.refused(404, "NOT_FOUND");
        }
        let long = format!("/invoices?invoice_number={}", "x".repeat(51));
        account.get(&long).await.refused(400, "VALIDATION_ERROR");
    })
    .await;
}

#[tokio::test]
async fn sql_in_a_field_is_text() {
    const NAME: &str = "Robert'); DROP TABLE contacts; --";
    const ID: &str = "' OR '1'='1";
    on_both(async |server| {
        let account = server.account().await;
        let plain = json!({"name": "Ada", "email": "ada@example.com", "external_id": "C-1"});
        account.post("/contacts", &plain).await.expect(201);
        let nobody = format!("/contacts?external_id={}", ID.replace(' ', "+"));
        account.get(&nobody).await.refused(404, "NOT_FOUND");
        let sent = json!({"name": NAME, "email": "o'brien@example.com", "external_id": ID});
        let made = account.post("/contacts", &sent).await.expect(201);
        assert_eq!((made.text("name"), made.text("external_id")), (NAME, ID));
        let found = account.get(&nobody).await.expect(200);
        assert_eq!(found.text("id"), made.text("id"));

        let mut invoice = invoice_body();
        invoice["invoice_number"] = json!("x' OR 1=1; --");
        invoice["line_items"][0]["description"] = json!(NAME);
        let raised = account.post("/invoices", &invoice).await.expect(201);
        assert_eq!(raised.body["line_items"][0]["description"], NAME);
        account.post("/invoices", &invoice_body()).await.expect(201);
        for (number, found) in [("x'+OR+1=1;+--", 1), ("'+OR+'1'='1", 0), ("%25", 0), ("_", 0)] {
            let list = account.get(&format!("/invoices?invoice_number={number}")).await;
            let list = list.expect(200);
            assert_eq!(list.body["data"].as_array().unwrap().len(), found, "{number}");
        }
    })
    .await;
}
