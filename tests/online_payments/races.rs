//! Money that arrives when it is no longer due: after a cancellation, an amendment, a payment by hand, a
//! second checkout, a new link, and in an account that was switched off; and a checkout that is begun after
//! an amendment.

use reqwest::Method;
use serde_json::{Value, json};

use super::{Payer, cents, on_both};
use crate::test_app::{Browser, hidden, until};

/// Waits until a late charge is returned completely.
async fn until_returned(payer: &Payer, amount: i64) -> Vec<Value> {
    let returned =
        |charges: &[Value]| charges.iter().map(|charge| cents(charge, "returned")).sum::<i64>() == amount;
    payer.until_charges("the return", returned).await
}

#[tokio::test]
async fn payment_of_a_cancelled_invoice_is_returned() {
    on_both(async |payer| {
        let checkout = payer.begin(&[]).await;
        // The payer pays while the invoice is cancelled: either may be first.
        let pays = payer.browser.get(&checkout).await.expect(200);
        let form_token = hidden(&pays, "once");
        let cancel = format!("/invoices/{}/cancel", payer.invoice);
        let form = [("once", &*form_token), ("action", "pay")];
        let (cancelled, paid) = tokio::join!(
            payer.key.send(Method::POST, &cancel, &[], None),
            payer.browser.post(&checkout, &form),
        );
        let invoice = payer.invoice().await;
        match (cancelled.status, paid.status) {
            // Cancelled first: the money was returned, or the checkout was closed before.
            (200, 303) => {
                until_returned(&payer, 11_000).await;
                assert_eq!(invoice["status"], "CANCELLED");
                let back = payer.browser.get(paid.header("location")).await.expect(200).html();
                assert!(back.contains("was not due"), "{back}");
            }
            (200, 409) => assert_eq!(invoice["status"], "CANCELLED"),
            (400, 303) => assert_eq!(invoice["status"], "PAID"),
            other => panic!("{other:?}"),
        }
    })
    .await;
}

#[tokio::test]
async fn checkout_ends_with_the_cancellation() {
    on_both(async |payer| {
        let checkout = payer.begin(&[]).await;
        let cancel = format!("/invoices/{}/cancel", payer.invoice);
        payer.key.send(Method::POST, &cancel, &[], None).await.expect(200);
        until_closed(&payer, &checkout).await;
        assert!(payer.payment_page().await.contains("This invoice was cancelled"));
        assert!(payer.charges().is_empty());
    })
    .await;
}

async fn until_closed(payer: &Payer, checkout: &str) {
    until("the end of the checkout", async || {
        let page = payer.browser.get(checkout).await.expect(200).html();
        page.contains("This checkout is closed").then_some(())
    })
    .await;
}

#[tokio::test]
async fn amendment_and_payment_by_hand_end_the_checkout() {
    on_both(async |payer| {
        let first = payer.begin(&[]).await;
        let lines = json!({"line_items": [{"description": "Less", "unit_amount": 50}]});
        let path = format!("/invoices/{}", payer.invoice);
        payer
            .key
            .send(
                Method::PUT,
                &path,
                &[("Content-Type", "application/json")],
                Some(lines.to_string().into_bytes()),
            )
            .await
            .expect(200);
        until_closed(&payer, &first).await;
        assert!(payer.payment_page().await.contains("Pay AUD 50.00"));
        let second = payer.begin(&[]).await;
        assert_ne!(first, second);
        payer.server.record_payment(&payer.account, &payer.invoice, "10");
        until_closed(&payer, &second).await;
        let third = payer.begin(&[]).await;
        assert!(payer.press(&third, "pay").await.contains("You paid AUD 40.00."));
        assert_eq!(payer.invoice().await["status"], "PAID");
    })
    .await;
}

