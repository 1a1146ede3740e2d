//! Isolation: to a caller that does not own a record, it does not exist.
//!
//! The operations are read from the OpenAPI document, so that a new one is tried as soon as it exists. A
//! stranger sends each request twice: with a value of another tenant, and with an invented value. Both get
//! the same response, byte for byte, and the tenant's view of its records does not change.

mod document;
mod tenant;

use reqwest::Method;

use self::document::{operations, query_parameters, references};
use self::tenant::{Tenant, collection, tenant};
use crate::test_app::{Caller, TestResponse, on_both};

/// An id that no record has.
const NOBODYS: &str = "01a1f6b6-ee63-7000-8000-00000000ffff";

/// Bodies, each valid for some operation or for none.
const BODIES: [&str; 10] = [
    "",
    "{}",
    "{",
    r#"{"notes": "stolen", "phone": "stolen"}"#,
    r#"{"company_name": "Stolen", "external_id": "stolen", "payment_slug": "stolen"}"#,
    r#"{"status": "inactive"}"#,
    r#"{"webhook_url": "https://1.1.1.1/"}"#,
    r#"{"webhook_url": null, "communications_enabled": false}"#,
    r#"{"line_items": [{"unit_amount": 1}], "send_invoice": true}"#,
    r#"{"contact": {"name": "Eve", "email": "eve@example.com"}, "is_draft": "x"}"#,
];

async fn send(caller: &Caller, method: &Method, path: &str, body: &str) -> (u16, String, TestResponse) {
    let body = (!body.is_empty()).then(|| body.as_bytes().to_vec());
    let answer = caller.send(method.clone(), path, &[], body).await;
    let text = String::from_utf8_lossy(&answer.bytes).into_owned();
    (answer.status, text, answer)
}

#[tokio::test]
async fn operations_on_a_foreign_record_return_not_found() {
    on_both(async |server| {
        let document = server.anonymous().get("/api/v1/openapi.json").await;
        let operations = operations(&document.expect(200).body);
        let us = tenant(&server, "ours", &operations).await;
        let stranger = tenant(&server, "theirs", &operations).await;
        let before = us.own_records().await;
        let mut tried = 0;
        for one in operations.iter().filter(|one| one.path.contains("{id}")) {
            let caller = stranger.caller(one.of_partners);
            for body in BODIES {
                let nobodys = one.path.replace("{id}", NOBODYS);
                let (status, text, _) = send(caller, &one.method, &nobodys, body).await;
                assert!((400..500).contains(&status), "{} {nobodys}: {status}", one.method);
                // The ids of every kind of record, not only of the operation's kind.
                for id in us.ids.values() {
                    let path = one.path.replace("{id}", id);
                    let (ours, shown, _) = send(caller, &one.method, &path, body).await;
                    assert_eq!((ours, &shown), (status, &text), "{} {path} {body}", one.method);
                    tried += 1;
                }
            }
            let path = one.path.replace("{id}", &us.ids[collection(&one.path)]);
            let (status, ..) = send(caller, &one.method, &path, BODIES[3]).await;
            assert_eq!(status, 404, "{} {path}: no body stood in the way", one.method);
        }
        assert!(tried >= 240, "{tried}");
        assert_eq!(us.own_records().await, before);
    })
    .await;
}

#[tokio::test]
async fn parameters_that_name_a_foreign_record_match_nothing() {
    on_both(async |server| {
        let document = server.anonymous().get("/api/v1/openapi.json").await;
        let document = document.expect(200).body;
        let operations = operations(&document);
        let us = tenant(&server, "ours", &operations).await;
        let stranger = tenant(&server, "theirs", &operations).await;
        let before = us.own_records().await;
        let mut tried = 0;
        for one in &operations {
            let caller = stranger.caller(one.of_partners);
            for name in query_parameters(&one.described) {
                for word in &us.words {
                    let path = own_path(&stranger, &one.path);
                    let ask = |value: &str| format!("{path}?{name}={value}");
                    let other = us.unknown_value(word);
                    let (status, text, _) = send(caller, &one.method, &ask(&other), "").await;
                    let (ours, shown, _) = send(caller, &one.method, &ask(word), "").await;
                    // An error may repeat the requested value.
                    let shown = shown.replace(word.as_str(), &other);
                    assert_eq!((ours, shown), (status, text), "{} {}", one.method, ask(word));
                    tried += 1;
                }
            }
            for body in references(&document, &one.described) {
                for id in us.ids.values() {
                    let path = own_path(&stranger, &one.path);
                    let sent = |id: &str| body.to_string().replace(NOBODYS, id);
                    let (status, text, _) = send(caller, &one.method, &path, &sent(NOBODYS)).await;
                    let (ours, shown, answer) = send(caller, &one.method, &path, &sent(id)).await;
                    assert_eq!((ours, shown), (status, text), "{} {path} {}", one.method, sent(id));
                    answer.refused(404, "NOT_FOUND");
                    tried += 1;
                }
            }
        }
        assert!(tried >= 50, "{tried}");
        assert_eq!(us.own_records().await, before);
    })
    .await;
}

/// The path with the stranger's own record: the other tenant's value is elsewhere in the request.
fn own_path(stranger: &Tenant, path: &str) -> String {
    let own = stranger.ids.get(collection(path));
    path.replace("{id}", own.map_or("", String::as_str))
}
