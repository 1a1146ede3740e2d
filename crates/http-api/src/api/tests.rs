//! Tests of the routes and of the OpenAPI document.

use std::collections::BTreeSet;

use actix_web::http::Method;
use actix_web::test::TestRequest;
use serde_json::Value;

use super::*;
use crate::test_app::TestApp;

#[actix_web::test]
async fn unknown_path_is_not_found_without_a_key() {
    let app = TestApp::new().await;
    for path in [
        "/api/v1", "/api/v1/", "/api/v1/invoices/", "/api/v1/escalations", "/api/v2/invoices",
        "/docs/nothing.js", "/docs/%FF", "/docs/../Cargo.toml",
    ] {
        let response = app.send(TestRequest::get().uri(path)).await;
        assert_eq!(response.outcome(), (404, "NOT_FOUND".into()), "{path}");
    }
}

#[actix_web::test]
async fn unknown_method_is_answered_with_the_allowed_ones() {
    let app = TestApp::new().await;
    for (path, methods, allow) in [
        ("/api/v1/invoices", "PUT PATCH DELETE OPTIONS TRACE", "GET, HEAD, POST"),
        ("/api/v1/invoices/1", "POST PATCH DELETE OPTIONS", "GET, HEAD, PUT"),
        ("/api/v1/invoices/1/cancel", "GET HEAD PUT DELETE", "POST"),
        ("/api/v1/invoices/1/pdf", "POST PUT DELETE", "GET, HEAD"),
        ("/api/v1/contacts", "PUT BREW", "GET, HEAD, POST"),
        ("/api/v1/contacts/1", "POST", "GET, HEAD"),
        ("/api/v1/escalations/1", "POST PUT PATCH DELETE", "GET, HEAD"),
        ("/api/v1/partner/accounts", "DELETE", "GET, HEAD, POST"),
        ("/api/v1/partner/accounts/1", "POST PUT", "GET, HEAD, PATCH, DELETE"),
        ("/api/v1/partner/accounts/1/api-key", "GET HEAD", "POST"),
        ("/api/v1/openapi.json", "POST", "GET, HEAD"),
        ("/docs/", "POST", "GET, HEAD"),
    ] {
        for method in methods.split(' ') {
            let method = Method::from_bytes(method.as_bytes()).unwrap();
            let request = TestRequest::default().method(method.clone()).uri(path);
            let response = app.send(request).await;
            assert_eq!(response.status, 405, "{method} {path}");
            assert_eq!(response.code(), "METHOD_NOT_ALLOWED");
            assert_eq!(response.header("allow"), allow);
            assert_eq!(response.header("access-control-allow-origin"), "");
        }
    }
}

#[actix_web::test]
async fn head_is_answered_as_get() {
    let app = TestApp::new().await;
    for path in [
        "/api/v1/invoices",
        "/api/v1/contacts?email=ada@example.com",
        "/api/v1/partner/accounts",
        "/api/v1/openapi.json",
        "/docs/",
    ] {
        let get = app.get(path).await;
        let head = app.send(app.request(Method::HEAD, path)).await;
        assert_eq!(get.status, head.status, "{path}");
        assert_eq!(get.header("content-type"), head.header("content-type"));
    }
}

#[actix_web::test]
async fn documentation_loads_nothing_from_elsewhere() {
    let app = TestApp::new().await;
    let open = |path: &str| app.send(TestRequest::get().uri(path));
    let page = open("/docs/").await;
    assert_eq!(page.status, 200);
    assert!(page.header("content-type").starts_with("text/html"));
    assert!(!page.body.contains("//unpkg") && !page.body.contains("//cdn"));
    let policy = page.header("content-security-policy");
    assert!(policy.contains("script-src 'self'") && policy.contains("frame-ancestors 'none'"), "{policy}");
    assert!(!page.body.contains("<script>"), "the policy lets no script of the page itself run");
    let start = open("/docs/swagger-initializer.js").await.body;
    assert!(start.contains("../api/v1/openapi.json"), "{start}");
    let moved = open("/docs").await;
    assert_eq!((moved.status, moved.header("location")), (308, "docs/"));
    assert_eq!(open("/api/v1/openapi.json").await.body, openapi_json());
}

#[test]
fn document_in_the_repository_is_that_of_the_code() {
    let written = include_str!("../../../../openapi.json");
    assert!(written == openapi_json(), "run `cargo xtask openapi`");
}

fn document() -> Value {
    serde_json::from_str(&openapi_json()).unwrap()
}

fn every_operation(document: &Value) -> Vec<(String, &Value)> {
    let paths = document["paths"].as_object().unwrap();
    let operations = paths.iter().flat_map(|(path, item)| {
        let methods = item.as_object().unwrap().iter();
        methods.map(move |(method, operation)| (format!("{method} {path}"), operation))
    });
    operations.collect()
}

