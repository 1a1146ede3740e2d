//! The outcomes for a payer: paid, declined, paid later, a lost response, paid twice.

use reqwest::Method;
use serde_json::{Value, json};

use super::{cents, on_both};
use crate::commands::{exported, of_kind};
use crate::test_app::{Browser, hidden};

#[tokio::test]
async fn invoice_is_paid_once_on_pages_api_and_webhooks() {
    on_both(async |payer| {
        assert!(payer.payment_page().await.contains("<button>Pay AUD 110.00</button>"));
        let checkout = payer.begin(&[]).await;
        assert_eq!(payer.begin(&[]).await, checkout, "a second click leads to the same checkout");
        let open = hidden(&payer.browser.get(&checkout).await.expect(200), "once");
        let back = payer.press(&checkout, "pay").await;
        assert!(back.contains("Thank you") && back.contains("You paid AUD 110.00."), "{back}");
        let invoice = payer.invoice().await;
        assert_eq!(
            (&invoice["status"], &invoice["amount_due"].to_string()),
            (&json!("PAID"), &"0.00".to_owned())
        );
        let payment = &invoice["payments"][0];
        assert_eq!((&payment["method"], &payment["recorded_by"]), (&json!("card"), &json!("payment_page")));
        let charges = payer.until_charges("the charge", |charges| charges.len() == 1).await;
        assert_eq!(payment["reference"], charges[0]["charge_id"]);
        assert_eq!((cents(&charges[0], "captured"), cents(&charges[0], "applied")), (11_000, 11_000));
        assert_eq!(charges[0]["state"], "succeeded");
        assert_eq!(payer.reported(), 1, "one event for the payment");
        let page = payer.payment_page().await;
        assert!(page.contains("Paid on") && !page.contains("<button>Pay"), "{page}");
        let receipt = format!("{}/receipts/{}.pdf", payer.page, payment["id"].as_str().unwrap());
        assert!(payer.browser.get(&receipt).await.expect(200).bytes.starts_with(b"%PDF"));
        // Nothing is left to pay, neither here nor in the sandbox.
        let form_token = payer.form_token();
        let stale = payer.browser.post(&format!("{}/checkout", payer.page), &[("once", &form_token)]).await;
        let stale = stale.expect(409).html();
        assert!(
            stale.contains("This invoice is already paid") && stale.contains(" – Test company<"),
            "{stale}"
        );
        let closed = payer.browser.get(&checkout).await.expect(200).html();
        assert!(closed.contains("This checkout is closed"), "{closed}");
        let late = [("once", &*open), ("action", "pay")];
        let late = payer.browser.post(&checkout, &late).await.expect(409).html();
        let back = late.split_once("\">Back to the company</a>").expect(&late).0;
        assert!(back.contains("This checkout is closed") && back.contains("/return?payment="), "{late}");
    })
    .await;
}

#[tokio::test]
async fn declined_payment_changes_nothing_and_can_be_tried_again() {
    on_both(async |payer| {
        let checkout = payer.begin(&[]).await;
        let back = payer.press(&checkout, "decline").await;
        assert!(back.contains("Your payment was declined") && back.contains("Try again"), "{back}");
        assert_eq!(payer.invoice().await["status"], "UNPAID");
        assert_eq!(payer.begin(&[]).await, checkout);
        assert!(payer.press(&checkout, "pay").await.contains("Thank you"));
        assert_eq!(payer.invoice().await["status"], "PAID");
    })
    .await;
}

