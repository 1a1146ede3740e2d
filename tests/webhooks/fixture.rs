//! The basis of the tests of webhooks: a server that may call this machine, an account, an invoice to pay.

use base64::Engine as _;
use serde_json::{Value, json};

use crate::test_app::authority::AUTHORITY;
use crate::test_app::receiver::{Received, Receiver};
use crate::test_app::{Caller, Database, TestApp, invoice_body, until};

/// Short waits between attempts, as many as in the contract.
pub(super) const SHORT_WAITS: (&str, &str) = ("COUNTINGHOUSE_WEBHOOK_RETRY_WAITS", "200ms,300ms,400ms,500ms");

/// Waits between attempts that are longer than any test.
pub(super) const LONG_WAITS: (&str, &str) = ("COUNTINGHOUSE_WEBHOOK_RETRY_WAITS", "1h,1h,1h,1h");

/// A short time limit of an attempt, for tests in which an attempt reaches it.
pub(super) const SHORT_TIME: (&str, &str) = ("COUNTINGHOUSE_WEBHOOK_TIMEOUT", "1s");

pub(super) struct WebhookFixture {
    pub(super) server: TestApp,
    pub(super) account: Caller,
    pub(super) account_id: String,
    pub(super) invoice: String,
}

pub(super) struct Endpoint {
    pub(super) id: String,
    pub(super) secret: String,
}

/// Runs a test on both databases at the same time: many wait for a lease.
pub(super) async fn on_both(settings: &[(&str, &str)], test: impl AsyncFn(WebhookFixture) + Sync) {
    Database::on_both_at_once(async |database| {
        test(WebhookFixture::new(database, settings).await).await;
    })
    .await;
}

/// Waits until a receiver got `number` requests, and returns them.
pub(super) async fn received(receiver: &Receiver, number: usize) -> Vec<Received> {
    let look = async || Some(receiver.received()).filter(|received| received.len() >= number);
    until(&format!("{number} requests"), look).await
}

impl WebhookFixture {
    pub(super) async fn new(database: Database, settings: &[(&str, &str)]) -> Self {
        let ca = database.folder.path().join("ca.pem");
        std::fs::write(&ca, AUTHORITY.pem()).unwrap();
        let common = [
            ("COUNTINGHOUSE_EXTRA_CA_FILE", ca.to_str().unwrap()),
            ("COUNTINGHOUSE_ALLOW_PRIVATE_TARGETS", "true"),
            ("COUNTINGHOUSE_WORKER_INTERVAL", "500ms"),
            ("COUNTINGHOUSE_PUBLIC_URL", "https://books.example.com"),
        ];
        let server = TestApp::start(database, &[&common, settings].concat()).await;
        let (account, made) = server.account_of(&server.partner(), json!({})).await;
        let invoice = account.post("/invoices", &invoice_body()).await.expect(201);
        Self {
            server,
            account,
            account_id: made["id"].as_str().unwrap().to_owned(),
            invoice: invoice.text("id").to_owned(),
        }
    }

    /// Adds an endpoint of the account for payments.
    pub(super) fn add(&self, url: &str) -> Endpoint {
        self.add_for(url, "invoice.payment_recorded")
    }

    pub(super) fn add_for(&self, url: &str, events: &str) -> Endpoint {
        let account = ["--account", &self.account_id];
        let target = ["--url", url, "--events", events];
        let words = [&["webhook", "add"], &account[..], &target[..]].concat();
        let added = self.server.command_json(&words);
        let text = |field: &str| added[field].as_str().unwrap().to_owned();
        assert_eq!(added.as_object().unwrap().len(), 2, "{added}");
        Endpoint { id: text("endpoint_id"), secret: text("signing_secret") }
    }

    /// Records a small payment, in a separate process.
    pub(super) fn pay(&self) {
        self.server.record_payment(&self.account_id, &self.invoice, "0.01");
    }

    /// `webhook deliveries`, newest event first.
    pub(super) fn deliveries(&self) -> Vec<Value> {
        let words = ["webhook", "deliveries", "--account", &self.account_id];
        self.server.command_json(&words).as_array().unwrap().clone()
    }

    /// Waits until there are `number` deliveries that all ended in this state, and returns them.
    pub(super) async fn all_end(&self, number: usize, state: &str) -> Vec<Value> {
        let look = async || {
            let deliveries = self.deliveries();
            let ended = deliveries.iter().all(|one| one["state"] == state);
            (deliveries.len() == number && ended).then_some(deliveries)
        };
        until(&format!("{number} deliveries that are {state}"), look).await
    }

    /// Changes an endpoint, and returns its new state.
    pub(super) fn change(&self, change: &str, endpoint: &Endpoint) -> Value {
        self.server.command_json(&["webhook", change, &endpoint.id])
    }

    pub(super) fn endpoints(&self) -> Vec<Value> {
        let words = ["webhook", "list", "--account", &self.account_id];
        self.server.command_json(&words).as_array().unwrap().clone()
    }
}

/// Whether a request carries the signature of its body under a secret. It is computed here without code of
/// the service.
pub(super) fn is_signed(request: &Received, secret: &str) -> bool {
    let key = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, secret.as_bytes());
    let header = &request.headers["service-signature"];
    let tag = base64::engine::general_purpose::STANDARD.decode(header);
    ring::hmac::verify(&key, &request.body, &tag.unwrap()).is_ok()
}
