//! Sends generated input to every route that reads a body, a query or headers: no response is a 5xx.
//!
//! The number of cases is proptest's: 256 unless `PROPTEST_CASES` is set.

use access::Quotas;
use actix_web::http::Method;
use actix_web::http::header::{HeaderName, HeaderValue};
use actix_web::rt::System;
use actix_web::test::TestRequest;
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::TestRunner;
use serde_json::Value;

use crate::test_app::{TestApp, TestResponse};

const INVOICE: &str = r#"{"contact": {"name": "Ada", "email": "ada@example.com", "phone": "1", "external_id": "C-1",
    "address": {"line1": "1 Tea St", "city": "Leeds"}}, "invoice_number": "A-1", "invoice_date": "2026-11-20", "due_date": "2026-12-04",
    "currency": "AUD", "line_amount_types": "EXCLUSIVE", "line_items": [{"description": "Tea", "quantity": 3, "unit_amount": 10.05,
    "tax_rate": 10, "tax_type": "GST"}, {"description": "Discount", "unit_amount": -5}], "reference": "PO 7", "notes": "a\nb",
    "staff": "Grace", "send_invoice": false, "is_draft": false}"#;
const CONTACT: &str = r#"{"id": "01a1f6b6-ee63-7000-8000-00000000ffff", "name": "Ada", "email": "ada@example.com", "phone": "1",
    "external_id": "C-1", "address": {"line1": "1 Tea St"}}"#;
const ACCOUNT: &str = r##"{"external_id": "C-1", "company_name": "Acme", "email": "a@example.com", "first_name": "A", "last_name": "B",
    "phone": "1", "abn": "2", "timezone": "Australia/Sydney", "address_line1": "1 Tea St", "address_country": "AU",
    "invoice_prefix": "A-", "payment_slug": "acme", "webhook_url": "https://1.1.1.1/hook", "logo_url": "https://1.1.1.1/logo.png",
    "brand_color": "#1A2B3C", "communications_enabled": true, "status": "active"}"##;

/// Every route that reads a body, with a valid body.
const READING: [(&str, &str, &str); 5] = [
    ("POST", "/api/v1/invoices", INVOICE),
    ("PUT", "/api/v1/invoices/{invoice}", INVOICE),
    ("POST", "/api/v1/contacts", CONTACT),
    ("POST", "/api/v1/partner/accounts", ACCOUNT),
    ("PATCH", "/api/v1/partner/accounts/{account}", ACCOUNT),
];

/// Sends a request for each case to one app.
fn try_all<S: Strategy>(cases: &S, request: impl Fn(&TestApp, &[String; 2], S::Value) -> TestRequest) {
    let runtime = System::new();
    let mut app = runtime.block_on(TestApp::new());
    app.state.quotas = Quotas { reads: u32::MAX, writes: u32::MAX };
    let made = |path: &str, body: &str| {
        let made = runtime.block_on(app.post(path, body));
        assert_eq!(made.status, 201, "{}", made.body);
        made.json()["id"].as_str().unwrap().to_owned()
    };
    let ids = [
        made(READING[0].1, INVOICE),
        made(READING[3].1, r#"{"company_name": "Mine", "email": "me@example.com"}"#),
    ];
    let service = runtime.block_on(app.service());
    let outcome = TestRunner::default().run(cases, |case| {
        let request = request(&app, &ids, case);
        let response = runtime.block_on(service(request));
        is_well_formed(&response)
    });
    outcome.unwrap();
}

/// Asserts that a response has the form that the contract demands.
fn is_well_formed(response: &TestResponse) -> Result<(), TestCaseError> {
    prop_assert!(response.status < 500, "{} {}", response.status, response.body);
    let json: Value =
        serde_json::from_str(&response.body).map_err(|error| TestCaseError::fail(error.to_string()))?;
    prop_assert!(json.is_object());
    if response.status >= 400 {
        let told = |field: &str| json["error"][field].as_str().is_some_and(|text| !text.is_empty());
        prop_assert!(told("code") && told("message"), "{}", response.body);
        prop_assert!(response.body.len() < 64 * 1_024);
    }
    Ok(())
}

fn writing(app: &TestApp, ids: &[String; 2], route: usize, body: Vec<u8>) -> TestRequest {
    let (method, path, _) = READING[route];
    let path = path.replace("{invoice}", &ids[0]).replace("{account}", &ids[1]);
    let method = method.parse::<Method>().unwrap();
    app.request(method, &path).set_payload(body)
}

/// A JSON value of any kind, as text; sometimes invalid JSON.
fn odd() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        any::<bool>().prop_map(|flag| flag.to_string()),
        "-?[0-9]{1,25}([.][0-9]{1,9})?([eE][+-]?[0-9]{1,6})?",
        any::<String>().prop_map(|text| Value::from(text).to_string()),
        "\"(\\\\u[dD8][0-9a-fA-F]{3}|\\\\u00[01][0-9a-f]|[ -!#-\\[\\]-~]|\\p{L}){0,40}\"",
        "\"[0-9]{4}-[0-9]{2}-[0-9]{2}\"",
        "\"https?://[a-z0-9.:@\\[\\]/%-]{0,30}\"",
        "[ -~]{0,8}",
        (200..6_000_usize).prop_map(|length| format!("\"{}\"", "x".repeat(length))),
    ];
    leaf.prop_recursive(4, 16, 4, |inner| {
        let list = prop::collection::vec(inner.clone(), 0..4);
        let object = prop::collection::vec((r"[a-z_$:]{0,12}", inner), 0..4);
        let pair = |(name, value): (String, String)| format!("\"{name}\":{value}");
        prop_oneof![
            list.prop_map(|list| format!("[{}]", list.join(","))),
            object.prop_map(move |pairs| {
                let pairs: Vec<_> = pairs.into_iter().map(pair).collect();
                format!("{{{}}}", pairs.join(","))
            }),
        ]
    })
}

