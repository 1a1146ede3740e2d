//! Keys of a gateway that it refuses, because they were revoked or mistyped, while what was begun with them
//! is not over.

use time::Duration;

use super::keys::{OTHER, on_both, state_after, until_one_key_is_left};
use super::stripe::connect;
use crate::test_app::stripe::KEY;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn key_that_was_revoked_at_stripe_is_removed_although_its_checkout_is_open() {
    for is_same_company in [true, false] {
        on_both("1s", async |test| {
            let payer = &test.payer;
            connect(payer, &format!("key={KEY}\n"));
            test.unreachable_with_another_key();
            connect(payer, &format!("key={OTHER}\n"));
            test.advance(Duration::hours(23));
            let session = test.begin().await;
            test.stripe.world(|world| {
                world.roll_key(OTHER);
                if is_same_company {
                    world.pay(&session, "card");
                } else {
                    world.forget_sessions();
                }
            });
            test.advance(Duration::hours(25));
            if is_same_company {
                payer.until_charges("the charge", |charges| charges.len() == 1).await;
                assert_eq!(payer.invoice().await["status"], "PAID");
            } else {
                // What neither key reaches is over when its time is.
                test.advance(Duration::hours(47));
            }
            until_one_key_is_left(payer).await;
        })
        .await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn key_can_be_entered_after_two_that_stripe_refuses_once_what_they_began_is_over() {
    on_both("1s", async |test| {
        let payer = &test.payer;
        connect(payer, &format!("key={KEY}\n"));
        test.unreachable_with_another_key();
        connect(payer, "key=rk_test_51MistypedByTheOwner\n");
        test.advance(Duration::hours(23));
        test.begin().await;
        test.stripe.world(|world| world.roll_key(OTHER));
        test.advance(Duration::hours(47));
        until_one_key_is_left(payer).await;
        assert_eq!(state_after(payer, OTHER), "connected", "the mistyped key is in force");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn debit_that_was_pending_at_the_company_before_no_longer_keeps_the_invoice_from_being_paid() {
    on_both("1s", async |test| {
        let payer = &test.payer;
        connect(payer, &format!("key={KEY}\n"));
        let session = test.begin().await;
        test.stripe.world(|world| world.order_debit(&session, "au_becs_debit"));
        test.advance(Duration::minutes(5));
        payer.until_charges("the debit", |charges| charges.len() == 1).await;
        test.unreachable_with_another_key();
        connect(payer, &format!("key={OTHER}\n"));
        test.stripe.world(|world| {
            world.roll_key(OTHER);
            world.forget_sessions();
        });
        test.advance(Duration::days(32));
        payer.until_charges("the failure", |charges| charges[0]["state"] == "failed").await;
        let page = payer.payment_page().await;
        assert!(page.contains("/checkout\""), "{page}");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn checkout_that_was_paid_is_settled_by_the_key_that_replaces_a_revoked_one() {
    on_both("1s", async |test| {
        let payer = &test.payer;
        connect(payer, &format!("key={KEY}\n"));
        let session = test.begin().await;
        test.stripe.world(|world| {
            world.pay(&session, "card");
            world.roll_key(OTHER);
        });
        connect(payer, &format!("key={OTHER}\n"));
        // The checkout is over, and the new key not in force.
        test.advance(Duration::hours(23) + Duration::minutes(10));
        let shown = payer.browser.get(&format!("{}/return", payer.page)).await.expect(200).html();
        assert!(shown.contains("Your payment is being processed"), "{shown}");
        test.advance(Duration::hours(25));
        payer.until_charges("the payment", |charges| charges.len() == 1).await;
    })
    .await;
}
