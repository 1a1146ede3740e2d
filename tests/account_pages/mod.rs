//! The pages of the dashboard on escalations, webhooks and settings.

mod api_key;
mod deliveries;
mod endpoints;
mod escalations;
mod notifications;
mod owner_throttle;
mod profile;

use serde_json::json;

use crate::test_app::{Browser, Caller, TestApp, TestResponse};

/// An account with its id, and its owner's browser.
struct Owner {
    caller: Caller,
    id: String,
    browser: Browser,
    /// The partner that manages the account.
    partner: Caller,
}

impl Owner {
    async fn new(server: &TestApp) -> Self {
        let partner = server.partner();
        let (caller, made) = server.account_of(&partner, json!({})).await;
        let id = made["id"].as_str().unwrap().to_owned();
        let browser = Browser::signed_in(server, &id).await;
        Self { caller, id, browser, partner }
    }
}

/// The target of a redirect.
fn location(answer: &TestResponse) -> String {
    assert_eq!(answer.status, 303, "{}", answer.html());
    answer.header("location").to_owned()
}

/// The address of the link with this text.
fn link(page: &TestResponse, words: &str) -> Option<String> {
    let html = page.html();
    let (before, _) = html.split_once(&format!(">{words}</a>"))?;
    let address = before.rsplit("href=\"").next()?.split('"').next()?;
    Some(address.replace("&#38;", "&"))
}
