//! The document as its readers rely on it.

use std::collections::BTreeSet;

use serde_json::Value;

use super::*;

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
    let lines = every_operation(&document)
        .into_iter()
        .map(|(place, operation)| {
            let answers: Vec<_> = operation["responses"].as_object().unwrap().iter().collect();
            let statuses = answers.iter().map(|(status, answer)| {
                let words = answer["description"].as_str().unwrap();
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
    for name in document["components"]["schemas"]
        .as_object()
        .unwrap()
        .keys()
    {
        assert!(
            wanted.contains(&format!("#/components/schemas/{name}")),
            "{name}"
        );
    }
}

fn collect_references(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            if let Some(Value::String(reference)) = fields.get("$ref") {
                found.insert(reference.clone());
            }
            fields
                .values()
                .for_each(|field| collect_references(field, found));
        }
        Value::Array(items) => items
            .iter()
            .for_each(|item| collect_references(item, found)),
        _ => {}
    }
}

#[test]
fn resources_name_every_field_as_required_and_no_number_is_a_float() {
    let document = document();
    let schemas = document["components"]["schemas"].as_object().unwrap();
    for name in [
        "Invoice",
        "LineItem",
        "Payment",
        "Contact",
        "Escalation",
        "Account",
    ] {
        let fields = schemas[name]["properties"].as_object().unwrap().keys();
        let required: Vec<_> = schemas[name]["required"]
            .as_array()
            .unwrap()
            .iter()
            .collect();
        assert_eq!(
            fields.map(String::as_str).collect::<Vec<_>>(),
            required,
            "{name}"
        );
    }
    assert!(!openapi_json().contains("\"double\""));
}

#[test]
fn every_error_has_an_example_of_its_own_code() {
    let document = document();
    for (place, operation) in every_operation(&document) {
        for (status, answer) in operation["responses"].as_object().unwrap() {
            let examples = answer["content"]["application/json"]["examples"].as_object();
            for (code, example) in examples.into_iter().flatten() {
                assert_eq!(&example["value"]["error"]["code"], code, "{place} {status}");
            }
            assert!(
                status.starts_with('2') || examples.is_some(),
                "{place} {status}"
            );
        }
    }
}

#[test]
fn the_text_is_the_same_at_every_call() {
    assert_eq!(openapi_json(), openapi_json());
}

#[test]
fn an_example_of_a_refusal_names_what_the_operation_takes() {
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
            // The one field that an amendment names and does not take.
            || (place.starts_with("patch") && first == "email");
        assert!(is_known, "{place} does not take {field}");
    }
}

#[test]
fn no_page_size_is_too_large() {
    let document = document();
    for path in ["/invoices", "/partner/accounts"] {
        let parameters = document["paths"][path]["get"]["parameters"].as_array();
        let limit = parameters
            .into_iter()
            .flatten()
            .find(|one| one["name"] == "limit");
        let expected = serde_json::json!({"type": "integer", "minimum": 1, "default": 25});
        assert_eq!(limit.unwrap()["schema"], expected, "{path}");
    }
}

#[test]
fn a_status_is_described_as_what_may_be_done_with_it() {
    let schemas = &document()["components"]["schemas"];
    let words = |schema: &str| schemas[schema]["properties"]["status"]["description"].to_string();
    assert!(words("AccountAmendment").contains("switches the account off"));
    assert!(words("Account").contains("unless the partner or the operator"));
}
