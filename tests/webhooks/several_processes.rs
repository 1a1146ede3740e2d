//! Several processes on one PostgreSQL, and a PostgreSQL that stops and comes back.

use std::collections::BTreeMap;
use std::sync::Arc;

use invoices::{Invoicing, InvoicingPolicy, NewPayment, PaymentMethod, RecordedBy};
use kernel::{Id, SystemClock, SystemIds, SystemRandom};
use store_diesel::StoreOptions;

use super::fixture::{SHORT_WAITS, WebhookFixture, received};
use crate::test_app::receiver::{Behaviour, Receiver};
use crate::test_app::{Database, until};

const EVENTS: usize = 400;

/// Records payments like the command, without a process for each.
async fn pay_often(fixture: &WebhookFixture, times: usize) {
    let options = StoreOptions::default();
    let store = store_diesel::open(&fixture.server.database.url, &options).await.unwrap();
    let invoicing = Invoicing {
        store: store.invoicing.clone(),
        reads: store.invoice_reads.clone(),
        clock: Arc::new(SystemClock),
        ids: Arc::new(SystemIds::default()),
        random: Arc::new(SystemRandom::default()),
        policy: InvoicingPolicy { payment_terms_days: 14 },
        urls: kernel::PublicUrls::new("https://books.example.com"),
        ledger: false,
    };
    let payment = NewPayment {
        amount: "0.01".to_owned(),
        currency: None,
        method: PaymentMethod::Cash,
        reference: None,
        received_at: None,
        recorded_by: RecordedBy::Operator,
    };
    let (account, invoice) = (Id::parse(&fixture.account_id).unwrap(), Id::parse(&fixture.invoice).unwrap());
    for _ in 0..times {
        invoicing.record_payment(account, invoice, &payment).await.unwrap();
    }
}

/// How often each event came.
fn by_event(receiver: &Receiver) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for one in receiver.received() {
        *counts.entry(one.event_id()).or_default() += 1;
    }
    counts
}

#[tokio::test]
async fn two_processes_share_two_thousand_deliveries() {
    let Some(database) = Database::postgres() else {
        return;
    };
    let fixture = WebhookFixture::new(database, &[]).await;
    let other = fixture.server.second_process().await;
    let receivers: Vec<_> = (0..5).map(|_| Receiver::good()).collect();
    for receiver in &receivers {
        fixture.add(&receiver.url());
    }
    pay_often(&fixture, EVENTS).await;
    for receiver in &receivers {
        received(receiver, EVENTS).await;
    }
    let succeeded = async || {
        let words = ["webhook", "deliveries", "--account", &fixture.account_id, "--limit", "1000"];
        let mut all = fixture.server.command_json(&words).as_array().unwrap().clone();
        let last = all.last()?["delivery_id"].as_str()?.to_owned();
        let more = fixture.server.command_json(&[&words[..], &["--after", &last]].concat());
        all.extend(more.as_array().unwrap().clone());
        let done = all.iter().filter(|one| one["state"] == "succeeded").count();
        (done == EVENTS * receivers.len()).then_some(all)
    };
    let all = until("every record", succeeded).await;
    assert!(all.iter().all(|one| one["attempts"].as_array().unwrap().len() == 1));
    for receiver in &receivers {
        let counts = by_event(receiver);
        assert_eq!(counts.len(), EVENTS, "each event came");
        assert!(counts.values().all(|times| *times == 1), "and none twice");
    }
    drop(other);
}

#[tokio::test]
async fn everything_arrives_though_the_database_is_restarted() {
    let Some(postgres) = testkit::postgres::server_of_its_own() else {
        return;
    };
    let fixture = WebhookFixture::new(Database::on(&postgres), &[SHORT_WAITS]).await;
    let receivers: Vec<_> = (0..4).map(|_| Receiver::good()).collect();
    // One receiver needs a second attempt for its first delivery.
    let moody = Receiver::with_behaviours(&[
        Behaviour::Respond(500, Vec::new()),
        Behaviour::Respond(204, Vec::new()),
    ]);
    for receiver in receivers.iter().chain([&moody]) {
        fixture.add(&receiver.url());
    }
    pay_often(&fixture, EVENTS / 4).await;
    received(&receivers[0], 1).await;
    postgres.restart();
    pay_often(&fixture, EVENTS / 4).await;
    postgres.restart();
    fixture.pay();
    let events = EVENTS / 2 + 1;
    for receiver in receivers.iter().chain([&moody]) {
        until("each event", async || (by_event(receiver).len() == events).then_some(())).await;
    }
    // Attempts are not repeated either: the result of an attempt is recorded as soon as that is possible.
    for receiver in &receivers {
        assert!(by_event(receiver).values().all(|times| *times == 1));
    }
    fixture.account.get(&format!("/invoices/{}", fixture.invoice)).await.expect(200);
}