#[tokio::test]
async fn debit_is_being_processed_until_it_succeeds() {
    on_both(async |payer| {
        let checkout = payer.begin(&[]).await;
        let back = payer.press(&checkout, "pay_later").await;
        assert!(back.contains("Your payment is being processed"), "{back}");
        assert_eq!(payer.invoice().await["status"], "UNPAID", "nothing is recorded yet");
        let page = payer.payment_page().await;
        assert!(page.contains("A payment of AUD 110.00 is being processed."), "{page}");
        assert!(!page.contains("<button>Pay"), "{page}");
        let pending = of_kind(&exported(&payer.server, &payer.account), "charge")[0].clone();
        let figures = (pending["amount"].to_string(), &pending["captured_at"]);
        assert_eq!(figures, ("110.00".to_owned(), &Value::Null), "{pending}");
        let form_token = payer.form_token();
        let refused = payer
            .browser
            .post(&format!("{}/checkout", payer.page), &[("once", &form_token)])
            .await
            .expect(409);
        assert!(refused.html().contains("being processed"));
        payer.advance(time::Duration::hours(25));
        payer.until_charges("success", |charges| charges[0]["state"] == "succeeded").await;
        let invoice = payer.invoice().await;
        assert_eq!(
            (&invoice["status"], &invoice["payments"][0]["method"]),
            (&json!("PAID"), &json!("direct_debit"))
        );
        // Either the sandbox's event or a round of the worker settled it; then no event is sent.
        assert_eq!(payer.reported(), 1);
    })
    .await;
}

#[tokio::test]
async fn lost_answer_loses_no_payment() {
    on_both(async |payer| {
        let checkout = payer.begin(&[]).await;
        let page = payer.browser.get(&checkout).await.expect(200);
        let form = format!("once={}&action=lose_answer", hidden(&page, "once"));
        let send = async || {
            let request = payer.browser.request(Method::POST, &checkout).body(form.clone());
            let request = request.header("Content-Type", "application/x-www-form-urlencoded");
            request.header("Sec-Fetch-Site", "same-origin").send().await
        };
        let is_lost = match send().await {
            Err(_) => true,
            Ok(answer) => answer.bytes().await.is_err(),
        };
        assert!(is_lost, "the connection is closed");
        // A browser repeats a form whose connection broke, and shows the page that it is led to.
        assert_eq!(send().await.unwrap().headers()["location"].to_str().unwrap(), checkout);
        let closed = payer.browser.get(&checkout).await.expect(200).html();
        assert!(closed.contains("This checkout is closed"), "{closed}");
        // The payer never returns, and no event is sent: the worker queries the gateway.
        payer.until_charges("the charge", |charges| charges.len() == 1).await;
        assert_eq!(payer.invoice().await["status"], "PAID");
        let back = payer.browser.get(&format!("{}/return", payer.page)).await.expect(200).html();
        assert!(back.contains("Thank you"), "{back}");
    })
    .await;
}

#[tokio::test]
async fn gateway_is_asked_about_a_payment_six_times_a_minute_however_often_its_result_is_viewed() {
    on_both(async |payer| {
        payer.begin(&[]).await;
        let view = async || payer.browser.get(&format!("{}/return", payer.page)).await.expect(200).html();
        for _ in 0..6 {
            assert!(view().await.contains("Nothing was paid"));
        }
        // Not asked: the payment may have been made.
        assert!(view().await.contains("Your payment is being processed"));
        payer.advance(time::Duration::minutes(2));
        assert!(view().await.contains("Nothing was paid"));
        // The checkout is over, so that nothing is left to ask.
        payer.advance(time::Duration::hours(25));
        for _ in 0..8 {
            assert!(view().await.contains("Nothing was paid"));
        }
    })
    .await;
}

#[tokio::test]
async fn double_payment_is_applied_once_and_the_excess_returned() {
    on_both(async |payer| {
        let checkout = payer.begin(&[]).await;
        let back = payer.press(&checkout, "pay_twice").await;
        assert!(
            back.contains("Thank you")
                && back.contains("AUD 110.00 of that was not due; it goes back to you"),
            "{back}"
        );
        let returned = |charges: &[serde_json::Value]| {
            charges.len() == 2 && charges.iter().any(|charge| cents(charge, "returned") == 11_000)
        };
        payer.until_charges("the return", returned).await;
        let invoice = payer.invoice().await;
        assert_eq!(invoice["payments"].as_array().unwrap().len(), 1);
        assert_eq!(payer.reported(), 1);
        // Nothing of the payment itself went back.
        let owner = Browser::signed_in(&payer.server, &payer.account).await;
        let shown = owner.get(&format!("/dashboard/invoices/{}", payer.invoice)).await.expect(200).html();
        for page in [payer.payment_page().await, shown] {
            assert!(page.contains("AUD 110.00 was not due and has been returned"), "{page}");
            assert!(!page.contains("Refunded"), "{page}");
        }
    })
    .await;
}

