//! Sends the gateway's events to the service: some late, out of order, several times or never, some with
//! false content, and some with a forged signature.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::task::JoinSet;

use super::super::ledger::Ledger;
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
const NO_ANSWER: Duration = Duration::from_secs(40);
const FORGED_SECRET: &str = "whsec_ofSomebodyElse1";

/// Counts of the events.
#[derive(Debug, Clone, Default)]
pub(super) struct Told {
    pub(super) sent: usize,
    /// Events that were never sent.
    pub(super) lost: usize,
    /// Events that were sent again.
    pub(super) repeated: usize,
    pub(super) lies: usize,
    pub(super) forged: usize,
    /// Unexpected responses.
    pub(super) wrong: Vec<String>,
}

/// One delivery of an event.
struct Parcel {
    event: Value,
    after: Duration,
    is_forged: bool,
}

#[derive(Clone)]
pub(super) struct EventSender {
    gateway: Arc<Gateway>,
    address: SocketAddr,
    path: Arc<str>,
    ledger: Arc<Ledger>,
    generator: Arc<SeededGenerator>,
    told: Arc<Mutex<Told>>,
}

impl EventSender {
    pub(super) fn new(
        gateway: &Arc<Gateway>,
        paid: &PaidAccount,
        ledger: &Arc<Ledger>,
        generator: SeededGenerator,
    ) -> Self {
        Self {
            gateway: gateway.clone(),
            address: paid.address,
            path: paid.events_path.as_str().into(),
            ledger: ledger.clone(),
            generator: Arc::new(generator),
            told: Arc::default(),
        }
    }

    pub(super) fn told(&self) -> Told {
        self.open().clone()
    }

    fn open(&self) -> MutexGuard<'_, Told> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends events until it is stopped; events on their way then still arrive.
    pub(super) async fn carry(self, stopped: watch::Receiver<bool>) {
        let mut under_way = JoinSet::new();
        while !*stopped.borrow() {
            for event in self.gateway.take_events() {
                for parcel in self.parcels(event) {
                    under_way.spawn(self.clone().bring(parcel));
                }
            }
            while under_way.try_join_next().is_some() {}
            tokio::time::sleep(ROUND).await;
        }
        while let Some(ended) = under_way.join_next().await {
            if let Err(panicked) = ended {
                self.ledger.open().wrong.push(format!("an event broke off: {panicked}"));
            }
        }
    }

    /// The deliveries that are made of an event.
    fn parcels(&self, event: Value) -> Vec<Parcel> {
        let draw = |end: u64| self.generator.below(end);
        let late = || Duration::from_millis(if draw(2) == 0 { draw(100) } else { draw(LATEST) });
        let times = match draw(100) {
            0..12 => 0,
            12..70 => 1,
            70..90 => 2,
            _ => 3,
        };
        let mut told = self.open();
        let mut parcels = Vec::new();
        if draw(100) < 10 {
            told.lies += 1;
            // A copy of the event with false content; it comes first, or alone.
            let event = lie(event.clone(), draw(5));
            parcels.push(Parcel { event, after: Duration::ZERO, is_forged: false });
        }
        if draw(100) < 5 {
            told.forged += 1;
            let event = lie(event.clone(), 0);
            parcels.push(Parcel { event, after: late(), is_forged: true });
        }
        told.lost += usize::from(times == 0);
        told.repeated += usize::from(times > 1);
        parcels.extend((0..times).map(|_| Parcel { event: event.clone(), after: late(), is_forged: false }));
        parcels
    }

    /// Sends a delivery until the service accepts or refuses it. Each attempt has a new signature.
    async fn bring(self, parcel: Parcel) {
        tokio::time::sleep(parcel.after).await;
        let expected = if parcel.is_forged { 400 } else { 200 };
        let secret = if parcel.is_forged { FORGED_SECRET } else { WEBHOOK_SECRET };
        let clock = Arc::new(self.gateway.clock.clone());
        let deliveries = Deliveries::new(vec![parcel.event], secret, clock);
        for _ in 0..ATTEMPTS {
            for event in deliveries.signed() {
                let answer = tokio::time::timeout(NO_ANSWER, self.send(&event)).await;
                match answer {
                    Ok(Ok(status)) if status < 500 => {
                        let mut told = self.open();
                        told.sent += 1;
                        if status != expected {
                            let body = event.body;
                            told.wrong.push(format!("{status} in place of {expected} for {body}"));
                        }
                        return;
                    }
                    // The service is not running or not ready.
                    Ok(Ok(_) | Err(_)) => {}
                    Err(_elapsed) => self.open().wrong.push(format!("no answer within {NO_ANSWER:?}")),
                }
            }
            tokio::time::sleep(PAUSE).await;
        }
        self.open().lost += 1;
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
fn lie(mut event: Value, about: u64) -> Value {
    let Some(object) = event.pointer_mut("/data/object").and_then(Value::as_object_mut) else {
        return event;
    };
    let lies = match about {
        0 => json!({"status": "succeeded", "payment_status": "paid", "captured": true, "paid": true}),
        1 => json!({"amount": 99_999_999, "amount_captured": 99_999_999, "amount_total": 99_999_999}),
        2 => json!({"currency": "jpy", "amount_refunded": 1_000}),
        3 => json!({"id": "ch_999999", "charge": "ch_999998"}),
        _ => json!({"metadata": {"intent_id": "00000000-0000-7000-8000-000000000000"}, "status": "failed"}),
    };
    let fields = lies.as_object().into_iter().flatten();
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
    fn a_lie_keeps_the_event_and_changes_its_object() {
        let event = json!({"id": "evt_1", "data": {"object": {
            "id": "ch_1", "status": "failed", "currency": "aud", "amount": 5, "metadata": {"intent_id": "x"},
        }}});
        for about in 0..5 {
            let told = lie(event.clone(), about);
            assert_eq!(told["id"], "evt_1");
            assert_ne!((about, &told["data"]), (about, &event["data"]));
            let fields = told["data"]["object"].as_object().unwrap().len();
            assert_eq!(fields, 5, "no field is added");
        }
        let already = json!({"id": "evt_1"});
        assert_eq!(lie(already.clone(), 1), already);
    }
}
