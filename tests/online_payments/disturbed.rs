//! Conservation of money: charges through a gateway that repeats, reorders, delays and loses events, while
//! the process is killed and invoices are paid by hand, cancelled and amended at the same time.

use std::net::TcpListener;
use std::time::Duration as Pause;

use reqwest::Method;
use serde_json::{Value, json};
use time::Duration;

use super::cents;
use super::stripe::{StripePayer, connect};
use crate::test_app::stripe::deliveries::SignedEvent;
use crate::test_app::stripe::{InjectedFault, KEY, WEBHOOK_SECRET};
use crate::test_app::{Browser, Caller, Database, TestResponse, hidden, invoice_body};

/// How many invoices get each disturbance.
const OF_EACH: usize = 2;

/// How often the process is killed.
const KILLS: u64 = 4;

/// Another change of an invoice while it is paid online.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Disturbance {
    Nothing,
    PaidByHand,
    Cancelled,
    Amended,
    PaidAsDebit,
}

const ALL: [Disturbance; 5] = [
    Disturbance::Nothing,
    Disturbance::PaidByHand,
    Disturbance::Cancelled,
    Disturbance::Amended,
    Disturbance::PaidAsDebit,
];

struct Case {
    disturbance: Disturbance,
    invoice: String,
    /// The gateway's id of the charge for the invoice.
    charge: String,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_charge_is_accounted_for_whatever_happens_meanwhile() {
    for database in Database::both() {
        // The address stays the same when the process is started again.
        let listen = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
        let mut test = StripePayer::listening(database, "1s", &listen).await;
        let connected = connect(&test.payer, &format!("key={KEY}\nwebhook_secret={WEBHOOK_SECRET}\n"));
        let events_url = connected["events_url"].as_str().unwrap().to_owned();
        let mut cases = Vec::new();
        for disturbance in ALL.into_iter().cycle().take(ALL.len() * OF_EACH) {
            cases.push(begin(&test, disturbance, cases.len()).await);
        }
        disturb(&mut test, &cases, &events_url).await;
        let debits = cases.iter().filter(|case| case.disturbance == Disturbance::PaidAsDebit);
        test.stripe.world(|world| debits.for_each(|case| world.debit_succeeds(&case.charge)));
        assert_settled(&test, &cases).await;
        test.assert_no_faults();
    }
}

/// Creates an invoice of 110.00 AUD and pays it at the gateway, which sends no event yet. The first response
/// to every third checkout is lost.
async fn begin(test: &StripePayer, disturbance: Disturbance, number: usize) -> Case {
    let payer = &test.payer;
    let made = payer.key.post("/invoices", &invoice_body()).await.expect(201);
    let page = payer.server.pay_path(&made.body);
    if number.is_multiple_of(3) {
        // A worker that queries an earlier checkout may get the lost response instead.
        test.stripe.next(InjectedFault::LoseResponse);
    }
    let mut answer = check_out(&payer.browser, &page).await;
    if answer.status == 503 {
        answer = check_out(&payer.browser, &page).await;
    }
    let session = test.session(&answer.expect(303));
    let charge = test.stripe.world(|world| match disturbance {
        Disturbance::PaidAsDebit => world.order_debit(&session, "au_becs_debit"),
        _ => world.pay(&session, "card"),
    });
    Case { disturbance, invoice: made.text("id").to_owned(), charge }
}

async fn check_out(browser: &Browser, page: &str) -> TestResponse {
    let form_token = hidden(&browser.get(page).await.expect(200), "once");
    browser.post(&format!("{page}/checkout"), &[("once", &form_token)]).await
}

/// Kills the process repeatedly while events come out of order, several times or not at all, and while
/// invoices are paid by hand, cancelled and amended.
async fn disturb(test: &mut StripePayer, cases: &[Case], events_url: &str) {
    let events = test.stripe.events().losing("checkout.session.completed").reordered().repeated(2);
    for round in 0..KILLS {
        let mut work = tokio::task::JoinSet::new();
        for event in events.signed() {
            work.spawn(deliver(event, events_url.to_owned()));
        }
        for case in cases {
            work.spawn(change(test.payer.key.clone(), case.disturbance, case.invoice.clone()));
        }
        let by_hand = cases.iter().filter(|case| case.disturbance == Disturbance::PaidByHand);
        let by_hand: Vec<_> = by_hand.map(|case| case.invoice.clone()).collect();
        tokio::time::sleep(Pause::from_millis(round * 35)).await;
        test.payer.server.kill();
        for invoice in by_hand {
            let words = ["payment", "record", "--account", &test.payer.account, "--invoice", &invoice];
            let rest = ["--amount", "110.00", "--method", "cash", "--idempotency-key", &invoice];
            // This may fail, if the invoice was paid online before.
            test.payer.server.command(&[&words[..], &rest].concat());
        }
        test.payer.server.start_again();
        while work.join_next().await.is_some() {}
    }
}

/// Sends an event. There may be no response, since the process is killed meanwhile.
async fn deliver(event: SignedEvent, url: String) {
    let request = reqwest::Client::new().post(url).header("Stripe-Signature", event.signature);
    let _lost = request.body(event.body).send().await;
}

async fn change(key: Caller, disturbance: Disturbance, invoice: String) {
    let less = json!({"line_items": [{"description": "Less", "unit_amount": 50}]});
    let path = format!("/invoices/{invoice}");
    let _lost = match disturbance {
        Disturbance::Cancelled => key.try_to_send(Method::POST, &format!("{path}/cancel"), &[], None).await,
        Disturbance::Amended => {
            key.try_to_send(Method::PUT, &path, &[], Some(less.to_string().into_bytes())).await
        }
        _ => return,
    };
}

/// Waits until every charge of the gateway is stored and nothing is left to return, and asserts that the
/// amounts of each charge agree: in the service, at the gateway, on the invoice and in the account's events.
async fn assert_settled(test: &StripePayer, cases: &[Case]) {
    let payer = &test.payer;
    test.advance(Duration::minutes(5));
    let are = |charges: &[Value]| {
        let is_over = |charge: &Value| charge["state"] == "succeeded" && cents(charge, "to_return") == 0;
        charges.len() == cases.len() && charges.iter().all(is_over)
    };
    let charges = test.advance_until("all charges", are).await;
    let mut applied = 0;
    for case in cases {
        let invoice = payer.key.get(&format!("/invoices/{}", case.invoice)).await.expect(200).body;
        let id = &*case.charge;
        let charge = charges.iter().find(|charge| charge["charge_id"] == id).unwrap();
        assert_eq!(cents(charge, "captured"), 11_000, "{charge}");
        let payments = invoice["payments"].as_array().unwrap();
        let online: Vec<_> = payments.iter().filter(|one| one["reference"] == id).collect();
        assert_eq!(online.len(), usize::from(cents(charge, "applied") > 0), "{charge} {invoice}");
        for payment in online {
            assert_eq!(cents(payment, "amount"), cents(charge, "applied"), "{charge}");
        }
        applied += payments.len();
        let refunds = test.stripe.world(|world| world.number_of_refunds(id));
        assert_eq!(refunds, usize::from(cents(charge, "returned") > 0), "{charge}");
        let paid: i64 = payments.iter().map(|one| cents(one, "amount")).sum();
        assert_eq!(paid, cents(&invoice, "amount_paid"), "{invoice}");
        assert!(paid <= cents(&invoice, "total"), "{:?} {invoice}", case.disturbance);
    }
    assert_eq!(payer.reported(), applied, "one event for each payment");
    let doctor = payer.server.command(&["doctor", "--json"]);
    let found: Value = serde_json::from_slice(&doctor.stdout).unwrap();
    for check in ["payments_conservation", "gateway_charges"] {
        let finding = found.as_array().unwrap().iter().find(|one| one["check"] == check).unwrap();
        assert_eq!(finding["ok"], true, "{finding}");
    }
}