#[tokio::test]
async fn payment_is_refunded_in_part_and_no_further_than_it_goes() {
    on_both(async |payer| {
        let checkout = payer.begin(&[]).await;
        payer.press(&checkout, "pay").await;
        let invoice = payer.invoice().await;
        let payment = invoice["payments"][0]["id"].as_str().unwrap();
        let words = |amount: &'static str, key: &'static str| {
            let account = payer.account.as_str();
            [
                "payment", "refund", "--account", account, "--payment", payment, "--amount", amount,
                "--idempotency-key", key,
            ]
        };
        let refund = payer.server.command_json(&words("20.00", "one"));
        assert_eq!(
            (&refund["amount"].to_string(), &refund["status"]),
            (&"20.00".to_owned(), &json!("succeeded"))
        );
        assert_eq!(payer.server.command_json(&words("20.00", "one"))["refund_id"], refund["refund_id"]);
        for (amount, key) in [("21.00", "one"), ("90.01", "two"), ("0", "three"), ("1.001", "four")] {
            assert!(!payer.server.command(&words(amount, key)).status.success(), "{amount}");
        }
        payer.server.command_json(&words("90.00", "five"));
        let audit = payer.server.command_json(&["audit", "list", "--account", &payer.account]);
        let details = json!({
            "invoice": payer.invoice, "invoice_number": invoice["invoice_number"], "amount": "90.00",
            "currency": "AUD", "payment": payment,
        });
        let entries = audit.as_array().unwrap().iter().filter(|one| one["action"] == "payment.refunded");
        let entries: Vec<_> = entries.map(|one| &one["after"]).collect();
        assert!(entries.len() == 2 && entries.contains(&&details), "{audit}");
        let charges = payer.until_charges("both", |charges| cents(&charges[0], "reversed") == 11_000).await;
        assert_eq!(charges.len(), 1);
        let invoice = payer.invoice().await;
        assert_eq!(
            (&invoice["status"], invoice["amount_paid"].to_string()),
            (&json!("PAID"), "110.00".to_owned())
        );
        assert_eq!(payer.reported(), 1, "a refund is no event");
        assert!(payer.payment_page().await.contains("Refunded 20.00"));
        let records = exported(&payer.server, &payer.account);
        let exported = of_kind(&records, "charge");
        assert_eq!(exported.len(), 1, "{exported:?}");
        for (name, value) in charges[0].as_object().unwrap() {
            assert_eq!(&exported[0][name], value, "{name}");
        }
        let refunds = exported[0]["refunds"].as_array().unwrap();
        let mut amounts: Vec<_> = refunds.iter().map(|refund| refund["amount"].to_string()).collect();
        amounts.sort_unstable();
        assert_eq!(amounts, ["20.00", "90.00"]);
        assert_eq!(exported[0]["payment_id"], payment);
        let contact = invoice["contact"]["id"].as_str().unwrap();
        let words = ["contact", "export", "--account", &payer.account, "--contact", contact];
        let held = payer.server.command_json(&words);
        assert_eq!(held["invoices"][0]["charges"], json!(exported));
    })
    .await;
}

#[tokio::test]
async fn amount_that_cannot_be_paid_comes_back_with_its_fault() {
    on_both(async |payer| {
        for amount in ["109.99", "110.01", "-1", "1e2", "110.001", "110.000", "0", "x"] {
            let refused = payer.check_out(&[("amount", amount)]).await.expect(422);
            let page = refused.html();
            assert!(page.contains("amount must") || page.contains("decimals"), "{amount}: {page}");
        }
        assert!(payer.charges().is_empty());
    })
    .await;
}

