//! The routes under /escalations, and the commands that raise and resolve escalations.

mod raise;
mod read;
mod resolve;

use serde_json::Value;

use crate::test_app::{Caller, TestApp};

/// Raises an escalation by command, with more arguments.
pub(crate) fn raise(server: &TestApp, account: &str, more: &[&str]) -> Value {
    server.command_json(&raise_words(account, more))
}

fn raise_words<'a>(account: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let words = ["escalation", "raise", "--account", account, "--type", "dispute", "--channel", "email"];
    let statement = ["--statement", "We never got the tea."];
    let statement: &[&str] = if more.contains(&"--statement") { &[] } else { &statement };
    [&words, statement, more].concat()
}

fn resolve_words<'a>(account: &'a str, id: &'a str, outcome: &'a str) -> Vec<&'a str> {
    vec!["escalation", "resolve", id, "--account", account, "--outcome", outcome]
}

/// An account with its key, and its id.
async fn account(server: &TestApp) -> (Caller, String) {
    let fields = serde_json::json!({});
    let (caller, made) = server.account_of(&server.partner(), fields).await;
    (caller, made["id"].as_str().unwrap().to_owned())
}

/// The id of an object.
fn id(value: &Value) -> &str {
    value["id"].as_str().unwrap()
}

/// Runs a command that is refused; returns its exit status and its error message.
fn failed_command(server: &TestApp, words: &[&str]) -> (Option<i32>, String) {
    let output = server.command(words);
    assert!(output.stdout.is_empty(), "{words:?}");
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code(), errors)
}
