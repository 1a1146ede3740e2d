//! One invoice: its page, and the actions on it.

use std::time::Duration;

use kernel::{Clock as _, SystemClock};
use reqwest::Method;
use serde_json::json;

use super::{Owner, path_of};
use crate::test_app::{Browser, TestResponse, hidden, json_text, on_both};

#[tokio::test]
async fn payment_is_recorded_once_by_the_dashboard_and_faults_come_back() {
    on_both(async |server| {
        let owner = Owner::open(&server).await;
        let invoice = owner.invoice(json!({})).await;
        let (id, page) = (invoice["id"].as_str().unwrap(), path_of(&invoice));
        let pay = format!("{page}/payments");
        let form_token = hidden(&owner.browser.get(&page).await.expect(200), "once");
        for (amount, method, received_at, faulty) in [
            ("", "cash", "", &["amount"][..]),
            ("1.005", "cash", "", &["amount"]),
            ("110.01", "cash", "", &["amount"]),
            ("0", "cash", "", &["amount"]),
            ("1", "gold", "", &["method"]),
            ("1", "cash", "9000-01-01", &["received_at"]),
            ("1", "cash", "soon", &["received_at"]),
            // Every fault is named.
            ("abc", "cash", "2999-01-01", &["amount", "received_at"]),
            ("abc", "", "", &["amount", "method"]),
            ("110.01", "gold", "9000-01-01", &["amount", "method", "received_at"]),
        ] {
            let fields = [
                ("once", &*form_token),
                ("amount", amount),
                ("method", method),
                ("received_at", received_at),
                ("reference", "kept"),
            ];
            let refused = owner.browser.post(&pay, &fields).await.expect(422).html();
            for field in ["amount", "method", "received_at"] {
                let is_named = refused.contains(&format!("<a href=\"#{field}\">"));
                assert_eq!(is_named, faulty.contains(&field), "{field} of {amount} {method}: {refused}");
            }
            assert!(refused.contains("value=\"kept\""), "{refused}");
            let is_above = refused.contains("must not be above what is due, AUD 110.00");
            assert_eq!(is_above, amount == "110.01", "{refused}");
        }
        let fields = [
            ("once", &*form_token),
            ("amount", "40"),
            ("method", "cheque"),
            ("received_at", "2026-03-02"),
            ("reference", "R 1"),
        ];
        for _ in 0..2 {
            owner.browser.post(&pay, &fields).await.expect(303);
        }
        let read = owner.read(id).await;
        assert_eq!(
            (&read["status"], json_text(&read["amount_paid"]).as_str()),
            (&json!("PARTIALLY_PAID"), "40.00")
        );
        let payment = &read["payments"][0];
        assert_eq!(
            (&payment["recorded_by"], &payment["method"], &payment["reference"], &payment["received_at"]),
            (&json!("dashboard"), &json!("cheque"), &json!("R 1"), &json!("2026-03-01T13:00:00.000Z"))
        );
        let shown = owner.page(&page).await;
        assert!(
            shown.contains("AUD 40.00 paid, cheque, recorded in the dashboard<small>2 March 2026, 00:00"),
            "{shown}"
        );
        let rest = [("amount", "70"), ("method", "cash")];
        let form_token = hidden(&owner.browser.get(&page).await.expect(200), "once");
        owner.browser.post(&pay, &[&rest[..], &[("once", &form_token)]].concat()).await.expect(303);
        assert_eq!(owner.read(id).await["status"], json!("PAID"));
        let form_token = hidden(&owner.browser.get("/dashboard/invoices/new").await.expect(200), "once");
        owner.browser.post(&pay, &[&rest[..], &[("once", &form_token)]].concat()).await.expect(409);
    })
    .await;
}

