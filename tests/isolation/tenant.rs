//! Tenants with one record of each kind.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::NOBODYS;
use super::document::Operation;
use crate::test_app::{Caller, TestApp, invoice_body};

/// A partner and its account, with one record of each kind by its collection's path, and the values that
/// look-ups use.
pub(crate) struct Tenant {
    name: String,
    partner: Caller,
    account: Caller,
    pub(crate) ids: BTreeMap<String, String>,
    pub(crate) words: Vec<String>,
}

/// A tenant whose records all contain its name.
pub(crate) async fn tenant(server: &TestApp, name: &str, operations: &[Operation]) -> Tenant {
    let partner = server.partner();
    let words = [
        format!("account-of-{name}"),
        format!("invoice-of-{name}"),
        format!("contact-of-{name}"),
        format!("{name}@example.com"),
    ];
    let (account, made) = server.account_of(&partner, json!({"external_id": words[0]})).await;
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
    if operations.iter().any(|one| one.path.starts_with("/escalations")) {
        let account = id(&made["id"]);
        let words = ["escalation", "raise", "--account", &account];
        let more = ["--type", "dispute", "--channel", "email", "--statement", "No"];
        let raised = server.command_json(&[&words[..], &more].concat());
        ids.insert("/escalations".to_owned(), id(&raised["id"]));
    }
    for one in operations.iter().filter(|one| one.path.contains('{')) {
        let collection = collection(&one.path);
        assert!(ids.contains_key(collection), "this test has no record of {collection}");
    }
    Tenant {
        name: name.to_owned(),
        partner,
        account,
        words: words.into_iter().chain(ids.values().cloned()).collect(),
        ids,
    }
}

pub(crate) fn collection(path: &str) -> &str {
    path.split("/{").next().unwrap()
}

impl Tenant {
    pub(crate) fn caller(&self, of_partners: bool) -> &Caller {
        if of_partners { &self.partner } else { &self.account }
    }

    /// A value with the same form as a value of the tenant, which no record has.
    pub(crate) fn unknown_value(&self, word: &str) -> String {
        if self.ids.values().any(|id| id == word) {
            NOBODYS.to_owned()
        } else {
            word.replace(&self.name, "nobody")
        }
    }

    /// Everything that the tenant sees of its own records.
    pub(crate) async fn own_records(&self) -> Vec<Value> {
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