#[tokio::test]
async fn checkout_of_another_amount_ends_the_first_one() {
    on_both(async |payer| {
        let owner = Browser::signed_in(&payer.server, &payer.account).await;
        let fields = [("action", "save_online"), ("minimum_percent", "25"), ("unapplied", "return")];
        owner.submit("/dashboard/settings/payments", &fields).await.expect(303);
        let first = payer.begin(&[("amount", "50.00")]).await;
        assert_eq!(payer.begin(&[("amount", "50.00")]).await, first);
        let second = payer.begin(&[("amount", "60.00")]).await;
        assert_ne!(first, second);
        until_closed(&payer, &first).await;
        assert!(payer.press(&second, "pay").await.contains("You paid AUD 60.00."));
    })
    .await;
}

/// Gives the payment page a new address; the old one is gone.
async fn replace_link(payer: &Payer) {
    let owner = Browser::signed_in(&payer.server, &payer.account).await;
    let page = format!("/dashboard/invoices/{}", payer.invoice);
    let form_token = hidden(&owner.get(&page).await.expect(200), "once");
    owner.post(&format!("{page}/pay-link"), &[("once", &form_token)]).await.expect(303);
    payer.browser.get(&payer.page).await.expect(410);
}

#[tokio::test]
async fn checkout_ends_with_the_link_that_it_was_begun_from() {
    on_both(async |payer| {
        let checkout = payer.begin(&[]).await;
        replace_link(&payer).await;
        until_closed(&payer, &checkout).await;
        assert!(payer.charges().is_empty());
    })
    .await;
}

#[tokio::test]
async fn payer_who_returns_by_a_replaced_link_sees_the_own_payment() {
    on_both(async |payer| {
        let checkout = payer.begin(&[]).await;
        let paid = payer.browser.submit(&checkout, &[("action", "pay")]).await.expect(303);
        let back = paid.header("location");
        payer.browser.get(back).await.expect(200);
        replace_link(&payer).await;
        let shown = payer.browser.get(back).await.expect(200).html();
        assert!(shown.contains("You paid AUD 110.00."), "{shown}");
        assert!(!shown.contains(">Back to the invoice<") && shown.contains("/to/"), "{shown}");
    })
    .await;
}

#[tokio::test]
async fn account_that_is_switched_off_takes_no_new_checkout_and_keeps_what_was_captured() {
    on_both(async |payer| {
        let checkout = payer.begin(&[]).await;
        payer.server.command_json(&["account", "disable", &payer.account]);
        let declined = payer.press(&checkout, "decline").await;
        assert!(declined.contains("Your payment was declined"), "{declined}");
        assert!(declined.contains(">Back to the invoice<") && !declined.contains("Try again"), "{declined}");
        let sandbox = payer.browser.submit(&checkout, &[("action", "pay")]).await.expect(303);
        let back = payer.browser.get(sandbox.header("location")).await.expect(200).html();
        assert!(back.contains("Thank you"), "{back}");
        assert!(!payer.payment_page().await.contains("<button>Pay"));
        payer.server.command_json(&["account", "enable", &payer.account]);
        assert_eq!(payer.invoice().await["status"], "PAID");
    })
    .await;
}

#[tokio::test]
async fn checkout_of_another_amount_than_the_page_showed_is_not_opened() {
    on_both(async |payer| {
        let page = payer.browser.get(&payer.page).await.expect(200);
        let (once, most) = (hidden(&page, "once"), hidden(&page, "most"));
        let lines = json!({"line_items": [{"description": "More", "quantity": 9, "unit_amount": 100}]});
        payer.key.put(&format!("/invoices/{}", payer.invoice), &lines).await.expect(200);
        let checkout = format!("{}/checkout", payer.page);
        let fields = [("once", &*once), ("most", &*most)];
        let refused = payer.browser.post(&checkout, &fields).await.expect(409).html();
        assert!(refused.contains("The invoice was changed while you were starting to pay"), "{refused}");
        let page = payer.browser.get(&payer.page).await.expect(200);
        let (once, most) = (hidden(&page, "once"), hidden(&page, "most"));
        assert_eq!(most, "AUD 900.00");
        payer.browser.post(&checkout, &[("once", &*once), ("most", &*most)]).await.expect(303);
    })
    .await;
}
