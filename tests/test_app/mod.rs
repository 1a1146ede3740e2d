//! The basis of every end-to-end test: a database, a running server, callers.

pub(crate) mod authority;
mod browser;
mod caller;
mod database;
pub(crate) mod logo_server;
pub(crate) mod receiver;
mod service;
/// The stand-in for Stripe from the tests of its adapter.
#[path = "../../crates/gateway-stripe/tests/stand_in/mod.rs"]
#[expect(dead_code, reason = "the adapter's own tests ask more of it")]
pub(crate) mod stripe;
mod until;

pub(crate) use browser::{Browser, encoded, hidden};
pub(crate) use caller::{Caller, TestResponse};
pub(crate) use database::{Database, MASTER_KEY};
pub(crate) use service::{BROWSER, TestApp, binary, send_sigterm, serving};
pub(crate) use until::until;

use serde_json::{Value, json};

/// Runs a test on both databases, one after the other, each with its own server.
pub(crate) async fn on_both(test: impl AsyncFn(TestApp)) {
    on_both_with(&[], test).await;
}

/// Like [`on_both`], with additional settings.
pub(crate) async fn on_both_with(settings: &[(&str, &str)], test: impl AsyncFn(TestApp)) {
    for database in Database::both() {
        test(TestApp::start(database, settings).await).await;
    }
}

/// A valid body for an invoice.
pub(crate) fn invoice_body() -> Value {
    json!({
        "contact": {"name": "Ada Lovelace", "email": "ada@example.com"},
        "line_items": [{"description": "Consulting", "quantity": 2, "unit_amount": 50, "tax_rate": 10}],
    })
}

/// A number exactly as it is written, for bodies in which `json!` would convert it to a float.
pub(crate) fn number(text: &str) -> Value {
    serde_json::from_str(text).expect("a number")
}

/// The number of a JSON field exactly as it was written.
pub(crate) fn json_text(value: &Value) -> String {
    value.to_string()
}
