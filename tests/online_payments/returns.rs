//! Returns of money, with concurrent changes at the gateway: the owner refunds there, and a bank sends a
//! refund back.

use reqwest::Method;
use serde_json::{Value, json};

use super::cents;
use super::stripe::{StripePayer, deliver, on_both};
use crate::test_app::stripe::InjectedFault;

/// Pays an invoice that is cancelled before the service learns of the payment. Returns the charge.
async fn pay_what_is_cancelled(test: &StripePayer) -> String {
    let session = test.begin().await;
    let charge = test.stripe.world(|world| world.pay(&session, "card"));
    let cancel = format!("/invoices/{}/cancel", test.payer.invoice);
    test.payer.key.send(Method::POST, &cancel, &[], None).await.expect(200);
    charge
}

async fn until_returned(test: &StripePayer) {
    let is_returned = |charges: &[Value]| {
        let [charge] = charges else { return false };
        (cents(charge, "returned"), cents(charge, "to_return")) == (11_000, 0)
    };
    test.payer.until_charges("the return", is_returned).await;
}

/// Pays the invoice. Returns the charge and the payment.
async fn paid_by_card(test: &StripePayer, connected: &Value) -> (String, String) {
    let session = test.begin().await;
    let charge = test.stripe.world(|world| world.pay(&session, "card"));
    deliver(&test.stripe.events(), connected).await;
    test.payer.until_charges("the charge", |charges| charges.len() == 1).await;
    let payment = test.payer.invoice().await["payments"][0]["id"].as_str().unwrap().to_owned();
    (charge, payment)
}

fn refuse_next_refund(test: &StripePayer) {
    let refused = json!({"error": {"type": "invalid_request_error", "code": "balance_insufficient"}});
    test.stripe.next_call("POST /v1/refunds", InjectedFault::Respond(400, refused));
}

/// Makes the next refund fail in a way that may pass.
fn delay_next_refund(test: &StripePayer) {
    let busy = json!({"error": {"type": "invalid_request_error", "code": "rate_limit"}});
    test.stripe.next_call("POST /v1/refunds", InjectedFault::Respond(429, busy));
}

