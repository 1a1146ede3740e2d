//! Paying through a stand-in for Stripe: connecting, and payments with and without signed events.

use std::cell::Cell;
use std::sync::Arc;

use kernel::{Clock as _, SystemClock};
use reqwest::Method;
use serde_json::{Value, json};
use testkit::FixedClock;
use time::{Duration, OffsetDateTime};

use super::{Payer, cents};
use crate::test_app::stripe::deliveries::Deliveries;
use crate::test_app::stripe::{InjectedFault, KEY, StandIn, WEBHOOK_SECRET};
use crate::test_app::{Database, TestResponse};

/// A payer of an account that is connected to Stripe.
pub(super) struct StripePayer {
    pub(super) payer: Payer,
    pub(super) stripe: StandIn,
    clock: FixedClock,
    start: OffsetDateTime,
    ahead: Cell<Duration>,
}

/// Runs a test on both databases. Between two rounds of its worker the service gets only the events that the
/// test sends.
pub(super) async fn on_both(worker_interval: &str, test: impl AsyncFn(StripePayer, &Value)) {
    for database in Database::both() {
        let payer = StripePayer::unconnected(database, worker_interval).await;
        let lines = format!("key={KEY}\nwebhook_secret={WEBHOOK_SECRET}\n");
        let connected = connect(&payer.payer, &lines);
        test(payer, &connected).await;
    }
}

impl StripePayer {
    pub(super) async fn unconnected(database: Database, worker_interval: &str) -> Self {
        Self::listening(database, worker_interval, "127.0.0.1:0").await
    }

    /// A payer of a service that listens on a given address.
    pub(super) async fn listening(database: Database, worker_interval: &str, listen: &str) -> Self {
        let _installed = rustls::crypto::ring::default_provider().install_default();
        let start = SystemClock.now();
        let clock = FixedClock::at(start);
        let stripe = StandIn::start(Arc::new(clock.clone())).await;
        let url = stripe.url();
        let settings = [
            ("COUNTINGHOUSE_STRIPE_URL", &*url),
            ("COUNTINGHOUSE_WORKER_INTERVAL", worker_interval),
            ("COUNTINGHOUSE_LISTEN", listen),
        ];
        let payer = Payer::with(database, start, &settings).await;
        Self { payer, stripe, clock, start, ahead: Cell::new(Duration::ZERO) }
    }

    /// Moves the clocks of the service and of Stripe ahead of their start.
    pub(super) fn advance(&self, by: Duration) {
        self.ahead.set(by);
        self.clock.set(self.start + by);
        self.payer.advance(by);
    }

    /// Moves the clocks on until the charges satisfy a condition: a task that fails at this moment waits from
    /// the later time on.
    pub(super) async fn advance_until(&self, what: &str, are: impl Fn(&[Value]) -> bool) -> Vec<Value> {
        let are_by_now = |charges: &[Value]| {
            let satisfied = are(charges);
            if !satisfied {
                self.advance(self.ahead.get() + Duration::seconds(15));
            }
            satisfied
        };
        self.payer.until_charges(what, are_by_now).await
    }

    /// Makes the next call with another key than the owner's fail like one to a server that is down.
    pub(super) fn unreachable_with_another_key(&self) {
        let down = json!({"error": {"type": "api_error", "message": "down"}});
        self.stripe.next_with_another_key(InjectedFault::Respond(503, down));
    }

    /// Begins to pay; returns the id of Stripe's session.
    pub(super) async fn begin(&self) -> String {
        let answer = self.payer.check_out(&[]).await.expect(303);
        self.session(&answer)
    }

    /// The session to which a redirect leads.
    pub(super) fn session(&self, answer: &TestResponse) -> String {
        let location = answer.header("location");
        assert!(location.starts_with(&format!("{}/c/pay/", self.stripe.url())), "{location}");
        location.rsplit('/').next().unwrap().to_owned()
    }

    /// Asserts that Stripe would accept every request.
    pub(super) fn assert_no_faults(&self) {
        assert_eq!(self.stripe.faults(), Vec::<String>::new());
    }
}

pub(super) async fn deliver(events: &Deliveries, connected: &Value) -> Vec<u16> {
    events.post(&reqwest::Client::new(), connected["events_url"].as_str().unwrap()).await
}