#[tokio::test]
async fn payment_meant_in_the_old_currency_is_not_recorded_in_the_new_one() {
    on_both(async |server| {
        let owner = Owner::open(&server).await;
        let invoice = owner.invoice(json!({})).await;
        let (id, page) = (invoice["id"].as_str().unwrap(), path_of(&invoice));
        let opened = owner.browser.get(&page).await.expect(200);
        let fields = |page: &TestResponse| {
            let (once, currency) = (hidden(page, "once"), hidden(page, "currency"));
            [
                ("once", once),
                ("currency", currency),
                ("amount", "50".to_owned()),
                ("method", "cash".to_owned()),
            ]
        };
        let post = async |fields: [(&str, String); 4]| {
            let fields = fields.each_ref().map(|(name, value)| (*name, value.as_str()));
            owner.browser.post(&format!("{page}/payments"), &fields).await
        };
        let body = json!({"currency": "EUR"}).to_string().into_bytes();
        owner.account.send(Method::PUT, &format!("/invoices/{id}"), &[], Some(body)).await.expect(200);

        let refused = post(fields(&opened)).await.expect(422);
        let fault = "must be in EUR, which is now the currency of the invoice";
        assert!(refused.html().contains(fault), "{}", refused.html());
        assert_eq!(owner.read(id).await["payments"], json!([]));
        // The page that names the fault shows the invoice as it is now.
        post(fields(&refused)).await.expect(303);
        assert_eq!(json_text(&owner.read(id).await["amount_paid"]), "50.00");
    })
    .await;
}

/// As after a COMMIT whose answer was lost: the work is done, and the form counts as not sent.
#[tokio::test]
async fn form_that_is_released_after_its_work_was_done_acts_once() {
    on_both(async |server| {
        let owner = Owner::open(&server).await;
        let store = server.database.store().await;
        let release = async || {
            let later = SystemClock.now() + time::Duration::DAY;
            assert!(store.submissions.prune(later, 100).await.unwrap() > 0);
        };
        let invoice = owner.invoice(json!({})).await;
        let (id, page) = (invoice["id"].as_str().unwrap(), path_of(&invoice));
        let pay = format!("{page}/payments");
        let once = hidden(&owner.browser.get(&page).await.expect(200), "once");
        let paid = |amount| [("once", &*once), ("amount", amount), ("method", "cash")];
        owner.browser.post(&pay, &paid("60")).await.expect(303);
        release().await;
        // It is more than what is due now.
        owner.browser.post(&pay, &paid("60")).await.expect(303);
        release().await;
        owner.browser.post(&pay, &paid("50")).await.expect(409);
        assert_eq!(json_text(&owner.read(id).await["amount_paid"]), "60.00");

        let form = "/dashboard/invoices/new";
        let once = hidden(&owner.browser.get(form).await.expect(200), "once");
        let fields = [("once", &*once), ("action", "save_draft"), ("contact.name", "Grace")];
        let fields = [&fields[..], &[("contact.email", "grace@example.com")]].concat();
        let first = owner.browser.post(form, &fields).await.expect(303);
        release().await;
        let again = owner.browser.post(form, &fields).await.expect(303);
        assert_eq!(again.header("location"), first.header("location"));
    })
    .await;
}

#[tokio::test]
async fn form_whose_connection_was_cut_is_carried_out_and_a_repeat_is_shown_its_result() {
    on_both(async |server| {
        let owner = Owner::open(&server).await;
        let invoice = owner.invoice(json!({})).await;
        let page = path_of(&invoice);
        let pay = format!("{page}/payments");
        // Each time, the connection is cut at another point of the work.
        for wait in (0..20).map(Duration::from_millis) {
            let form_token = hidden(&owner.browser.get(&page).await.expect(200), "once");
            let fields = [("once", &*form_token), ("amount", "1"), ("method", "cash")];
            owner.browser.post_and_cut(&pay, &fields, wait).await;
            owner.browser.post(&pay, &fields).await.expect(303);
        }
        let read = owner.read(invoice["id"].as_str().unwrap()).await;
        assert_eq!(json_text(&read["amount_paid"]), "20.00");
    })
    .await;
}

