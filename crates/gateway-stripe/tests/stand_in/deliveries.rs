//! Events on their way, signed as Stripe signs them, in whatever order and number a test wants.

use std::sync::Arc;

use kernel::Clock;
use ring::hmac;
use serde_json::Value;

/// Events to deliver. They are signed when they are sent, as Stripe does with each attempt.
pub(crate) struct Deliveries {
    events: Vec<Value>,
    secrets: Vec<String>,
    clock: Arc<dyn Clock>,
}

/// One attempt to deliver an event.
pub(crate) struct SignedEvent {
    /// The header `Stripe-Signature`.
    pub(crate) signature: String,
    pub(crate) body: String,
}

impl Deliveries {
    pub(crate) fn new(events: Vec<Value>, secret: &str, clock: Arc<dyn Clock>) -> Self {
        Self { events, secrets: vec![secret.to_owned()], clock }
    }

    /// The types, in order.
    pub(crate) fn types(&self) -> Vec<&str> {
        self.events.iter().map(|event| event["type"].as_str().unwrap()).collect()
    }

    /// The last first.
    pub(crate) fn reordered(mut self) -> Self {
        self.events.reverse();
        self
    }

    /// Each as often as that, all of them once before any comes again.
    pub(crate) fn repeated(mut self, times: usize) -> Self {
        self.events = (0..times).flat_map(|_| self.events.clone()).collect();
        self
    }

    /// Events of a type never arrive.
    pub(crate) fn losing(mut self, r#type: &str) -> Self {
        self.events.retain(|event| event["type"] != r#type);
        self
    }

    /// Keeps these many, and returns the others, to be delivered later.
    pub(crate) fn delaying_after(&mut self, number: usize) -> Self {
        let events = self.events.split_off(number.min(self.events.len()));
        Self { events, secrets: self.secrets.clone(), clock: self.clock.clone() }
    }

    /// Signed with a further secret, as while a webhook secret is being rolled.
    pub(crate) fn signed_also_with(mut self, secret: &str) -> Self {
        self.secrets.push(secret.to_owned());
        self
    }

    /// The attempts, signed now.
    pub(crate) fn signed(&self) -> Vec<SignedEvent> {
        let time = self.clock.now().unix_timestamp();
        let sign = |event: &Value| {
            let body = serde_json::to_string_pretty(event).unwrap();
            let text = format!("{time}.{body}");
            let mut signature = format!("t={time}");
            for secret in &self.secrets {
                let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
                let tag = hmac::sign(&key, text.as_bytes());
                let hex: String = tag.as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
                signature.push_str(&format!(",v1={hex}"));
            }
            // In test mode Stripe sends a scheme beside it that means nothing.
            signature.push_str(",v0=6ffbb59b2300aae63f272406069a9788598b792a944a07aba816edb039989a39");
            SignedEvent { signature, body }
        };
        self.events.iter().map(sign).collect()
    }

    /// Posts them one after the other, and returns the statuses of the answers.
    pub(crate) async fn post(&self, client: &reqwest::Client, url: &str) -> Vec<u16> {
        let mut statuses = Vec::new();
        for event in self.signed() {
            let request = client
                .post(url)
                .header("Stripe-Signature", event.signature)
                .header("Content-Type", "application/json; charset=utf-8")
                .body(event.body);
            statuses.push(request.send().await.unwrap().status().as_u16());
        }
        statuses
    }
}