/// A valid body in which one value is replaced, or given twice.
fn replaced(good: &str, place: Index, odd: &str, doubled: bool) -> String {
    let ends: Vec<usize> = good.match_indices(": ").map(|(at, _)| at).collect();
    let at = ends[place.index(ends.len())];
    let (before, behind) = good.split_at(at);
    let value = behind.trim_start_matches(": ");
    let length = serde_json::Deserializer::from_str(value).into_iter::<Value>();
    let mut length = length;
    length.next().unwrap().unwrap();
    let rest = &value[length.byte_offset()..];
    let name = &before[before.rfind(['{', ',']).unwrap() + 1..];
    if doubled { format!("{before}: {odd}, {name}: {odd}{rest}") } else { format!("{before}: {odd}{rest}") }
}

#[test]
fn random_bytes_are_never_answered_with_5xx() {
    let bytes = prop::collection::vec(any::<u8>(), 0..200);
    try_all(&(0..READING.len(), bytes), |app, ids, (route, body)| writing(app, ids, route, body));
}

#[test]
fn mutated_body_is_never_answered_with_5xx() {
    let cases = (0..READING.len(), any::<Index>(), odd(), any::<bool>());
    try_all(&cases, |app, ids, (route, place, odd, doubled)| {
        let body = replaced(READING[route].2, place, &odd, doubled);
        writing(app, ids, route, body.into_bytes())
    });
}

#[test]
fn damaged_body_is_never_answered_with_5xx() {
    let edits = prop::collection::vec((any::<Index>(), any::<u8>(), 0..3_u8), 1..6);
    try_all(&(0..READING.len(), edits), |app, ids, (route, edits)| {
        let mut body = READING[route].2.as_bytes().to_vec();
        for (place, byte, kind) in edits {
            let at = place.index(body.len());
            match kind {
                0 => body[at] = byte,
                1 => body.insert(at, byte),
                _ => drop(body.remove(at)),
            }
        }
        writing(app, ids, route, body)
    });
}

#[test]
fn random_query_is_never_answered_with_5xx() {
    const PATHS: [&str; 3] = ["/api/v1/invoices", "/api/v1/contacts", "/api/v1/partner/accounts"];
    const NAMES: [&str; 10] = [
        "status", "contact_id", "invoice_number", "date_from", "date_to", "limit", "cursor", "email",
        "external_id", "offset",
    ];
    let value = prop_oneof![
        "[A-Za-z0-9%+._~:@!$'()*,;/?=-]{0,60}",
        "(%[0-9a-fA-F]{2}){0,30}",
        "[0-9]{4}-[0-9]{2}-[0-9]{2}",
        "[0-9]{1,30}",
        "[A-Za-z0-9_-]{38}",
    ];
    let pairs = prop::collection::vec((0..NAMES.len(), value), 0..5);
    try_all(&(0..PATHS.len(), pairs), |app, _, (path, pairs)| {
        let pairs: Vec<_> = pairs.iter().map(|(name, value)| format!("{}={value}", NAMES[*name])).collect();
        let path = format!("{}?{}", PATHS[path], pairs.join("&"));
        app.request(Method::GET, &path)
    });
}

#[test]
fn random_header_is_never_answered_with_5xx() {
    const NAMES: [&str; 6] = [
        "idempotency-key", "authorization", "content-type", "x-request-id", "content-encoding",
        "x-forwarded-proto",
    ];
    let value = prop_oneof![
        prop::collection::vec(any::<u8>(), 0..300),
        "\"?[ -~]{0,260}\"?".prop_map(String::into_bytes),
        "(?i)bearer [ -~]{0,60}".prop_map(String::into_bytes),
        "application/json(; *[a-z]{1,8}=\"?[a-z0-9-]{0,8}\"?){0,3}".prop_map(String::into_bytes),
    ];
    try_all(&(0..READING.len(), 0..NAMES.len(), value), |app, ids, (route, name, value)| {
        let request = writing(app, ids, route, READING[route].2.as_bytes().to_vec());
        match HeaderValue::from_bytes(&value) {
            Ok(value) => request.insert_header((HeaderName::from_static(NAMES[name]), value)),
            Err(_no_header) => request,
        }
    });
}
