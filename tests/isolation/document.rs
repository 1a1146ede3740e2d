//! Operations, read from the OpenAPI document.

use reqwest::Method;
use serde_json::{Value, json};

use super::NOBODYS;

/// One operation of the document that requires a key.
pub(crate) struct Operation {
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) of_partners: bool,
    pub(crate) described: Value,
}

pub(crate) fn operations(document: &Value) -> Vec<Operation> {
    let mut found = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, described) in item.as_object().unwrap() {
            let security = described["security"].to_string();
            if !security.contains("_key") {
                continue;
            }
            found.push(Operation {
                method: Method::from_bytes(method.to_uppercase().as_bytes()).unwrap(),
                path: path.clone(),
                of_partners: security.contains("partner_key"),
                described: described.clone(),
            });
        }
    }
    found
}

pub(crate) fn query_parameters(described: &Value) -> Vec<String> {
    let parameters = described["parameters"].as_array().into_iter().flatten();
    let of_query = parameters.filter(|parameter| parameter["in"] == "query");
    of_query.map(|parameter| parameter["name"].as_str().unwrap().to_owned()).collect()
}

/// Bodies that refer to a record by its id, one for each place where the document has such a reference. The
/// rest of each body is the document's example.
pub(crate) fn references(document: &Value, described: &Value) -> Vec<Value> {
    let schema = &described["requestBody"]["content"]["application/json"]["schema"];
    let mut places = Vec::new();
    find_ids(document, schema, &mut Vec::new(), &mut places);
    let example = resolve(document, schema)["example"].clone();
    let with = |place: Vec<String>| {
        let mut body = example.clone();
        let (last, above) = place.split_last().unwrap();
        let mut part = &mut body;
        for name in above {
            part = &mut part[name.as_str()];
        }
        // The id is the only field of the reference, so that the record cannot be found by another one.
        *part = json!({ last.as_str(): NOBODYS });
        body
    };
    places.into_iter().map(with).collect()
}

fn find_ids(document: &Value, schema: &Value, above: &mut Vec<String>, found: &mut Vec<Vec<String>>) {
    let schema = resolve(document, schema);
    for alternative in ["oneOf", "anyOf", "allOf"] {
        for one in schema[alternative].as_array().into_iter().flatten() {
            find_ids(document, one, above, found);
        }
    }
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        above.push(name.clone());
        if resolve(document, property)["format"] == "uuid" {
            found.push(above.clone());
        } else if above.len() < 4 {
            find_ids(document, property, above, found);
        }
        above.pop();
    }
}

fn resolve<'a>(document: &'a Value, schema: &'a Value) -> &'a Value {
    match schema["$ref"].as_str() {
        Some(reference) => document.pointer(reference.trim_start_matches('#')).unwrap(),
        None => schema,
    }
}
