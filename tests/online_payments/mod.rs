//! Paying online: the complete flow from the payment page through the sandbox and back, on both databases.

mod disturbed;
mod events;
mod flow;
mod keys;
mod races;
mod refused_keys;
mod replaced_keys;
mod returns;
mod sandbox_replaced;
mod stripe;

use idempotency::FormToken;
use kernel::{Clock as _, Id, SystemClock, SystemIds, instant_text};
use serde_json::{Value, json};
use time::OffsetDateTime;

use crate::test_app::{Browser, Caller, Database, TestApp, TestResponse, hidden, invoice_body, until};

/// An invoice of 110.00 AUD that a payer pays in the sandbox.
struct Payer {
    server: TestApp,
    key: Caller,
    account: String,
    invoice: String,
    page: String,
    browser: Browser,
    clock: tempfile::NamedTempFile,
    start: OffsetDateTime,
}

/// Runs a test on both databases, with the sandbox on and a clock that the test moves.
async fn on_both(test: impl AsyncFn(Payer)) {
    for database in Database::both() {
        test(Payer::new(database).await).await;
    }
}

impl Payer {
    async fn new(database: Database) -> Self {
        // Sessions of tests begin at the time of the system's clock.
        let start = SystemClock.now();
        Self::with(database, start, &[("COUNTINGHOUSE_WORKER_INTERVAL", "1s")]).await
    }

    /// A payer of a service with these settings, at a given time.
    async fn with(database: Database, start: OffsetDateTime, settings: &[(&str, &str)]) -> Self {
        let clock = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(clock.path(), instant_text(start)).unwrap();
        let own =
            [("COUNTINGHOUSE_SANDBOX", "true"), ("COUNTINGHOUSE_TEST_CLOCK", clock.path().to_str().unwrap())];
        let server = TestApp::start(database, &[&own, settings].concat()).await;
        let (key, made) = server.account_of(&server.partner(), json!({})).await;
        let account = made["id"].as_str().unwrap().to_owned();
        let url = "https://receiver.example.com/hook";
        let endpoint = ["webhook", "add", "--account", &account, "--url", url];
        server.command_json(&[&endpoint[..], &["--events", "invoice.payment_recorded"]].concat());
        let made = key.post("/invoices", &invoice_body()).await.expect(201);
        let public_url = settings.iter().find(|(name, _)| *name == "COUNTINGHOUSE_PUBLIC_URL");
        let public_url = public_url.map_or(server.base.as_str(), |(_, url)| url);
        let page = made.text("pay_url").strip_prefix(public_url).unwrap().to_owned();
        let (invoice, browser) = (made.text("id").to_owned(), Browser::new(&server));
        Self { server, key, account, invoice, page, browser, clock, start }
    }

    /// Moves the clock ahead of its start.
    fn advance(&self, by: time::Duration) {
        std::fs::write(self.clock.path(), instant_text(self.start + by)).unwrap();
    }

    /// A form token as a current page has.
    fn form_token(&self) -> String {
        let account = Id::parse(&self.account).unwrap();
        FormToken::new(&SystemIds::default(), self.start, account).uuid().to_string()
    }

    /// Sends the form of the payment page.
    async fn check_out(&self, fields: &[(&str, &str)]) -> TestResponse {
        let page = self.browser.get(&self.page).await.expect(200);
        let form_token = hidden(&page, "once");
        let fields = [&[("once", &*form_token)], fields].concat();
        self.browser.post(&format!("{}/checkout", self.page), &fields).await
    }

    /// Begins to pay; returns the address of the sandbox's checkout.
    async fn begin(&self, fields: &[(&str, &str)]) -> String {
        let answer = self.check_out(fields).await.expect(303);
        let location = answer.header("location").to_owned();
        assert!(location.starts_with("/sandbox/checkout/"), "{location}");
        location
    }

    /// Presses a button of the sandbox, and returns the page to which the payer returns.
    async fn press(&self, checkout: &str, action: &str) -> String {
        let answer = self.browser.submit(checkout, &[("action", action)]).await.expect(303);
        self.browser.get(answer.header("location")).await.expect(200).html()
    }

    async fn payment_page(&self) -> String {
        self.browser.get(&self.page).await.expect(200).html()
    }

    async fn invoice(&self) -> Value {
        self.key.get(&format!("/invoices/{}", self.invoice)).await.expect(200).body
    }

    fn charges(&self) -> Vec<Value> {
        let list = self.server.command_json(&["payment", "charges", "--account", &self.account]);
        list.as_array().unwrap().clone()
    }

    /// How many payments the webhooks reported.
    fn reported(&self) -> usize {
        let list = self.server.command_json(&["webhook", "deliveries", "--account", &self.account]);
        list.as_array().unwrap().len()
    }

    /// Waits until the charges satisfy a condition, and asserts that their parts add up.
    async fn until_charges(&self, what: &str, are: impl Fn(&[Value]) -> bool) -> Vec<Value> {
        let mut seen = Vec::new();
        until(what, async || {
            let charges = self.charges();
            assert_conserved(&charges);
            if charges != seen {
                println!("charges: {charges:?}");
                seen.clone_from(&charges);
            }
            are(&charges).then_some(charges)
        })
        .await
    }
}

/// An amount in cents.
fn cents(charge: &Value, field: &str) -> i64 {
    charge[field].to_string().replace('.', "").parse().unwrap()
}

fn assert_conserved(charges: &[Value]) {
    for charge in charges {
        let of = |field| cents(charge, field);
        assert_eq!(of("applied") + of("unapplied"), of("captured"), "{charge}");
        assert_eq!(of("returned") + of("kept") + of("to_return"), of("unapplied"), "{charge}");
        assert!(of("reversed") <= of("applied"), "{charge}");
    }
}
