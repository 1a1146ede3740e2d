//! A response as a client reads it.

use serde_json::Value;

/// A final response: its status is not 5xx.
#[derive(Debug, Clone)]
pub(super) struct Response {
    pub(super) status: u16,
    /// The target of a redirect; empty in other responses.
    pub(super) location: String,
    pub(super) body: Vec<u8>,
}

impl Response {
    /// The body, or null if it is not JSON.
    pub(super) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    /// The code of an error.
    pub(super) fn code(&self) -> String {
        let body = self.json();
        body.pointer("/error/code").and_then(Value::as_str).unwrap_or_default().to_owned()
    }

    /// The value of a hidden field of a page.
    pub(super) fn hidden(&self, name: &str) -> Option<String> {
        let html = String::from_utf8_lossy(&self.body);
        let (_, rest) = html.split_once(&format!("name=\"{name}\" value=\""))?;
        Some(rest.split_once('"')?.0.to_owned())
    }
}
