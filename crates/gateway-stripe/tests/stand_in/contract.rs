//! Checks requests and responses against the facts of Stripe's OpenAPI document.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::server::Request;

pub(crate) struct Contract(Value);

/// The operation of a request.
pub(crate) struct Operation<'a> {
    pub(crate) name: String,
    facts: &'a Value,
}

impl Contract {
    pub(crate) fn load() -> Self {
        Self(serde_json::from_str(include_str!("../openapi/operations.json")).unwrap())
    }

    pub(crate) fn api_version(&self) -> &str {
        self.0["source"]["api_version"].as_str().unwrap()
    }

    /// The fields of one of Stripe's objects.
    pub(crate) fn object(&self, name: &str) -> &Map<String, Value> {
        self.0["objects"][name].as_object().unwrap()
    }

    /// The operation of a request and the id in its path, or all of the request's faults.
    pub(crate) fn check(&self, request: &Request) -> Result<(Operation<'_>, Option<String>), Vec<String>> {
        let Some((facts, id)) = self.route(request) else {
            return Err(vec![format!("Stripe has no {} {}", request.method, request.path)]);
        };
        let name = facts["name"].as_str().unwrap();
        let mut faults = self.check_headers(request);
        let sent = if request.method == "POST" { &request.form } else { &request.query };
        let named = |key: &str| facts["parameters"].get(key);
        let mut keys = BTreeSet::new();
        for (key, value) in sent {
            let plain = plain(key);
            let (parent, _) = plain.rsplit_once('.').unwrap_or(("", ""));
            match named(&plain).or_else(|| named(&format!("{parent}.*"))) {
                Some(facts) => {
                    faults.extend(wrong(facts, value).map(|what| format!("{key}={value}: {what}")))
                }
                None => faults.push(format!("{key}: no such parameter")),
            }
            if plain == "expand[]" {
                faults.extend(self.wrong_expansion(facts, value));
            }
            keys.insert(plain);
        }
        faults.extend(missing(facts, &keys));
        if !faults.is_empty() {
            return Err(faults.into_iter().map(|fault| format!("{name}: {fault}")).collect());
        }
        Ok((Operation { name: name.to_owned(), facts }, id))
    }

    /// The faults of a response: fields that Stripe's object does not have, and values outside enumerations.
    pub(crate) fn check_response(&self, operation: &Operation<'_>, response: &Value) -> Vec<String> {
        let kind = operation.facts["answers"].as_str().unwrap();
        let is_list = operation.facts["list"] == Value::Bool(true);
        let objects =
            if is_list { response["data"].as_array().unwrap().clone() } else { vec![response.clone()] };
        objects.iter().flat_map(|object| self.check_object(kind, object)).collect()
    }

    pub(crate) fn check_object(&self, kind: &str, object: &Value) -> Vec<String> {
        let fields = self.object(kind);
        let mut faults = Vec::new();
        for (field, value) in object.as_object().unwrap() {
            match fields.get(field) {
                None => faults.push(format!("{kind}.{field}: Stripe answers no such field")),
                Some(facts) if !fits(facts, value) => {
                    faults.push(format!("{kind}.{field}: is never {value}"))
                }
                Some(_) => {}
            }
        }
        faults
    }

    fn route(&self, request: &Request) -> Option<(&Value, Option<String>)> {
        let operations = self.0["operations"].as_array().unwrap().iter();
        operations.filter(|facts| facts["method"] == request.method.as_str()).find_map(|facts| {
            let mut id = None;
            let (wanted, path) = (facts["path"].as_str().unwrap().split('/'), request.path.split('/'));
            let same_length = wanted.clone().count() == path.clone().count();
            let fits = wanted.zip(path).all(|(wanted, part)| {
                if wanted.starts_with('{') {
                    id = Some(part.to_owned());
                }
                wanted.starts_with('{') && !part.is_empty() || wanted == part
            });
            (same_length && fits).then_some((facts, id))
        })
    }