/// The refunded amount of a charge, without refunds that came back.
fn refunded(test: &StripePayer, charge: &str) -> i64 {
    test.stripe.world(|world| {
        let of_charge = world.refunds().iter().filter(|refund| refund["charge"] == charge);
        let gone = of_charge.filter(|refund| refund["status"] == "succeeded");
        gone.map(|refund| refund["amount"].as_i64().unwrap()).sum()
    })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn return_after_a_partial_refund_at_the_gateway_is_the_remainder() {
    on_both("1h", async |test, connected| {
        let charge = pay_what_is_cancelled(&test).await;
        test.stripe.world(|world| world.refund_elsewhere(&charge, 1_000));
        deliver(&test.stripe.events(), connected).await;
        until_returned(&test).await;
        assert_eq!(refunded(&test, &charge), 11_000);
        test.assert_no_faults();
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn return_is_made_when_a_refund_at_the_gateway_fails() {
    on_both("1h", async |test, connected| {
        let charge = pay_what_is_cancelled(&test).await;
        let refund = test.stripe.world(|world| world.refund_elsewhere(&charge, 11_000));
        deliver(&test.stripe.events(), connected).await;
        until_returned(&test).await;
        // The task of the return finds nothing left to return, and ends. It runs before the task of this
        // other charge.
        let other = test.stripe.world(|world| world.charge_elsewhere("usd"));
        deliver(&test.stripe.events(), connected).await;
        let is_fetched = |_: &[Value]| test.stripe.calls().contains(&format!("GET /v1/charges/{other}"));
        test.payer.until_charges("the other task", is_fetched).await;
        test.stripe.world(|world| world.refund_becomes(&refund, "failed"));
        deliver(&test.stripe.events(), connected).await;
        test.payer.until_charges("the refund", |_| refunded(&test, &charge) == 11_000).await;
        until_returned(&test).await;
        test.assert_no_faults();
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn failed_return_is_made_once_more() {
    on_both("1h", async |test, connected| {
        let charge = pay_what_is_cancelled(&test).await;
        deliver(&test.stripe.events(), connected).await;
        until_returned(&test).await;
        let refund = test.stripe.world(|world| world.refunds()[0]["id"].as_str().unwrap().to_owned());
        test.stripe.world(|world| world.refund_becomes(&refund, "failed"));
        assert_eq!(refunded(&test, &charge), 0);
        // The event of the new refund is lost.
        let events = test.stripe.events().repeated(2);
        deliver(&events, connected).await;
        test.payer.until_charges("the refund", |_| refunded(&test, &charge) == 11_000).await;
        until_returned(&test).await;
        assert_eq!(refunded(&test, &charge), 11_000);
        deliver(&events, connected).await;
        until_returned(&test).await;
        assert_eq!(test.stripe.world(|world| world.number_of_refunds(&charge)), 2);
        test.assert_no_faults();
    })
    .await;
}

/// The state of the refund that is requested with this key.
fn refund_of_40(test: &StripePayer, payment: &str) -> String {
    let which = ["payment", "refund", "--account", &test.payer.account, "--payment", payment];
    let what = ["--amount", "40", "--idempotency-key", "refund-1"];
    let refund = test.payer.server.command_json(&[&which[..], &what].concat());
    refund["status"].as_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn refund_for_which_the_key_lacks_the_permission_is_told_once_and_made_when_it_has_it() {
    on_both("1h", async |test, connected| {
        let (charge, payment) = paid_by_card(&test, connected).await;
        test.stripe.world(|world| world.deny("create refund"));
        let is = |state| {
            let (test, payment) = (&test, &payment);
            move |_: &[Value]| refund_of_40(test, payment) == state
        };
        test.payer.until_charges("the refusal", is("failed")).await;
        // The second attempt is refused too.
        let attempts = || test.stripe.calls().iter().filter(|call| *call == "POST /v1/refunds").count();
        test.advance_until("the second attempt", |_| attempts() >= 2).await;
        test.stripe.world(|world| world.deny("nothing"));
        test.advance_until("the refund", is("succeeded")).await;
        assert_eq!(refunded(&test, &charge), 4_000);
        let told = test.payer.server.mails(1, |mail| mail.contains("does not let the key")).await;
        assert_eq!(told.len(), 1);
        test.assert_no_faults();
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn refund_that_was_not_made_yet_and_that_the_owner_makes_by_hand_is_not_made_again() {
    let failures: [(fn(&StripePayer), _); 2] =
        [(refuse_next_refund, "failed"), (delay_next_refund, "pending")];
    for (fail, status) in failures {
        on_both("1h", async |test, connected| {
            let (charge, payment) = paid_by_card(&test, connected).await;
            fail(&test);
            assert_eq!(refund_of_40(&test, &payment), status);
            test.stripe.world(|world| world.refund_elsewhere(&charge, 4_000));
            let is_made = |_: &[Value]| refund_of_40(&test, &payment) == "succeeded";
            test.advance_until("the refund", is_made).await;
            assert_eq!(cents(&test.payer.charges()[0], "reversed"), 4_000);
            assert_eq!(refunded(&test, &charge), 4_000);
            test.assert_no_faults();
        })
        .await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn waiting_refund_of_more_than_the_bank_left_is_made_once_the_bank_gives_the_money_back() {
    on_both("1h", async |test, connected| {
        let (charge, payment) = paid_by_card(&test, connected).await;
        refuse_next_refund(&test);
        let is = |state| {
            let (test, payment) = (&test, &payment);
            move |_: &[Value]| refund_of_40(test, payment) == state
        };
        test.payer.until_charges("the refusal", is("failed")).await;
        let currency = test.stripe.world(|world| world.charges()[0]["currency"].as_str().unwrap().to_owned());
        let dispute = test.stripe.world(|world| world.dispute(&charge, 8_000, &currency, "needs_response"));
        let is_disputed = |charges: &[Value]| cents(&charges[0], "reversed") == 8_000;
        test.advance_until("the dispute", is_disputed).await;
        let told = test.payer.server.mails(1, |mail| mail.contains("was not made")).await;
        assert_eq!(told.len(), 1);
        assert_eq!((cents(&test.payer.charges()[0], "reversed"), refunded(&test, &charge)), (8_000, 0));
        test.stripe.world(|world| world.dispute_becomes(&dispute, "won"));
        deliver(&test.stripe.events(), connected).await;
        test.payer.until_charges("the refund", is("succeeded")).await;
        assert_eq!((cents(&test.payer.charges()[0], "reversed"), refunded(&test, &charge)), (4_000, 4_000));
        test.assert_no_faults();
    })
    .await;
}
