//! Sends the gateway's events to the service: some late, out of order, several times or never, some with
//! false content, and some with a forged signature.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::task::JoinSet;

use super::super::response_log::ResponseLog;
use super::account::PaidAccount;
use super::gateway::Gateway;
use crate::fixtures::client::Connection;
use crate::fixtures::stripe::WEBHOOK_SECRET;
use crate::fixtures::stripe::deliveries::{Deliveries, SignedEvent};
use crate::seed::random::SeededGenerator;

/// How often events are fetched from the gateway.
const ROUND: Duration = Duration::from_millis(20);
/// The highest delay of an event, in milliseconds.
const LATEST: u64 = 4_000;
/// How often an event is sent that the service does not accept, and the pause between attempts.
const ATTEMPTS: usize = 6;
const PAUSE: Duration = Duration::from_millis(400);
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(40);
const FORGED_SECRET: &str = "whsec_ofSomebodyElse1";

/// Counts of the events.
#[derive(Debug, Clone, Default)]
pub(super) struct EventCounts {
    pub(super) sent: usize,
    /// Events that were never sent.
    pub(super) lost: usize,
    /// Events that were sent again.
    pub(super) repeated: usize,
    pub(super) falsified: usize,
    pub(super) forged: usize,
    /// Unexpected responses.
    pub(super) wrong: Vec<String>,
}

/// One delivery of an event.
struct EventDelivery {
    event: Value,
    after: Duration,
    is_forged: bool,
}

#[derive(Clone)]
pub(super) struct EventSender {
    gateway: Arc<Gateway>,
    address: SocketAddr,
    path: Arc<str>,
    response_log: Arc<ResponseLog>,
    generator: Arc<SeededGenerator>,
    counts: Arc<Mutex<EventCounts>>,
}

impl EventSender {
    pub(super) fn new(
        gateway: &Arc<Gateway>,
        paid: &PaidAccount,
        response_log: &Arc<ResponseLog>,
        generator: SeededGenerator,
    ) -> Self {
        Self {
            gateway: gateway.clone(),
            address: paid.address,
            path: paid.events_path.as_str().into(),
            response_log: response_log.clone(),
            generator: Arc::new(generator),
            counts: Arc::default(),
        }
    }

    pub(super) fn counts(&self) -> EventCounts {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, EventCounts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends events until it is stopped; events on their way then still arrive.
    pub(super) async fn run(self, stopped: watch::Receiver<bool>) {
        let mut under_way = JoinSet::new();
        while !*stopped.borrow() {
            for event in self.gateway.take_events() {
                for delivery in self.deliveries(event) {
                    under_way.spawn(self.clone().deliver(delivery));
                }
            }
            while under_way.try_join_next().is_some() {}
            tokio::time::sleep(ROUND).await;
        }
        while let Some(ended) = under_way.join_next().await {
            if let Err(panicked) = ended {
                self.response_log.lock().wrong.push(format!("an event broke off: {panicked}"));
            }
        }
    }

    /// The deliveries that are made of an event.
    fn deliveries(&self, event: Value) -> Vec<EventDelivery> {
        let draw = |end: u64| self.generator.below(end);
        let late = || Duration::from_millis(if draw(2) == 0 { draw(100) } else { draw(LATEST) });
        let times = match draw(100) {
            0..12 => 0,
            12..70 => 1,
            70..90 => 2,
            _ => 3,
        };
        let mut counts = self.lock();
        let mut deliveries = Vec::new();
        if draw(100) < 10 {
            counts.falsified += 1;
            // A copy of the event with false content; it comes first, or alone.
            let event = falsified(event.clone(), draw(5));
            deliveries.push(EventDelivery { event, after: Duration::ZERO, is_forged: false });
        }
        if draw(100) < 5 {
            counts.forged += 1;
            let event = falsified(event.clone(), 0);
            deliveries.push(EventDelivery { event, after: late(), is_forged: true });
        }
        counts.lost += usize::from(times == 0);
        counts.repeated += usize::from(times > 1);
        deliveries.extend((0..times).map(|_| EventDelivery {
            event: event.clone(),
            after: late(),
            is_forged: false,
        }));
        deliveries
    }

    /// Sends a delivery until the service accepts or refuses it. Each attempt has a new signature.
    async fn deliver(self, delivery: EventDelivery) {
        tokio::time::sleep(delivery.after).await;
        let expected = if delivery.is_forged { 400 } else { 200 };
        let secret = if delivery.is_forged { FORGED_SECRET } else { WEBHOOK_SECRET };
        let clock = Arc::new(self.gateway.clock.clone());
        let deliveries = Deliveries::new(vec![delivery.event], secret, clock);
        for _ in 0..ATTEMPTS {
            for event in deliveries.signed() {
                let response = tokio::time::timeout(RESPONSE_TIMEOUT, self.send(&event)).await;
                match response {
                    Ok(Ok(status)) if status < 500 => {
                        let mut counts = self.lock();
                        counts.sent += 1;
                        if status != expected {
                            let body = event.body;
                            counts.wrong.push(format!("{status} in place of {expected} for {body}"));
                        }
                        return;
                    }
                    // The service is not running or not ready.
                    Ok(Ok(_) | Err(_)) => {}
                    Err(_elapsed) => self.lock().wrong.push(format!("no answer within {RESPONSE_TIMEOUT:?}")),
                }
            }
            tokio::time::sleep(PAUSE).await;
        }
        self.lock().lost += 1;
    }

    async fn send(&self, event: &SignedEvent) -> anyhow::Result<u16> {
        let SignedEvent { signature, body } = event;
        let (path, length) = (&self.path, body.len());
        let request = format!(
            "POST {path} HTTP/1.1\r\nHost: loopback\r\nContent-Type: application/json\r\n\
             Stripe-Signature: {signature}\r\nContent-Length: {length}\r\n\r\n{body}"
        );
        Connection::open(self.address).await?.exchange(request.as_bytes()).await
    }
}

/// The event with one false value.
fn falsified(mut event: Value, about: u64) -> Value {
    let Some(object) = event.pointer_mut("/data/object").and_then(Value::as_object_mut) else {
        return event;
    };
    let false_values = match about {
        0 => json!({"status": "succeeded", "payment_status": "paid", "captured": true, "paid": true}),
        1 => json!({"amount": 99_999_999, "amount_captured": 99_999_999, "amount_total": 99_999_999}),
        2 => json!({"currency": "jpy", "amount_refunded": 1_000}),
        3 => json!({"id": "ch_999999", "charge": "ch_999998"}),
        _ => json!({"metadata": {"intent_id": "00000000-0000-7000-8000-000000000000"}, "status": "failed"}),
    };
    let fields = false_values.as_object().into_iter().flatten();
    // Fields that the object does not have are not added.
    for (name, value) in fields {
        if let Some(field) = object.get_mut(name) {
            *field = value.clone();
        }
    }
    event
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn falsified_event_keeps_its_id_and_changes_its_object() {
        let event = json!({"id": "evt_1", "data": {"object": {
            "id": "ch_1", "status": "failed", "currency": "aud", "amount": 5, "metadata": {"intent_id": "x"},
        }}});
        for about in 0..5 {
            let changed = falsified(event.clone(), about);
            assert_eq!(changed["id"], "evt_1");
            assert_ne!((about, &changed["data"]), (about, &event["data"]));
            let fields = changed["data"]["object"].as_object().unwrap().len();
            assert_eq!(fields, 5, "no field is added");
        }
        let already = json!({"id": "evt_1"});
        assert_eq!(falsified(already.clone(), 1), already);
    }
}
