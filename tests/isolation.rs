//! Isolation: for whoever does not own a record, it is not there.
//!
//! The operations are read from the OpenAPI document, so that a new one is tried as soon as it is there. What a stranger sends, the stranger
//! sends twice: with something that is another tenant's, and with the same made up. Both get the same answer, to the byte, and what the
//! tenant sees of its records stays as it was.

use std::collections::BTreeMap;

use reqwest::Method;
use serde_json::{Value, json};

use crate::harness::{Answer, Caller, Server, invoice_body, on_both};

/// An id that nobody has.
const NOBODYS: &str = "01a1f6b6-ee63-7000-8000-00000000ffff";

/// Bodies that are right for one operation or another, and some that are right for none.
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

/// One operation of the document that wants a key.
struct Operation {
    method: Method,
    path: String,
    of_partners: bool,
    described: Value,
}

fn operations(document: &Value) -> Vec<Operation> {
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

/// A partner and its account, with one record of each kind by its collection's path, and the words that look-ups go by.
struct Tenant {
    name: String,
    partner: Caller,
    account: Caller,
    ids: BTreeMap<String, String>,
    words: Vec<String>,
}

/// A tenant whose records all bear its name.
async fn tenant(server: &Server, name: &str, operations: &[Operation]) -> Tenant {
    let partner = server.partner();
    let words = [
        format!("account-of-{name}"),
        format!("invoice-of-{name}"),
        format!("contact-of-{name}"),
        format!("{name}@example.com"),
    ];
    let (account, made) = server
        .account_of(&partner, json!({"external_id": words[0]}))
        .await;
    let mut body = invoice_body();
    body["invoice_number"] = json!(words[1]);
    body["contact"] = json!({"name": "Ada", "external_id": words[2], "email": words[3]});
    let invoice = account.post("/invoices", &body).await.expect(201);
    let id = |value: &Value| value.as_str().unwrap().to_owned();
    let mut ids = BTreeMap::from([
        ("/invoices".to_owned(), id(&invoice.body["id"])),
        ("/contacts".to_owned(), id(&invoice.body["contact"]["id"])),
        ("/partner/accounts".to_owned(), id(&made["id"])),
    ]);
    if operations
        .iter()
        .any(|one| one.path.starts_with("/escalations"))
    {
        let account = id(&made["id"]);
        let words = ["escalation", "raise", "--account", &account];
        let more = [
            "--type",
            "dispute",
            "--channel",
            "email",
            "--statement",
            "No",
        ];
        let raised = server.command_json(&[&words[..], &more].concat());
        ids.insert("/escalations".to_owned(), id(&raised["id"]));
    }
    for one in operations.iter().filter(|one| one.path.contains('{')) {
        let collection = collection(&one.path);
        assert!(
            ids.contains_key(collection),
            "this test has no record of {collection}"
        );
    }
    Tenant {
        name: name.to_owned(),
        partner,
        account,
        words: words.into_iter().chain(ids.values().cloned()).collect(),
        ids,
    }
}

fn collection(path: &str) -> &str {
    path.split("/{").next().unwrap()
}

impl Tenant {
    fn caller(&self, of_partners: bool) -> &Caller {
        if of_partners {
            &self.partner
        } else {
            &self.account
        }
    }

    /// Something of the same shape as a word of the tenant's, which nobody has.
    fn made_up(&self, word: &str) -> String {
        if self.ids.values().any(|id| id == word) {
            NOBODYS.to_owned()
        } else {
            word.replace(&self.name, "nobody")
        }
    }

    /// Everything that the tenant sees of its own.
    async fn sees(&self) -> Vec<Value> {
        let mut seen = vec![
            self.account.get("/invoices").await.expect(200).body,
            self.partner.get("/partner/accounts").await.expect(200).body,
        ];
        for (collection, id) in &self.ids {
            let caller = self.caller(collection.starts_with("/partner"));
            let read = caller.get(&format!("{collection}/{id}")).await;
            seen.push(read.expect(200).body);
        }
        seen
    }
}

async fn send(caller: &Caller, method: &Method, path: &str, body: &str) -> (u16, String, Answer) {
    let body = (!body.is_empty()).then(|| body.as_bytes().to_vec());
    let answer = caller.send(method.clone(), path, &[], body).await;
    let text = String::from_utf8_lossy(&answer.bytes).into_owned();
    (answer.status, text, answer)
}

#[tokio::test]
async fn every_operation_on_another_tenants_record_answers_as_if_there_were_none() {
    on_both(async |server| {
        let document = server.anonymous().get("/api/v1/openapi.json").await;
        let operations = operations(&document.expect(200).body);
        let us = tenant(&server, "ours", &operations).await;
        let stranger = tenant(&server, "theirs", &operations).await;
        let before = us.sees().await;
        let mut tried = 0;
        for one in operations.iter().filter(|one| one.path.contains("{id}")) {
            let caller = stranger.caller(one.of_partners);
            for body in BODIES {
                let nobodys = one.path.replace("{id}", NOBODYS);
                let (status, text, _) = send(caller, &one.method, &nobodys, body).await;
                assert!(
                    (400..500).contains(&status),
                    "{} {nobodys}: {status}",
                    one.method
                );
                // The ids of every kind of record, not only of the operation's own.
                for id in us.ids.values() {
                    let path = one.path.replace("{id}", id);
                    let (ours, shown, _) = send(caller, &one.method, &path, body).await;
                    assert_eq!(
                        (ours, &shown),
                        (status, &text),
                        "{} {path} {body}",
                        one.method
                    );
                    tried += 1;
                }
            }
            let path = one.path.replace("{id}", &us.ids[collection(&one.path)]);
            let (status, ..) = send(caller, &one.method, &path, BODIES[3]).await;
            assert_eq!(
                status, 404,
                "{} {path}: no body stood in the way",
                one.method
            );
        }
        assert!(tried >= 240, "{tried}");
        assert_eq!(us.sees().await, before);
    })
    .await;
}

#[tokio::test]
async fn every_parameter_and_reference_that_names_another_tenants_record_finds_nothing() {
    on_both(async |server| {
        let document = server.anonymous().get("/api/v1/openapi.json").await;
        let document = document.expect(200).body;
        let operations = operations(&document);
        let us = tenant(&server, "ours", &operations).await;
        let stranger = tenant(&server, "theirs", &operations).await;
        let before = us.sees().await;
        let mut tried = 0;
        for one in &operations {
            let caller = stranger.caller(one.of_partners);
            for name in query_parameters(&one.described) {
                for word in &us.words {
                    let path = own_path(&stranger, &one.path);
                    let ask = |value: &str| format!("{path}?{name}={value}");
                    let (status, text, _) =
                        send(caller, &one.method, &ask(&us.made_up(word)), "").await;
                    let (ours, shown, _) = send(caller, &one.method, &ask(word), "").await;
                    assert_eq!(
                        (ours, shown),
                        (status, text),
                        "{} {}",
                        one.method,
                        ask(word)
                    );
                    tried += 1;
                }
            }
            for body in references(&document, &one.described) {
                for id in us.ids.values() {
                    let path = own_path(&stranger, &one.path);
                    let sent = |id: &str| body.to_string().replace(NOBODYS, id);
                    let (status, text, _) = send(caller, &one.method, &path, &sent(NOBODYS)).await;
                    let (ours, shown, answer) = send(caller, &one.method, &path, &sent(id)).await;
                    assert_eq!(
                        (ours, shown),
                        (status, text),
                        "{} {path} {}",
                        one.method,
                        sent(id)
                    );
                    answer.refused(404, "NOT_FOUND");
                    tried += 1;
                }
            }
        }
        assert!(tried >= 50, "{tried}");
        assert_eq!(us.sees().await, before);
    })
    .await;
}

/// The path with the stranger's own record in it: what is another's stands elsewhere in the request.
fn own_path(stranger: &Tenant, path: &str) -> String {
    let own = stranger.ids.get(collection(path));
    path.replace("{id}", own.map_or("", String::as_str))
}

fn query_parameters(described: &Value) -> Vec<String> {
    let parameters = described["parameters"].as_array().into_iter().flatten();
    let of_query = parameters.filter(|parameter| parameter["in"] == "query");
    of_query
        .map(|parameter| parameter["name"].as_str().unwrap().to_owned())
        .collect()
}

/// Bodies that refer to a record by its id, one for each place where the document has one. The rest of each is the document's example.
fn references(document: &Value, described: &Value) -> Vec<Value> {
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
        // A reference by id stands alone: there is nothing else to be found by.
        *part = json!({ last.as_str(): NOBODYS });
        body
    };
    places.into_iter().map(with).collect()
}

fn find_ids(
    document: &Value,
    schema: &Value,
    above: &mut Vec<String>,
    found: &mut Vec<Vec<String>>,
) {
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
