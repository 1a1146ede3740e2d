//! What clients do with invoices and contacts: create, amend, cancel.

use serde_json::{Value, json};
use uuid::Uuid;

use super::caller::{Answer, Request};
use super::environment::Account;
use super::ledger::CreatedInvoice;
use super::load::Worker;
use super::money::cents;
use crate::fixtures::request::write;

/// Contacts of an account are drawn from so many addresses: most are there already, and two clients often
/// make the same one at once.
const ADDRESSES: u64 = 400;

impl Worker {
    /// Raises an invoice under an idempotency key, at times in two requests at once.
    pub(super) async fn create_invoice(&mut self) {
        let Some(account) = self.some_account() else {
            return;
        };
        let key = self.fresh("k");
        let ask = Request {
            bytes: request("POST", "/invoices", &account.key, Some(&key), &self.new_invoice()),
            repeatable: true,
        };
        if self.generator.below(10) == 0 {
            let mut twin = self.caller.twin();
            let (one, other) = tokio::join!(self.caller.ask(&ask), twin.ask(&ask));
            for answer in one.into_iter().chain(other) {
                self.sold(&account, &key, &answer, &ask);
            }
        } else if let Some(answer) = self.caller.ask(&ask).await {
            self.sold(&account, &key, &answer, &ask);
        }
    }

    fn new_invoice(&mut self) -> Value {
        let lines: Vec<Value> = (0..self.generator.below(4).saturating_add(1))
            .map(|n| {
                let rate = self.generator.pick(&[0, 10, 15]).copied().unwrap_or_default();
                json!({
                    "description": format!("Line {n}"),
                    "quantity": self.generator.below(5).saturating_add(1),
                    "unit_amount": amount(self.generator.below(20_000).saturating_add(1)),
                    "tax_rate": rate,
                })
            })
            .collect();
        let types = self.generator.pick(&["EXCLUSIVE", "INCLUSIVE"]).copied();
        json!({
            "contact": self.somebody(),
            "line_items": lines,
            "line_amount_types": types,
            "send_invoice": self.generator.below(12) == 0,
        })
    }

    fn somebody(&mut self) -> Value {
        let n = self.generator.below(ADDRESSES);
        json!({"name": format!("Customer {n}"), "email": format!("customer-{n}@example.com")})
    }

    fn sold(&mut self, account: &Account, key: &str, answer: &Answer, ask: &Request) {
        let body = answer.json();
        let text = |path| body.pointer(path).and_then(Value::as_str);
        let id = |path| text(path).and_then(|id| id.parse::<Uuid>().ok());
        let (201, Some(invoice), Some(contact)) = (answer.status, id("/id"), id("/contact/id")) else {
            return self.wrong(key, answer);
        };
        let total = body.get("total").and_then(cents);
        let sale = CreatedInvoice {
            account: account.id.uuid(),
            total,
            number: text("/invoice_number").unwrap_or_default().to_owned(),
            ..CreatedInvoice::default()
        };
        let Some(total) = total else {
            return self.wrong(key, answer);
        };
        let mut responses = self.ledger.open();
        responses.answered(key, invoice, answer, &ask.bytes);
        responses.contacts.insert(contact, account.id.uuid());
        let first = responses.invoices.insert(invoice, sale).is_none();
        drop(responses);
        if first {
            self.remember_invoice(account.clone(), invoice, total);
        }
    }

    /// Finds a contact or makes it.
    pub(super) async fn create_contact(&mut self) {
        let Some(account) = self.some_account() else {
            return;
        };
        let key = self.fresh("c");
        let ask = Request {
            bytes: request("POST", "/contacts", &account.key, Some(&key), &self.somebody()),
            repeatable: true,
        };
        let Some(answer) = self.caller.ask(&ask).await else {
            return;
        };
        let body = answer.json();
        let id = body.get("id").and_then(Value::as_str);
        let (200 | 201, Some(id)) = (answer.status, id.and_then(|id| id.parse().ok())) else {
            return self.wrong(&key, &answer);
        };
        let mut responses = self.ledger.open();
        responses.answered(&key, id, &answer, &ask.bytes);
        responses.contacts.insert(id, account.id.uuid());
    }

    /// Amends one of its own invoices, of which nobody else touches the reference.
    pub(super) async fn amend(&mut self) {
        let Some((account, id, _)) = self.some_invoice() else {
            return;
        };
        let reference = self.fresh("r");
        let mut body = json!({"reference": reference});
        if self.generator.below(3) == 0 {
            let lines = self.new_invoice().get("line_items").cloned();
            body.as_object_mut().map(|fields| fields.insert("line_items".to_owned(), lines.into()));
        }
        let lines = body.get("line_items").is_some();
        let mut total = None;
        if let Some(sale) = self.ledger.open().invoices.get_mut(&id) {
            sale.perhaps.push(reference.clone());
            total = sale.total;
            sale.total = total.filter(|_| !lines);
        }
        let before = self.ledger.open().counts.again();
        let path = format!("/invoices/{id}");
        let ask = Request { bytes: request("PUT", &path, &account.key, None, &body), repeatable: true };
        let Some(answer) = self.caller.ask(&ask).await else {
            return;
        };
        let mut responses = self.ledger.open();
        let at_once = responses.counts.again() == before;
        let Some(sale) = responses.invoices.get_mut(&id) else {
            return;
        };
        let now = answer.json().get("total").and_then(cents);
        match (answer.status, answer.code().as_str()) {
            (200, _) if now.is_some() => {
                sale.reference = Some(reference);
                sale.perhaps.clear();
                sale.total = now;
            }
            // Refused at the first try, it was never done; later, an earlier try may have been.
            (409, "INVOICE_LOCKED" | "CONFLICT") if at_once => {
                sale.perhaps.pop();
                sale.total = total;
            }
            (409, "INVOICE_LOCKED" | "CONFLICT") => {}
            _ => {
                drop(responses);
                self.wrong(&format!("amending {id}"), &answer);
            }
        }
    }

    /// Cancels one of its own invoices.
    pub(super) async fn cancel(&mut self) {
        let Some((account, id, _)) = self.some_invoice() else {
            return;
        };
        let path = format!("/invoices/{id}/cancel");
        let ask = Request {
            bytes: request("POST", &path, &account.key, None, &Value::Null),
            // No key makes it so. Tried again it is harmless all the same.
            repeatable: false,
        };
        let Some(answer) = self.caller.ask(&ask).await else {
            return;
        };
        match (answer.status, answer.code().as_str()) {
            (200, _) => {
                if let Some(sale) = self.ledger.open().invoices.get_mut(&id) {
                    sale.cancelled = true;
                }
            }
            (400, "INVOICE_NOT_CANCELLABLE") => {}
            _ => self.wrong(&format!("cancelling {id}"), &answer),
        }
    }
}

/// An amount of so many cents, as JSON writes it.
fn amount(cents: u64) -> Value {
    let text = format!("{}.{:02}", cents / 100, cents % 100);
    serde_json::from_str(&text).unwrap_or_default()
}

fn request(method: &str, path: &str, key: &str, idempotency_key: Option<&str>, body: &Value) -> Vec<u8> {
    let body = if body.is_null() { String::new() } else { body.to_string() };
    let mut request = Vec::new();
    write(&mut request, method, path, key, idempotency_key, &body);
    request
}