/// Connects the payer's account, with lines on standard input.
pub(super) fn connect(payer: &Payer, lines: &str) -> Value {
    let words = ["gateway", "connect", "--account", &payer.account, "stripe", "--json"];
    let output = payer.server.command_with_input(&words, lines);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn is_paid(charges: &[Value]) -> bool {
    charges.len() == 1 && charges[0]["state"] == "succeeded"
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn invoice_is_paid_by_a_signed_event_and_repeated_and_reordered_ones_count_once() {
    on_both("1h", async |test, connected| {
        let payer = &test.payer;
        let page = payer.browser.get(&payer.page).await.expect(200);
        let policy = page.header("content-security-policy");
        assert!(policy.contains(&format!("form-action 'self' {}", test.stripe.url())), "{policy}");
        let session = test.begin().await;
        assert_eq!(test.begin().await, session, "a second click leads to the same session");
        test.stripe.world(|world| world.pay(&session, "card"));
        let events = test.stripe.events().reordered().repeated(3);
        let statuses = deliver(&events, connected).await;
        assert_eq!(statuses, vec![200; statuses.len()]);
        let charges = payer.until_charges("the charge", is_paid).await;
        assert_eq!((cents(&charges[0], "captured"), cents(&charges[0], "applied")), (11_000, 11_000));
        deliver(&events, connected).await;
        let invoice = payer.invoice().await;
        let payments = invoice["payments"].as_array().unwrap();
        assert_eq!((payments.len(), &invoice["status"]), (1, &json!("PAID")));
        assert_eq!(payments[0]["reference"], charges[0]["charge_id"]);
        assert_eq!(payer.reported(), 1, "one event for the payment");
        test.assert_no_faults();
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn event_with_another_signature_is_refused_and_nothing_is_stored() {
    on_both("1h", async |test, connected| {
        let session = test.begin().await;
        test.stripe.world(|world| world.pay(&session, "card"));
        let taken = test.stripe.world(|world| world.take_events());
        let clock = Arc::new(test.clock.clone());
        let forged = Deliveries::new(taken.clone(), "whsec_ofAnotherEndpoint", clock.clone());
        let statuses = deliver(&forged, connected).await;
        assert_eq!(statuses, vec![400; statuses.len()]);
        let old = FixedClock::at(test.clock.now() - Duration::minutes(6));
        let late = Deliveries::new(taken.clone(), WEBHOOK_SECRET, Arc::new(old));
        assert_eq!(deliver(&late, connected).await, vec![400; statuses.len()]);
        let text = |field: &str| connected[field].as_str().unwrap().to_owned();
        let elsewhere = text("events_url").replace(&text("gateway_account_id"), &test.payer.account);
        let right = Deliveries::new(taken, WEBHOOK_SECRET, clock);
        let answers = right.post(&reqwest::Client::new(), &elsewhere).await;
        assert_eq!(answers, vec![400; statuses.len()], "the gateway account is unknown");
        assert!(test.payer.charges().is_empty());
        assert_eq!(test.payer.invoice().await["status"], "UNPAID");
        assert_eq!(deliver(&right, connected).await, vec![200; statuses.len()]);
        test.payer.until_charges("the charge", is_paid).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn payment_is_found_when_no_event_comes() {
    on_both("1s", async |test, _| {
        let session = test.begin().await;
        test.stripe.world(|world| world.pay(&session, "card"));
        test.payer.until_charges("the charge", is_paid).await;
        assert_eq!(test.payer.invoice().await["status"], "PAID");
        test.assert_no_faults();
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn payment_is_found_when_the_payer_returns_and_the_secret_of_events_is_not_entered_yet() {
    for database in Database::both() {
        let test = StripePayer::unconnected(database, "1h").await;
        let (payer, stripe) = (&test.payer, &test.stripe);
        let connected = connect(payer, &format!("key={KEY}\n"));
        let session = test.begin().await;
        stripe.world(|world| world.pay(&session, "card"));
        let events = stripe.events();
        let (client, events_url) = (reqwest::Client::new(), connected["events_url"].as_str().unwrap());
        assert_eq!(events.post(&client, events_url).await, vec![400; events.types().len()]);
        let back = stripe.world(|world| world.session(&session))["success_url"].as_str().unwrap().to_owned();
        let page = payer.browser.get(&back).await.expect(200).html();
        assert!(page.contains("Thank you") && page.contains("You paid AUD 110.00."), "{page}");
        let again = connect(payer, &format!("webhook_secret={WEBHOOK_SECRET}\n"));
        assert_eq!(again["gateway_account_id"], connected["gateway_account_id"]);
        assert_eq!(events.post(&client, events_url).await, vec![200; events.types().len()]);
        assert_eq!(payer.reported(), 1);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn checkout_whose_answer_was_lost_is_opened_again_with_the_same_request() {
    on_both("1h", async |test, connected| {
        test.stripe.next(InjectedFault::LoseResponse);
        let lost = test.payer.check_out(&[]).await.expect(503);
        assert!(lost.html().contains("Try again"), "{}", lost.html());
        // Stripe would refuse a different request under the same key, such as one that expires later.
        test.advance(Duration::minutes(3));
        let session = test.begin().await;
        assert_eq!(
            test.stripe.calls().iter().filter(|call| **call == "POST /v1/checkout/sessions").count(),
            2
        );
        test.stripe.world(|world| world.pay(&session, "card"));
        deliver(&test.stripe.events(), connected).await;
        test.payer.until_charges("the charge", is_paid).await;
        test.assert_no_faults();
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn checkout_that_failed_at_stripe_is_opened_with_another_intent() {
    on_both("1h", async |test, _| {
        let failure = json!({"error": {"type": "api_error", "message": "an error occurred"}});
        test.stripe.next(InjectedFault::Fail(500, failure));
        test.payer.check_out(&[]).await.expect(503);
        // Stripe repeats the failure for the first intent.
        let session = test.begin().await;
        assert!(test.stripe.world(|world| world.is_open(&session)));
        test.assert_no_faults();
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn checkout_whose_expiry_is_refused_while_a_payment_is_in_progress_is_expired_later() {
    on_both("1h", async |test, _| {
        let session = test.begin().await;
        let refused =
            json!({"error": {"type": "invalid_request_error", "message": "a payment is in progress"}});
        test.stripe.next(InjectedFault::Respond(400, refused));
        let cancel = format!("/invoices/{}/cancel", test.payer.invoice);
        test.payer.key.send(Method::POST, &cancel, &[], None).await.expect(200);
        let expire = format!("POST /v1/checkout/sessions/{session}/expire");
        let is_refused = |_: &[Value]| test.stripe.calls().contains(&expire);
        test.payer.until_charges("the refusal", is_refused).await;
        let is_expired = |_: &[Value]| !test.stripe.world(|world| world.is_open(&session));
        test.advance_until("the expiry", is_expired).await;
        test.assert_no_faults();
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn checkout_of_an_invoice_that_changed_after_a_lost_answer_is_another_one() {
    on_both("1h", async |test, _| {
        test.stripe.next(InjectedFault::LoseResponse);
        test.payer.check_out(&[]).await.expect(503);
        let contact = json!({"contact": {"name": "Ada Lovelace", "email": "countess@example.com"}});
        let path = format!("/invoices/{}", test.payer.invoice);
        let headers = [("Content-Type", "application/json")];
        let body = Some(contact.to_string().into_bytes());
        test.payer.key.send(Method::PUT, &path, &headers, body).await.expect(200);
        let session = test.begin().await;
        let opened = test.stripe.world(|world| world.session(&session));
        assert_eq!(opened["customer_email"], "countess@example.com");
        test.assert_no_faults();
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn checkout_for_an_erased_contact_names_no_address() {
    on_both("1h", async |test, _| {
        let payer = &test.payer;
        let invoice = payer.invoice().await;
        let contact = invoice["contact"]["id"].as_str().unwrap();
        payer.server.command_json(&["contact", "erase", "--account", &payer.account, "--contact", contact]);
        let session = test.begin().await;
        assert_eq!(test.stripe.world(|world| world.session(&session))["customer_email"], json!(null));
        test.assert_no_faults();
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn key_that_stripe_refuses_is_not_connected_and_a_connected_one_keeps_the_sandbox_out() {
    on_both("1h", async |test, connected| {
        let payer = &test.payer;
        let words = ["gateway", "connect", "--account", &payer.account, "stripe"];
        let wrong = "key=rk_test_51OfAnother";
        let refused = payer.server.command_with_input(&words, wrong);
        let said = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(!refused.status.success() && said.contains("refuses the key"), "{said}");
        assert!(!said.contains(wrong), "{said}");
        let list = payer.server.command_json(&["gateway", "list", "--account", &payer.account]);
        assert_eq!((list.as_array().unwrap().len(), &list[0]["kind"]), (1, &json!("stripe")));
        assert_eq!((&list[0], &list[0]["state"]), (connected, &json!("connected")));
        assert_eq!(list[0]["has_webhook_secret"], true);
        test.begin().await;
        let id = connected["gateway_account_id"].as_str().unwrap();
        let disconnected = payer.server.command_json(&["gateway", "disconnect", id]);
        assert_eq!(disconnected["state"], "disconnected");
        // The session above may still be paid: the owner finds the address for its events.
        let list = payer.server.command_json(&["gateway", "list", "--account", &payer.account]);
        assert!(list.as_array().unwrap().contains(&disconnected), "{list}");
        // The sandbox is on here, and replaces the gateway.
        assert!(payer.payment_page().await.contains("<button>Pay"));
        let audit = payer.server.command_json(&["audit", "list", "--account", &payer.account]);
        let mut actions: Vec<_> =
            audit.as_array().unwrap().iter().map(|entry| entry["action"].as_str().unwrap()).collect();
        actions.retain(|action| action.starts_with("gateway."));
        actions.sort_unstable();
        assert_eq!(actions, ["gateway.connected", "gateway.disconnected"], "the refused key is no entry");
        let what = json!("stripe: key and webhook secret");
        assert!(audit.as_array().unwrap().iter().any(|entry| entry["after"] == what), "{audit}");
        test.unreachable_with_another_key();
        let pending = connect(payer, "key=rk_test_51AnotherOfTheOwner");
        assert_eq!(pending["state"], "pending", "{pending}");
        assert!(pending["in_force_at"].as_str().is_some_and(|at| at.ends_with('Z')), "{pending}");
        let list = payer.server.command_json(&["gateway", "list", "--account", &payer.account]);
        assert_eq!(list, json!([pending]));
        let again = payer.server.command(&["gateway", "disconnect", id]);
        let said = String::from_utf8_lossy(&again.stdout).into_owned();
        assert!(said.contains("(stripe) is disconnected: no more checkouts are opened"), "{said}");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn doctor_asks_the_gateway_about_the_key_and_the_charges() {
    on_both("1h", async |test, connected| {
        let payer = &test.payer;
        let finding = |check: &str| {
            let output = payer.server.command(&["doctor", "--json"]);
            let found: Value = serde_json::from_slice(&output.stdout).unwrap();
            found.as_array().unwrap().iter().find(|one| one["check"] == check).unwrap().clone()
        };
        assert_eq!(finding("gateway_keys")["message"], "1 connected gateways take their keys");
        let session = test.begin().await;
        let charge = test.stripe.world(|world| world.pay(&session, "card"));
        test.stripe.world(|world| world.charge_elsewhere("usd"));
        // No event comes, and the next round of the worker is an hour away.
        let events = test.stripe.events();
        test.advance(Duration::hours(3));
        let said = finding("gateway_charges");
        let message = said["message"].as_str().unwrap();
        assert!(said["ok"] == false && message.contains(&charge), "{said}");
        deliver(&events, connected).await;
        payer.until_charges("the charge", is_paid).await;
        assert_eq!(finding("gateway_charges")["ok"], true, "{}", finding("gateway_charges"));
        // A payment of another account, and one that was begun after the backup that was restored.
        let unknown = "01990000-0000-7000-8000-000000000000";
        let begun_for = |account: &str| json!({"intent_id": unknown, "account_id": account});
        test.stripe.world(|world| world.charge_with("aud", &begun_for(unknown)));
        test.advance(Duration::hours(6));
        assert_eq!(finding("gateway_charges")["ok"], true, "{}", finding("gateway_charges"));
        let lost = test.stripe.world(|world| world.charge_with("aud", &begun_for(&payer.account)));
        test.advance(Duration::hours(9));
        let said = finding("gateway_charges");
        let message = said["message"].as_str().unwrap();
        assert!(
            said["ok"] == false && message.contains(&format!("{lost} was paid for this account")),
            "{said}"
        );
        test.stripe.world(|world| world.deny("list disputes"));
        let said = finding("gateway_keys");
        let message = said["message"].as_str().unwrap();
        assert!(said["ok"] == false && message.contains(&payer.account), "{said}");
        assert!(!message.contains(KEY), "{said}");
    })
    .await;
}