#[test]
fn each_operation_has_its_name_key_and_answers() {
    let document = document();
    let lines = every_operation(&document).into_iter().map(|(place, operation)| {
        let responses: Vec<_> = operation["responses"].as_object().unwrap().iter().collect();
        let statuses = responses.iter().map(|(status, response)| {
            let words = response["description"].as_str().unwrap();
            format!("  {status} {words}\n")
        });
        let name = operation["operationId"].as_str().unwrap();
        let key = &operation["security"];
        format!("{place} {name} {key}\n{}", statuses.collect::<String>())
    });
    insta::assert_snapshot!(lines.collect::<String>());
}

#[test]
fn every_reference_leads_somewhere_and_every_schema_is_referred_to() {
    let document = document();
    let mut wanted = BTreeSet::new();
    collect_references(&document, &mut wanted);
    for reference in &wanted {
        let pointer = reference.strip_prefix('#').unwrap();
        assert!(document.pointer(pointer).is_some(), "{reference}");
    }
    for name in document["components"]["schemas"].as_object().unwrap().keys() {
        assert!(wanted.contains(&format!("#/components/schemas/{name}")), "{name}");
    }
}

fn collect_references(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            if let Some(Value::String(reference)) = fields.get("$ref") {
                found.insert(reference.clone());
            }
            fields.values().for_each(|field| collect_references(field, found));
        }
        Value::Array(items) => items.iter().for_each(|item| collect_references(item, found)),
        _ => {}
    }
}

#[test]
fn resources_name_every_field_as_required_and_no_number_is_a_float() {
    let document = document();
    let schemas = document["components"]["schemas"].as_object().unwrap();
    for name in ["Invoice", "LineItem", "Payment", "Contact", "Escalation", "Account"] {
        let fields = schemas[name]["properties"].as_object().unwrap().keys();
        let required: Vec<_> = schemas[name]["required"].as_array().unwrap().iter().collect();
        assert_eq!(fields.map(String::as_str).collect::<Vec<_>>(), required, "{name}");
    }
    assert!(!openapi_json().contains("\"double\""));
}

#[test]
fn every_error_has_an_example_of_its_own_code() {
    let document = document();
    for (place, operation) in every_operation(&document) {
        for (status, response) in operation["responses"].as_object().unwrap() {
            let examples = response["content"]["application/json"]["examples"].as_object();
            for (code, example) in examples.into_iter().flatten() {
                assert_eq!(&example["value"]["error"]["code"], code, "{place} {status}");
            }
            assert!(status.starts_with('2') || examples.is_some(), "{place} {status}");
        }
    }
}

#[test]
fn document_is_the_same_at_every_call() {
    assert_eq!(openapi_json(), openapi_json());
}

#[test]
fn example_of_a_validation_error_names_a_field_of_the_operation() {
    let document = document();
    for (place, operation) in every_operation(&document) {
        let pointer = "/responses/400/content/application~1json/examples/VALIDATION_ERROR/value/error/field_errors/0/field";
        let field = operation.pointer(pointer).and_then(Value::as_str);
        let field = field.unwrap_or_else(|| panic!("{place} has no example"));
        let first = field.split('.').next().unwrap();
        let parameters = operation["parameters"].as_array().into_iter().flatten();
        let body = &operation["requestBody"]["content"]["application/json"]["schema"]["$ref"];
        let body = body.as_str().and_then(|body| document.pointer(&body[1..]));
        let is_known = parameters.into_iter().any(|one| one["name"] == first)
            || body.is_some_and(|body| body["properties"].get(first).is_some())
            // The one field that an amendment's text mentions but does not accept.
            || (place.starts_with("patch") && first == "email");
        assert!(is_known, "{place} does not take {field}");
    }
}

#[test]
fn page_size_has_no_maximum() {
    let document = document();
    for path in ["/invoices", "/partner/accounts"] {
        let parameters = document["paths"][path]["get"]["parameters"].as_array();
        let limit = parameters.into_iter().flatten().find(|one| one["name"] == "limit");
        let expected = serde_json::json!({"type": "integer", "minimum": 1, "default": 25});
        assert_eq!(limit.unwrap()["schema"], expected, "{path}");
    }
}

#[test]
fn status_of_an_account_is_described_for_reading_and_amending() {
    let schemas = &document()["components"]["schemas"];
    let words = |schema: &str| schemas[schema]["properties"]["status"]["description"].to_string();
    assert!(words("AccountAmendment").contains("switches the account off"));
    assert!(words("Account").contains("unless the partner or the operator"));
}

#[test]
fn creation_and_amendment_of_an_invoice_have_the_same_fields() {
    let document = document();
    let fields = |name: &str| {
        let schema = &document["components"]["schemas"][name]["properties"];
        let names = schema.as_object().unwrap().keys().cloned();
        names.collect::<Vec<_>>()
    };
    assert_eq!(fields("InvoiceAmendment"), fields("NewInvoice"));
    let required = &document["components"]["schemas"]["InvoiceAmendment"]["required"];
    assert_eq!(*required, Value::Null);
}
