//! The receiver of all webhooks: it verifies every signature and records every event, and it can stop and
//! come back.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use uuid::Uuid;
use webhooks::{SigningSecret, verify};

use crate::fixtures::loopback_server::LoopbackServer;
use crate::fixtures::webhook_receiver::{self, Authority, Reply, Webhook};

/// The received deliveries.
#[derive(Debug, Default)]
pub(super) struct Received {
    /// For each event, the bytes and how often they came.
    pub(super) events: BTreeMap<Uuid, (Vec<u8>, u32)>,
    /// Faults of deliveries.
    pub(super) wrong: Vec<String>,
    /// The secret of the endpoint at each path.
    secrets: BTreeMap<String, SigningSecret>,
}

/// A receiver.
pub(super) struct Receiver {
    pub(super) server: LoopbackServer,
    received: Arc<Mutex<Received>>,
    /// Whether the receiver responds with 500 to everything and records nothing.
    failing: Arc<AtomicBool>,
}

impl Receiver {
    pub(super) async fn start(authority: &Authority) -> anyhow::Result<Self> {
        let (received, failing) = (Arc::<Mutex<Received>>::default(), Arc::<AtomicBool>::default());
        let (into, fails) = (received.clone(), failing.clone());
        let reply = move |webhook: &Webhook<'_>| {
            if fails.load(Ordering::Relaxed) {
                return Reply::InternalServerError;
            }
            into.lock().unwrap_or_else(PoisonError::into_inner).take(webhook);
            Reply::NoContent
        };
        Ok(Self { server: webhook_receiver::start(authority, reply).await?, received, failing })
    }

    pub(super) fn url(&self, path: &str) -> String {
        format!("https://{}{path}", self.server.address)
    }

    /// Deliveries to this path must be signed with this secret.
    pub(super) fn expect(&self, path: &str, secret: SigningSecret) {
        self.received().secrets.insert(path.to_owned(), secret);
    }

    pub(super) fn received(&self) -> MutexGuard<'_, Received> {
        self.received.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets whether the receiver responds with 500 from now on.
    pub(super) fn set_failing(&self, failing: bool) {
        self.failing.store(failing, Ordering::Relaxed);
    }
}

impl Received {
    fn take(&mut self, webhook: &Webhook<'_>) {
        let secret = self.secrets.get(webhook.path);
        let genuine = secret.is_some_and(|secret| verify(secret, webhook.body, webhook.signature).is_ok());
        self.add(webhook, genuine);
    }

    fn add(&mut self, webhook: &Webhook<'_>, genuine: bool) {
        let Webhook { path, body, .. } = webhook;
        let Ok(id) = webhook.event_field("event_id").parse() else {
            self.wrong.push(format!("{path}: a body without an event"));
            return;
        };
        if !genuine {
            self.wrong.push(format!("{path}: event {id} with a wrong signature"));
            return;
        }
        let (first, times) = self.events.entry(id).or_insert_with(|| (body.to_vec(), 0));
        *times += 1;
        if first != body {
            self.wrong.push(format!("{path}: event {id} with other bytes than before"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_may_come_twice_but_not_in_other_bytes() {
        let id = "019aa1b2-0000-7000-8000-000000000004";
        let body = |more: &str| format!("{{\"events\":[{{\"event_id\":\"{id}\"}}]{more}}}");
        let mut received = Received::default();
        let mut add = |genuine: bool, body: &str| {
            received.add(&Webhook { path: "/1", signature: "", body: body.as_bytes() }, genuine);
            (received.events.values().map(|(_, times)| *times).sum::<u32>(), received.wrong.len())
        };
        assert_eq!(add(true, &body("")), (1, 0));
        assert_eq!(add(true, &body("")), (2, 0));
        assert_eq!(add(true, &body(",\"more\":1")).1, 1);
        assert_eq!(add(false, &body("")).1, 2);
        assert_eq!(add(true, "{}").1, 3);
    }
}
