//! The routes under /partner/accounts.

mod amend;
mod create;
mod invite;
mod logo;
mod processes;
mod switch;
mod webhook;

/// The path of an account.
fn path(account: &serde_json::Value) -> String {
    let id = account["id"].as_str().expect("an id");
    format!("/partner/accounts/{id}")
}
