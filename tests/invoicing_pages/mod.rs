//! The overview, and the pages of invoices and contacts, as a signed-in owner uses them.

mod contacts;
mod form;
mod invoice;
mod list;
mod overview;
mod stale;

use serde_json::{Value, json};

use crate::test_app::{Browser, Caller, TestApp, TestResponse};

/// An account with its key, and a browser in which its owner is signed in.
pub(crate) struct Owner {
    pub(crate) id: String,
    pub(crate) account: Caller,
    pub(crate) browser: Browser,
}

impl Owner {
    pub(crate) async fn open(server: &TestApp) -> Self {
        let fields = json!({"company_name": "Harbour & Sons", "timezone": "Australia/Sydney"});
        let (account, made) = server.account_of(&server.partner(), fields).await;
        let id = made["id"].as_str().unwrap().to_owned();
        let browser = Browser::signed_in(server, &id).await;
        Self { id, account, browser }
    }

    /// An invoice of 110.00 with these other fields, created through the API.
    pub(crate) async fn invoice(&self, fields: Value) -> Value {
        self.account.invoice(fields).await.body
    }

    /// The invoice as the API reads it.
    pub(crate) async fn read(&self, id: &str) -> Value {
        self.account.get(&format!("/invoices/{id}")).await.expect(200).body
    }

    pub(crate) async fn page(&self, path: &str) -> String {
        self.browser.get(path).await.expect(200).html()
    }
}

/// The path of an invoice's page.
pub(crate) fn path_of(invoice: &Value) -> String {
    format!("/dashboard/invoices/{}", invoice["id"].as_str().unwrap())
}

/// The id in the target of a redirect.
pub(crate) fn id_in(answer: &TestResponse) -> String {
    answer.header("location").rsplit('/').next().unwrap().to_owned()
}
