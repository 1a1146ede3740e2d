//! What clients read under load: whatever was acknowledged is there.

use serde_json::Value;

use super::caller::Request;
use super::load::Worker;
use crate::fixtures::request::get;

impl Worker {
    /// Reads one of its own invoices.
    pub(super) async fn read_invoice(&mut self) {
        let Some((account, id, _)) = self.some_invoice() else {
            return;
        };
        let ask = Request { bytes: get(&format!("/invoices/{id}"), &account.key), repeatable: true };
        let Some(answer) = self.caller.ask(&ask).await else {
            return;
        };
        let body = answer.json();
        let number = body.get("invoice_number").and_then(Value::as_str);
        let responses = self.ledger.open();
        let same = responses.invoices.get(&id).is_some_and(|sale| number == Some(&sale.number));
        drop(responses);
        if answer.status != 200 || !same {
            self.wrong(&format!("reading acknowledged invoice {id}"), &answer);
        }
    }

    /// Reads the newest invoices of an account.
    pub(super) async fn list(&mut self) {
        let Some(account) = self.some_account() else {
            return;
        };
        let ask = Request { bytes: get("/invoices?limit=10", &account.key), repeatable: true };
        if let Some(answer) = self.caller.ask(&ask).await
            && answer.status != 200
        {
            self.wrong("listing invoices", &answer);
        }
    }
}