#[tokio::test]
async fn cancelling_asks_once_more() {
    on_both(async |server| {
        let owner = Owner::open(&server).await;
        let invoice = owner.invoice(json!({})).await;
        let (id, cancel) = (invoice["id"].as_str().unwrap(), format!("{}/cancel", path_of(&invoice)));
        let question = owner.browser.post(&cancel, &[]).await.expect(200);
        assert!(question.html().contains("This cannot be undone"), "{}", question.html());
        assert_eq!(owner.read(id).await["status"], json!("UNPAID"));
        let once = hidden(&question, "once");
        let answer = [("once", &*once), ("confirm", "yes")];
        owner.browser.post(&cancel, &answer).await.expect(303);
        assert_eq!(owner.read(id).await["status"], json!("CANCELLED"));
        let page = owner.page(&path_of(&invoice)).await;
        assert!(page.contains("<li>Cancelled<small>") && !page.contains("Last changed"), "{page}");
        owner.browser.post(&cancel, &[]).await.expect(409);
        owner.browser.get(&format!("{}/edit", path_of(&invoice))).await.expect(409);
    })
    .await;
}

#[tokio::test]
async fn invoice_is_sent_and_its_mail_is_on_the_timeline() {
    on_both(async |server| {
        let owner = Owner::open(&server).await;
        let invoice = owner.invoice(json!({})).await;
        let page = path_of(&invoice);
        let send = format!("{page}/send");
        let form_token = hidden(&owner.browser.get(&page).await.expect(200), "once");
        owner.browser.post(&send, &[("once", &form_token)]).await.expect(303);
        assert_eq!(owner.read(invoice["id"].as_str().unwrap()).await["send_count"], json!(1));
        let shown = owner.page(&page).await;
        assert!(shown.contains("Send again by e-mail") && shown.contains("E-mail "), "{shown}");
        assert!(shown.contains("time zone Australia/Sydney"), "{shown}");
        let phone_only = json!({"contact": {"name": "No Mail", "phone": "1"}});
        let unreachable = owner.invoice(phone_only).await;
        let form_token = hidden(&owner.browser.get(&path_of(&unreachable)).await.expect(200), "once");
        let send = format!("{}/send", path_of(&unreachable));
        let refused = owner.browser.post(&send, &[("once", &form_token)]).await.expect(422).html();
        assert!(refused.contains("is required to send the invoice"), "{refused}");
    })
    .await;
}

#[tokio::test]
async fn new_payment_link_replaces_the_old_one() {
    on_both(async |server| {
        let owner = Owner::open(&server).await;
        let invoice = owner.invoice(json!({})).await;
        let (id, page) = (invoice["id"].as_str().unwrap(), path_of(&invoice));
        let old = invoice["pay_url"].as_str().unwrap();
        owner.browser.get(old).await.expect(200);
        let form_token = hidden(&owner.browser.get(&page).await.expect(200), "once");
        for _ in 0..2 {
            owner.browser.post(&format!("{page}/pay-link"), &[("once", &form_token)]).await.expect(303);
        }
        let new = owner.read(id).await["pay_url"].as_str().unwrap().to_owned();
        assert_ne!(new, old);
        let shown = owner.page(&page).await;
        assert_eq!(shown.matches("<li>Payment link replaced<small>").count(), 1, "{shown}");
        let payer = Browser::new(&server);
        let replaced = payer.get(old).await.expect(410);
        let title = "<title>This link is no longer valid – Harbour &#38; Sons</title>";
        assert!(replaced.html().contains(title), "{}", replaced.html());
        let text = replaced.html();
        let to = "href=\"/to/";
        assert!(text.contains(to) && text.contains("<h1>"), "{text}");
        let slug = text.split(to).nth(1).unwrap().split('"').next().unwrap();
        payer.get(&format!("/to/{slug}")).await.expect(200);
        assert_eq!(replaced.header("cache-control"), "no-store");
        let path = old.strip_prefix(&server.base).unwrap();
        payer.get(&format!("{path}/invoice.pdf")).await.expect(410);
        payer.get(&format!("{path}/help")).await.expect(410);
        payer
            .post(&format!("{path}/help"), &[("once", &form_token), ("reason", "dispute")])
            .await
            .expect(410);
        owner.browser.get(&new).await.expect(200);
    })
    .await;
}

