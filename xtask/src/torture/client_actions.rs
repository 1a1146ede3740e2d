//! The actions of clients on invoices and contacts: create, amend, cancel and read.
//!
//! Each action is `None` if there is nothing to act on, or no final response.

use serde_json::{Value, json};
use uuid::Uuid;

use super::caller::Request;
use super::environment::Account;
use super::load::Worker;
use super::response::Response;
use super::response_log::CreatedInvoice;

/// The number of addresses from which the contacts of an account are drawn: most contacts exist already, and
/// two clients often create the same one at once.
const ADDRESSES: u64 = 400;

impl Worker {
    /// Creates an invoice under an idempotency key, sometimes with two concurrent requests.
    pub(super) async fn create_invoice(&mut self) -> Option<()> {
        let account = self.some_account()?;
        let key = self.fresh("k");
        let request = Request::write("POST", "/invoices", &account.key, Some(&key), &self.new_invoice());
        let responses = if self.generator.below(10) == 0 {
            let mut twin = self.caller.twin();
            let (one, other) = tokio::join!(self.caller.send(&request), twin.send(&request));
            [one, other]
        } else {
            [self.caller.send(&request).await, None]
        };
        for response in responses.into_iter().flatten() {
            if self.created(&account, &key, &response, &request).is_none() {
                self.wrong(&key, &response);
            }
        }
        Some(())
    }

    fn new_invoice(&self) -> Value {
        let line = |n| {
            let rate = self.generator.pick(&[0, 10, 15]);
            json!({
                "description": format!("Line {n}"),
                "quantity": self.generator.below(5) + 1,
                "unit_amount": amount(self.generator.below(20_000) + 1),
                "tax_rate": rate,
            })
        };
        let lines: Vec<Value> = (0..=self.generator.below(4)).map(line).collect();
        let types = self.generator.pick(&["EXCLUSIVE", "INCLUSIVE"]);
        json!({
            "contact": self.some_contact(),
            "line_items": lines,
            "line_amount_types": types,
            "send_invoice": self.generator.below(12) == 0,
        })
    }

    fn some_contact(&self) -> Value {
        let n = self.generator.below(ADDRESSES);
        json!({"name": format!("Customer {n}"), "email": format!("customer-{n}@example.com")})
    }

    /// Records an acknowledged invoice; `None` if the response is not one.
    fn created(
        &mut self,
        account: &Account,
        key: &str,
        response: &Response,
        request: &Request,
    ) -> Option<()> {
        let body = response.json();
        let (invoice, contact) = (uuid(body.get("id"))?, uuid(body.pointer("/contact/id"))?);
        let total = cents(body.get("total")?).filter(|_| response.status == 201)?;
        let number = body.get("invoice_number").and_then(Value::as_str).unwrap_or_default().to_owned();
        let owner = account.id.uuid();
        let created =
            CreatedInvoice { account: owner, total: Some(total), number, ..CreatedInvoice::default() };
        let mut responses = self.response_log.lock();
        responses.record_response(key, invoice, response, &request.bytes);
        responses.contacts.insert(contact, owner);
        let is_first = responses.invoices.insert(invoice, created).is_none();
        drop(responses);
        if is_first {
            self.remember_invoice(account.clone(), invoice, total);
        }
        Some(())
    }

    /// Finds or creates a contact.
    pub(super) async fn create_contact(&mut self) -> Option<()> {
        let account = self.some_account()?;
        let key = self.fresh("c");
        let request = Request::write("POST", "/contacts", &account.key, Some(&key), &self.some_contact());
        let response = self.caller.send(&request).await?;
        let (200 | 201, Some(id)) = (response.status, uuid(response.json().get("id"))) else {
            self.wrong(&key, &response);
            return None;
        };
        let mut responses = self.response_log.lock();
        responses.record_response(&key, id, &response, &request.bytes);
        responses.contacts.insert(id, account.id.uuid());
        Some(())
    }