    fn check_headers(&self, request: &Request) -> Vec<String> {
        let mut faults = Vec::new();
        let mut want = |holds: bool, what: &str| {
            if !holds {
                faults.push(what.to_owned());
            }
        };
        want(request.header("authorization").starts_with("Bearer "), "no bearer");
        want(
            request.header("stripe-version") == self.api_version(),
            "another Stripe-Version than the table's",
        );
        if request.method == "POST" {
            want((1..=255).contains(&request.header("idempotency-key").len()), "no Idempotency-Key");
            let form = request.header("content-type") == "application/x-www-form-urlencoded";
            want(form, "a body that is no form");
            want(request.query.is_empty(), "a POST with a query");
        } else {
            want(request.form.is_empty(), "a GET with a body");
        }
        faults
    }

    fn wrong_expansion(&self, facts: &Value, path: &str) -> Option<String> {
        let is_list = facts["list"] == Value::Bool(true);
        let field = if is_list { path.strip_prefix("data.").unwrap_or("") } else { path };
        let known = self.object(facts["answers"].as_str().unwrap()).get(field);
        let may = known.is_some_and(|facts| facts.get("expandable").or(facts.get("list")).is_some());
        (!may).then(|| format!("expand[]={path}: cannot be expanded"))
    }
}

/// Converts `line_items[0][price_data][currency]` to its name in the table:
/// `line_items[].price_data.currency`.
fn plain(key: &str) -> String {
    let mut parts = key.split('[');
    let mut plain = parts.next().unwrap().to_owned();
    for part in parts {
        let part = part.trim_end_matches(']');
        if part.bytes().all(|byte| byte.is_ascii_digit()) {
            plain.push_str("[]");
        } else {
            plain.push('.');
            plain.push_str(part);
        }
    }
    plain
}

/// The fault of a value in a form, where everything is text.
fn wrong(facts: &Value, value: &str) -> Option<&'static str> {
    let types: Vec<&str> = facts["type"].as_str().unwrap().split('|').collect();
    let fits = types.iter().any(|r#type| match *r#type {
        "string" => !value.is_empty() && value.len() <= 5_000,
        "integer" => value.parse::<i64>().is_ok(),
        "boolean" => ["true", "false"].contains(&value),
        _ => false,
    });
    let listed = facts.get("enum").is_none_or(|values| values.as_array().unwrap().contains(&value.into()));
    match (fits, listed) {
        (false, _) => Some("has another type"),
        (_, false) => Some("is not in the enumeration"),
        _ => None,
    }
}

/// The parameters that are required because a parameter beside them is present.
fn missing(facts: &Value, keys: &BTreeSet<String>) -> Vec<String> {
    let known = facts["parameters"].as_object().unwrap().iter();
    let required = known.filter(|(_, facts)| facts.get("required").is_some()).map(|(key, _)| key);
    required
        .filter(|key| {
            let (parent, _) = key.rsplit_once('.').unwrap_or(("", ""));
            let wanted = parent.is_empty() || keys.iter().any(|sent| sent.starts_with(&format!("{parent}.")));
            wanted && !keys.contains(*key)
        })
        .map(|key| format!("{key} is missing"))
        .collect()
}

fn fits(facts: &Value, value: &Value) -> bool {
    let types: Vec<&str> = facts["type"].as_str().unwrap().split('|').collect();
    let is = |r#type: &str| types.contains(&r#type) || types.contains(&"any");
    match value {
        Value::Null => facts.get("nullable").is_some(),
        Value::Bool(_) => is("boolean"),
        Value::Number(_) => is("integer"),
        Value::String(_) => {
            is("string") && facts.get("enum").is_none_or(|values| values.as_array().unwrap().contains(value))
        }
        Value::Array(_) => is("array"),
        Value::Object(_) => is("object") || is("map"),
    }
}
