//! Keys of a gateway that were replaced, by which alone some payments are reached: the stand-in refuses the
//! key that replaced them.

use serde_json::{Value, json};
use time::Duration;

use super::keys::{OTHER, on_both, until_one_key_is_left};
use super::stripe::{StripePayer, connect, deliver};
use super::{Payer, cents};
use crate::test_app::stripe::{InjectedFault, KEY, WEBHOOK_SECRET};

/// Replaces the key; the other one is in force after 24 hours.
fn replace(test: &StripePayer) {
    test.unreachable_with_another_key();
    connect(&test.payer, &format!("key={OTHER}\n"));
}

/// Has the invoice paid by card, and a refund of it requested that Stripe does not let the key make.
async fn request_refund(test: &StripePayer) -> String {
    let session = test.begin().await;
    let charge = test.stripe.world(|world| {
        world.deny("create refund");
        world.pay(&session, "card")
    });
    test.advance(Duration::minutes(5));
    let payer = &test.payer;
    payer.until_charges("the charge", |charges| charges.len() == 1).await;
    let payment = payer.invoice().await["payments"][0]["id"].as_str().unwrap().to_owned();
    let which = ["payment", "refund", "--account", &payer.account, "--payment", &payment];
    let what = ["--amount", "40", "--idempotency-key", "refund-1"];
    let refund = payer.server.command_json(&[&which[..], &what].concat());
    assert_eq!(refund["status"], "failed");
    charge
}

fn has_reversed(minor: i64) -> impl Fn(&[Value]) -> bool {
    move |charges| cents(&charges[0], "reversed") == minor
}

fn record_by_hand(payer: &Payer) {
    let words = ["payment", "record", "--account", &payer.account, "--invoice", &payer.invoice];
    let rest = ["--amount", "110.00", "--method", "cash", "--idempotency-key", "by-hand"];
    payer.server.command_json(&[&words[..], &rest].concat());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn debit_that_is_not_due_any_more_is_returned_with_the_replaced_key_after_a_failure_too() {
    on_both("1s", async |test| {
        let payer = &test.payer;
        connect(payer, &format!("key={KEY}\n"));
        let session = test.begin().await;
        let charge = test.stripe.world(|world| world.order_debit(&session, "au_becs_debit"));
        test.advance(Duration::minutes(5));
        payer.until_charges("the debit", |charges| charges.len() == 1).await;
        replace(&test);
        record_by_hand(payer);
        test.advance(Duration::hours(25));
        let down = json!({"error": {"type": "api_error", "message": "down"}});
        test.stripe.next_call("POST /v1/refunds", InjectedFault::Respond(503, down));
        test.stripe.world(|world| world.debit_succeeds(&charge));
        let returned =
            test.advance_until("the return", |charges| cents(&charges[0], "returned") == 11_000).await;
        assert_eq!(cents(&returned[0], "applied"), 0);
        until_one_key_is_left(payer).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn dispute_of_a_payment_that_the_replaced_key_alone_reaches_is_seen_in_the_list_of_changes() {
    on_both("1s", async |test| {
        connect(&test.payer, &format!("key={KEY}\n"));
        let charge = request_refund(&test).await;
        replace(&test);
        test.advance(Duration::hours(25));
        test.stripe.world(|world| world.dispute(&charge, 5_000, "aud", "needs_response"));
        test.advance(Duration::hours(27));
        test.payer.until_charges("the dispute", has_reversed(5_000)).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn event_about_a_payment_that_the_replaced_key_alone_reaches_is_followed_up() {
    on_both("1h", async |test| {
        let connected = connect(&test.payer, &format!("key={KEY}\nwebhook_secret={WEBHOOK_SECRET}\n"));
        let session = test.begin().await;
        let charge = test.stripe.world(|world| world.pay(&session, "card"));
        deliver(&test.stripe.events(), &connected).await;
        test.payer.until_charges("the charge", |charges| charges.len() == 1).await;
        replace(&test);
        test.advance(Duration::hours(25));
        test.stripe.world(|world| world.dispute(&charge, 5_000, "aud", "needs_response"));
        deliver(&test.stripe.events(), &connected).await;
        test.payer.until_charges("the dispute", has_reversed(5_000)).await;
    })
    .await;
}