#[tokio::test]
async fn sandbox_is_there_for_loopback_names_alone_and_where_it_is_on() {
    on_both(async |payer| {
        let checkout = payer.begin(&[]).await;
        let browser = Browser::new(&payer.server);
        for host in ["evil.example.com", "localhost.example.com", "localhost:80@evil.example.com"] {
            let request = browser.request(Method::GET, &checkout).header("Host", host);
            assert_eq!(browser.send(request).await.status, 404, "{host}");
            // A form of an unknown origin, what is no form, and another method are refused no differently.
            for (method, media_type) in [
                (Method::POST, "application/x-www-form-urlencoded"),
                (Method::POST, "application/json"),
                (Method::PUT, "application/json"),
            ] {
                for path in [&*checkout, "/sandbox/mailroom"] {
                    let request = browser.request(method.clone(), path).header("Host", host);
                    let request = request.header("Content-Type", media_type).body("{}");
                    assert_eq!(browser.send(request).await.status, 404, "{method} {media_type} {host}");
                }
            }
        }
        browser.get("/sandbox/checkout/none").await.expect(404);
        browser.get(&checkout).await.expect(200);
        let unknown = browser.submit(&checkout, &[("action", "steal")]).await.expect(422);
        assert!(
            unknown.html().contains("action must be") && unknown.html().contains(">Pay<"),
            "{}",
            unknown.html()
        );
    })
    .await;
}

#[tokio::test]
async fn sandbox_cannot_be_disconnected() {
    on_both(async |payer| {
        let checkout = payer.begin(&[]).await;
        let list = payer.server.command_json(&["gateway", "list", "--account", &payer.account]);
        let id = list[0]["gateway_account_id"].as_str().unwrap();
        let refused = payer.server.command(&["gateway", "disconnect", id]);
        let said = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(!refused.status.success() && said.contains("cannot be disconnected"), "{said}");
        assert_eq!(payer.server.command_json(&["gateway", "list", "--account", &payer.account]), list);
        assert_eq!(payer.begin(&[]).await, checkout);
    })
    .await;
}

#[tokio::test]
async fn owner_takes_part_payments_and_keeps_what_is_too_much() {
    on_both(async |payer| {
        let owner = Browser::signed_in(&payer.server, &payer.account).await;
        let settings = "/dashboard/settings/payments";
        let fields = |percent, unapplied| {
            [("action", "save_online"), ("minimum_percent", percent), ("unapplied", unapplied)]
        };
        owner.submit(settings, &fields("25", "keep")).await.expect(303);
        for (percent, unapplied) in [("0", "keep"), ("101", "keep"), ("", "keep"), ("25", "burn")] {
            owner.submit(settings, &fields(percent, unapplied)).await.expect(422);
        }
        let page = payer.payment_page().await;
        assert!(page.contains("From AUD 27.50 to AUD 110.00."), "{page}");
        let below = payer.check_out(&[("amount", "27.49")]).await.expect(422).html();
        assert!(below.contains("Amount must be at least AUD 27.50"), "{below}");
        let grouped = payer.check_out(&[("amount", "1,027.50")]).await.expect(422).html();
        assert!(grouped.contains("Enter the amount in digits, with a point"), "{grouped}");
        // The gateway would not take the rest.
        let leaving = payer.check_out(&[("amount", "109.01")]).await.expect(422).html();
        assert!(leaving.contains("Amount must be AUD 110.00, or leave at least AUD 1.00"), "{leaving}");
        let part = payer.begin(&[("amount", "27.50")]).await;
        assert!(payer.press(&part, "pay").await.contains("You paid AUD 27.50."));
        let invoice = payer.invoice().await;
        assert_eq!(
            (&invoice["status"], invoice["amount_due"].to_string()),
            (&json!("PARTIALLY_PAID"), "82.50".to_owned())
        );
        let rest = payer.begin(&[]).await;
        let back = payer.press(&rest, "pay_twice").await;
        assert!(back.contains("AUD 82.50 of that was not due; the company will settle this"), "{back}");
        let charges = payer.until_charges("both", |charges| charges.len() == 3).await;
        assert_eq!(charges.iter().map(|charge| cents(charge, "kept")).sum::<i64>(), 8_250);
        assert_eq!(payer.invoice().await["status"], "PAID");
        let audit = payer.server.command_json(&["audit", "list", "--account", &payer.account]);
        let changes = audit.as_array().unwrap().iter().filter(|entry| entry["action"] == "payments.changed");
        assert_eq!(changes.count(), 1, "{audit}");
    })
    .await;
}