#[tokio::test]
async fn pdf_is_served_to_the_owner() {
    on_both(async |server| {
        let owner = Owner::open(&server).await;
        let invoice = owner.invoice(json!({})).await;
        let pdf = owner.browser.get(&format!("{}/invoice.pdf", path_of(&invoice))).await.expect(200);
        assert_eq!(pdf.header("content-type"), "application/pdf");
        assert!(pdf.bytes.starts_with(b"%PDF"));
    })
    .await;
}

#[tokio::test]
async fn records_of_another_account_are_not_found() {
    on_both(async |server| {
        let (mine, theirs) = (Owner::open(&server).await, Owner::open(&server).await);
        let invoice = theirs.invoice(json!({})).await;
        let path = path_of(&invoice);
        let contact = format!("/dashboard/contacts/{}", invoice["contact"]["id"].as_str().unwrap());
        for path in [path.clone(), format!("{path}/edit"), format!("{path}/invoice.pdf"), contact.clone()] {
            mine.browser.get(&path).await.expect(404);
        }
        for garbled in ["/dashboard/invoices/1", "/dashboard/contacts/x", "/dashboard/invoices/%00"] {
            let missing = mine.browser.get(garbled).await.expect(404).html();
            assert!(missing.contains("<title>Page not found – Harbour &#38; Sons</title>"), "{missing}");
        }
        let form_token = hidden(&mine.browser.get("/dashboard/invoices/new").await.expect(200), "once");
        let forms: [(&str, &[(&str, &str)]); 5] = [
            ("/send", &[]),
            ("/pay-link", &[]),
            ("/cancel", &[("confirm", "yes")]),
            ("/payments", &[("amount", "1"), ("method", "cash")]),
            ("/edit", &[("action", "issue"), ("version", "x")]),
        ];
        for (action, fields) in forms {
            let fields = [&[("once", &*form_token)], fields].concat();
            mine.browser.post(&format!("{path}{action}"), &fields).await.expect(404);
        }
        mine.browser.post(&contact, &[("once", &form_token), ("name", "Mine")]).await.expect(404);
        let read = theirs.read(invoice["id"].as_str().unwrap()).await;
        assert_eq!((&read["status"], &read["contact"]["name"]), (&json!("UNPAID"), &json!("Ada Lovelace")));
    })
    .await;
}

#[tokio::test]
async fn owner_enters_a_promise_that_the_customer_cannot_change() {
    on_both(async |server| {
        let owner = Owner::open(&server).await;
        let invoice = owner.invoice(json!({})).await;
        let page = path_of(&invoice);
        let payer = Browser::new(&server);
        let payers_form = format!("{}/promise", invoice["pay_url"].as_str().unwrap());
        let day = |days| (SystemClock.now().date() + time::Duration::days(days)).to_string();
        payer.submit(&payers_form, &[("date", &day(3))]).await.expect(303);
        let form_token = hidden(&owner.browser.get(&page).await.expect(200), "once");
        let enter = async |date: &str| {
            let fields = [("once", &*form_token), ("promise_date", date)];
            owner.browser.post(&format!("{page}/promise"), &fields).await
        };
        for date in ["", "soon", &day(-2), &day(400)] {
            let refused = enter(date).await.expect(422).html();
            assert!(refused.contains("<a href=\"#promise_date\">"), "{date}: {refused}");
        }
        let before = hidden(&payer.get(&payers_form).await.expect(200), "once");
        enter(&day(60)).await.expect(303);
        assert!(owner.page(&page).await.contains("Payment promised by"));
        payer.post(&payers_form, &[("once", &*before), ("date", &*day(5))]).await.expect(409);
    })
    .await;
}
