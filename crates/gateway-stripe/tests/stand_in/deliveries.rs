//! Deliveries of events, signed as Stripe signs them, in any order and number that a test wants.

use std::sync::Arc;

use kernel::Clock;
use ring::hmac;
use serde_json::Value;

/// Events to deliver. They are signed when they are sent, as Stripe signs each attempt.
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

    /// The types of the events, in order.
    pub(crate) fn types(&self) -> Vec<&str> {
        self.events.iter().map(|event| event["type"].as_str().unwrap()).collect()
    }

    /// In reverse order.
    pub(crate) fn reordered(mut self) -> Self {
        self.events.reverse();
        self
    }

    /// Each event `times` times, all of them once before any is repeated.
    pub(crate) fn repeated(mut self, times: usize) -> Self {
        self.events = (0..times).flat_map(|_| self.events.clone()).collect();
        self
    }

    /// Without the events of a type, as if they never arrive.
    pub(crate) fn losing(mut self, r#type: &str) -> Self {
        self.events.retain(|event| event["type"] != r#type);
        self
    }

    /// Keeps the first `number` events, and returns the others for later delivery.
    pub(crate) fn delaying_after(&mut self, number: usize) -> Self {
        let events = self.events.split_off(number.min(self.events.len()));
        Self { events, secrets: self.secrets.clone(), clock: self.clock.clone() }
    }

    /// Also signed with a second secret, as during the rotation of a webhook secret.
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
            // In test mode Stripe also sends a meaningless scheme.
            signature.push_str(",v0=6ffbb59b2300aae63f272406069a9788598b792a944a07aba816edb039989a39");
            SignedEvent { signature, body }
        };
        self.events.iter().map(sign).collect()
    }

    /// Posts the events one after the other. Returns the statuses of the responses.
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