#[tokio::test]
async fn owner_refunds_in_the_dashboard_once() {
    on_both(async |payer| {
        let checkout = payer.begin(&[]).await;
        payer.press(&checkout, "pay").await;
        let invoice = payer.invoice().await;
        let owner = Browser::signed_in(&payer.server, &payer.account).await;
        let page = format!("/dashboard/invoices/{}", payer.invoice);
        let refund = format!("{page}/refund/{}", invoice["payments"][0]["id"].as_str().unwrap());
        let receipt =
            format!("{}/receipts/{}.pdf", payer.page, invoice["payments"][0]["id"].as_str().unwrap());
        let before = payer.browser.get(&receipt).await.expect(200).bytes;
        assert!(owner.get(&page).await.expect(200).html().contains(&refund));
        for amount in ["", "0", "110.01", "1.001", "1.000", "1e1", "x"] {
            let refused = owner.submit(&refund, &[("amount", amount)]).await.expect(422).html();
            let is_above = refused.contains("must be at most what is left, AUD 110.00");
            assert_eq!(is_above, amount == "110.01", "{refused}");
        }
        let form_token = hidden(&owner.get(&refund).await.expect(200), "once");
        for _ in 0..2 {
            let asked = owner.post(&refund, &[("once", &form_token), ("amount", "20.00")]).await.expect(303);
            assert!(asked.header("location").ends_with("refund_requested"));
        }
        let charges = payer.until_charges("it", |charges| cents(&charges[0], "reversed") == 2_000).await;
        assert_eq!(charges.len(), 1);
        let security = owner.get("/dashboard/settings/security").await.expect(200).html();
        let number = invoice["invoice_number"].as_str().unwrap();
        let entry = format!("Refund requested <small>AUD 20.00, invoice {number}</small> <a href=");
        assert!(security.contains(&entry), "{security}");
        let shown = owner.get(&page).await.expect(200).html();
        assert!(shown.contains("Refunded 20.00"));
        // The table of payments, the timeline and the receipt show the refund.
        assert_eq!(shown.matches("Refunded AUD 20.00").count(), 2, "{shown}");
        assert!(payer.browser.get(&receipt).await.expect(200).bytes.len() > before.len());
        let overview = owner.get("/dashboard").await.expect(200).html();
        let online = overview.split("Paid online in AUD").nth(1).unwrap();
        assert!(online.contains("AUD 110.00") && online.contains("AUD 20.00"), "{online}");
        let contact = invoice["contact"]["id"].as_str().unwrap();
        payer.server.command_json(&["contact", "erase", "--account", &payer.account, "--contact", contact]);
        let form_token = hidden(&owner.get(&page).await.expect(200), "once");
        let made = owner.post(&format!("{page}/replacement"), &[("once", &form_token)]).await.expect(303);
        let draft = owner.get(made.header("location")).await.expect(200).html();
        assert!(draft.contains("Not issued yet") && draft.contains("AUD 110.00"), "{draft}");
        let name = invoice["contact"]["name"].as_str().unwrap();
        assert!(draft.contains("(erased)") && !draft.contains(name), "{draft}");
    })
    .await;
}