    /// Amends one of its own invoices, whose reference no other client changes.
    pub(super) async fn amend(&mut self) -> Option<()> {
        let (account, id, _) = self.some_invoice()?;
        let reference = self.fresh("r");
        let lines = (self.generator.below(3) == 0).then(|| self.new_invoice().get("line_items").cloned());
        let body = match &lines {
            Some(lines) => json!({"reference": reference, "line_items": lines}),
            None => json!({"reference": reference}),
        };
        let (total, before) = {
            let mut responses = self.response_log.lock();
            let before = responses.counts.retries();
            let invoice = responses.invoices.get_mut(&id)?;
            invoice.unconfirmed_references.push(reference.clone());
            let total = invoice.total;
            invoice.total = total.filter(|_| lines.is_none());
            (total, before)
        };
        let request = Request::write("PUT", &format!("/invoices/{id}"), &account.key, None, &body);
        let response = self.caller.send(&request).await?;
        let mut responses = self.response_log.lock();
        let at_once = responses.counts.retries() == before;
        let invoice = responses.invoices.get_mut(&id)?;
        let now = response.json().get("total").and_then(cents);
        match (response.status, response.code().as_str()) {
            (200, _) if now.is_some() => {
                invoice.reference = Some(reference);
                invoice.unconfirmed_references.clear();
                invoice.total = now;
            }
            // If the first try was refused, the amendment was never made; if a later one was, an earlier try
            // may have succeeded.
            (409, "INVOICE_LOCKED" | "CONFLICT") if at_once => {
                invoice.unconfirmed_references.pop();
                invoice.total = total;
            }
            (409, "INVOICE_LOCKED" | "CONFLICT") => {}
            _ => {
                drop(responses);
                self.wrong(&format!("amending {id}"), &response);
            }
        }
        Some(())
    }

    /// Cancels one of its own invoices.
    pub(super) async fn cancel(&mut self) -> Option<()> {
        let (account, id, _) = self.some_invoice()?;
        // Without a key HTTP does not allow repeating it, although a repetition would be harmless.
        let path = format!("/invoices/{id}/cancel");
        let request = Request::write("POST", &path, &account.key, None, &Value::Null);
        let response = self.caller.send(&request).await?;
        match (response.status, response.code().as_str()) {
            (200, _) => self.response_log.lock().invoices.get_mut(&id)?.cancelled = true,
            (400, "INVOICE_NOT_CANCELLABLE") => {}
            _ => self.wrong(&format!("cancelling {id}"), &response),
        }
        Some(())
    }

    /// Reads one of its own invoices, which must exist since it was acknowledged.
    pub(super) async fn read_invoice(&mut self) -> Option<()> {
        let (account, id, _) = self.some_invoice()?;
        let response = self.caller.send(&Request::get(&format!("/invoices/{id}"), &account.key)).await?;
        let body = response.json();
        let number = body.get("invoice_number").and_then(Value::as_str);
        let is_same =
            self.response_log.lock().invoices.get(&id).is_some_and(|created| number == Some(&created.number));
        if response.status != 200 || !is_same {
            self.wrong(&format!("reading acknowledged invoice {id}"), &response);
        }
        Some(())
    }

    /// Reads the newest invoices of an account.
    pub(super) async fn list(&mut self) -> Option<()> {
        let account = self.some_account()?;
        let response = self.caller.send(&Request::get("/invoices?limit=10", &account.key)).await?;
        if response.status != 200 {
            self.wrong("listing invoices", &response);
        }
        Some(())
    }
}

fn uuid(value: Option<&Value>) -> Option<Uuid> {
    value?.as_str()?.parse().ok()
}

/// An amount in cents as a JSON number.
fn amount(cents: u64) -> Value {
    let text = format!("{}.{:02}", cents / 100, cents % 100);
    serde_json::from_str(&text).unwrap_or_default()
}

/// The cents of a JSON amount with two decimals; `None` for anything else.
pub(super) fn cents(value: &Value) -> Option<i64> {
    let text = value.as_number()?.to_string();
    let (whole, decimals) = text.split_once('.')?;
    if decimals.len() != 2 {
        return None;
    }
    format!("{whole}{decimals}").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cents_are_read_from_two_decimals_alone() {
        let read = |text: &str| cents(&serde_json::from_str(text).unwrap());
        assert_eq!(read("80.71"), Some(8_071));
        assert_eq!(read("0.00"), Some(0));
        assert_eq!(read("80.7"), None);
        assert_eq!(read("\"80.71\""), None);
    }
}
