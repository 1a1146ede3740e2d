//! Bank details: entered in the settings, shown to payers, and undone by the link in the mail about them.

use serde_json::{Value, json};

use crate::test_app::{Browser, Caller, TestApp, TestResponse, hidden, invoice_body, on_both, on_both_with};

const SETTINGS: &str = "/dashboard/settings/payments";
const IBAN: &str = "DE89 3704 0044 0532 0130 00";

/// An account, the browser of its owner, and the path of a payment page in euros.
async fn company(server: &TestApp) -> (Caller, Browser, String) {
    let fields = json!({"company_name": "Acme", "timezone": "Australia/Sydney"});
    let (account, made) = server.account_of(&server.partner(), fields).await;
    let browser = Browser::signed_in(server, made["id"].as_str().unwrap()).await;
    let mut body = invoice_body();
    body["currency"] = Value::from("EUR");
    let invoice = account.post("/invoices", &body).await.expect(201).body;
    let pay = server.pay_path(&invoice);
    (account, browser, pay)
}

async fn enter(browser: &Browser, iban: &str) -> TestResponse {
    let fields = [
        ("action", "save"),
        ("currency", "EUR"),
        ("kind", "iban"),
        ("holder", "Acme Pty Ltd"),
        ("iban", iban),
        ("bic", ""),
    ];
    browser.submit(SETTINGS, &fields).await
}

async fn read(browser: &Browser, path: &str) -> String {
    browser.get(path).await.expect(200).html()
}

/// The mail about changed or removed bank details, once it is written to a file.
async fn mail(server: &TestApp, done: &str) -> String {
    let subject = format!("Subject: Your bank details for EUR were {done}");
    server.mails(1, |mail| mail.contains(&subject)).await.remove(0)
}

#[tokio::test]
async fn entered_details_are_shown_to_payers_and_undone_from_the_mail() {
    on_both_with(&[("COUNTINGHOUSE_BANK_DETAILS_DELAY", "1ms")], async |server| {
        let (_, browser, pay) = company(&server).await;
        assert!(!read(&browser, &pay).await.contains("Pay by bank transfer"));
        let before = browser.get(&format!("{pay}/invoice.pdf")).await.expect(200).bytes;
        enter(&browser, "de89370400440532013000").await.expect(303);
        assert!(read(&browser, SETTINGS).await.contains(IBAN));
        let page = read(&browser, &pay).await;
        for text in [IBAN, "Reference to quote", "are unchanged since", "<svg role=\"img\""] {
            assert!(page.contains(text), "{text} in {page}");
        }
        let with_details = browser.get(&format!("{pay}/invoice.pdf")).await.expect(200).bytes;
        assert!(with_details.len() > before.len(), "the PDF shows them too");
        let mail = mail(&server, "changed").await;
        assert!(mail.contains(IBAN) && mail.contains("(Australia/Sydney)"), "{mail}");
        let token = mail.split("/bank-details/").nth(1).unwrap().split("/undo").next().unwrap();
        let undo = format!("/bank-details/{token}/undo");
        let reader = Browser::new(&server);
        let page = read(&reader, &undo).await;
        assert!(page.contains("<button>Undo</button>") && page.contains("(Australia/Sydney)."), "{page}");
        let form_token = hidden(&reader.get(&undo).await, "once");
        // The first 16 bytes name an account that does not exist.
        let unknown = format!("/bank-details/{}/undo", "A".repeat(token.len()));
        reader.post(&unknown, &[("once", &form_token)]).await.expect(404);
        let sent_on = reader.post(&undo, &[("once", &form_token)]).await.expect(303);
        let undone = read(&reader, sent_on.header("location")).await;
        assert!(undone.contains("The change was undone"), "{undone}");
        assert!(!read(&browser, &pay).await.contains("Pay by bank transfer"));
        let gone = reader.get(&undo).await.expect(410).html();
        assert!(gone.contains("/dashboard/settings/payments\">Open the settings of payments"), "{gone}");
        assert!(gone.contains(" – Acme</title>"), "{gone}");
        reader.post(&undo, &[("once", &form_token)]).await.expect(303);
        reader.get("/bank-details/garbled/undo").await.expect(404);
        assert!(!server.log().contains(token), "the token was logged");
    })
    .await;
}

#[tokio::test]
async fn removed_details_are_mailed_and_audited_and_the_removal_is_undone() {
    on_both_with(&[("COUNTINGHOUSE_BANK_DETAILS_DELAY", "1ms")], async |server| {
        let (_, browser, pay) = company(&server).await;
        enter(&browser, IBAN).await.expect(303);
        assert!(read(&browser, &pay).await.contains(IBAN));
        browser.submit(SETTINGS, &[("action", "remove.EUR")]).await.expect(303);
        assert!(!read(&browser, &pay).await.contains(IBAN));
        assert!(read(&browser, "/dashboard/settings/security").await.contains("bank_details.removed"));
        let mail = mail(&server, "removed").await;
        let token = mail.split("/bank-details/").nth(1).unwrap().split("/undo").next().unwrap();
        let undo = format!("/bank-details/{token}/undo");
        let reader = Browser::new(&server);
        assert!(read(&reader, &undo).await.contains("were removed"));
        reader.submit(&undo, &[]).await.expect(303);
        assert!(read(&browser, &pay).await.contains(IBAN));
    })
    .await;
}

#[tokio::test]
async fn new_details_wait_for_their_delay() {
    on_both(async |server| {
        let (_, browser, pay) = company(&server).await;
        enter(&browser, IBAN).await.expect(303);
        let page = read(&browser, SETTINGS).await;
        assert!(
            page.contains("Shown on invoices from") && page.contains("Invoices show none yet."),
            "{page}"
        );
        assert!(!read(&browser, &pay).await.contains("DE89"));
        browser.submit(SETTINGS, &[("action", "remove.EUR")]).await.expect(303);
        assert!(!read(&browser, SETTINGS).await.contains("DE89"));
    })
    .await;
}

#[tokio::test]
async fn saved_terms_are_audited_if_they_changed() {
    on_both(async |server| {
        let (_, browser, _) = company(&server).await;
        let online =
            |unapplied| vec![("action", "save_online"), ("minimum_percent", "100"), ("unapplied", unapplied)];
        let days = vec![("action", "save_promise_days"), ("promise_days", "30")];
        for fields in [&days, &days, &online("return"), &online("keep"), &online("keep")] {
            browser.submit(SETTINGS, fields).await.expect(303);
        }
        let page = read(&browser, "/dashboard/settings/security").await;
        let longest = "Longest promise changed <small>before: 14, after: 30</small>";
        let kept = "<small>before: money that is not due is returned to the payer, after: money that is not \
                    due is kept</small>";
        assert!(page.contains(longest) && page.contains(kept), "{page}");
        let count = |action: &str| page.matches(&format!("data-action=\"{action}\"")).count();
        assert_eq!((count("promise_days.changed"), count("payments.changed")), (1, 1), "{page}");
    })
    .await;
}

/// The values of the choices with this start that have a mark, such as ` selected`.
fn chosen<'a>(page: &'a str, start: &str, mark: &str) -> Vec<&'a str> {
    let values = page.split(start).skip(1).filter_map(|rest| rest.split_once('"'));
    values.filter(|(_, rest)| rest.starts_with(mark)).map(|(value, _)| value).collect()
}

#[tokio::test]
async fn choices_of_a_refused_form_are_those_that_were_sent() {
    on_both(async |server| {
        let (_, browser, _) = company(&server).await;
        let page = enter(&browser, "DE88 3704 0044 0532 0130 00").await.expect(422).html();
        assert_eq!(chosen(&page, "<option value=\"", " selected"), ["iban"], "not the account's usual kind");
        assert_eq!(chosen(&page, "name=\"unapplied\" value=\"", " checked"), ["return"]);
        let online = |percent, unapplied| {
            [("action", "save_online"), ("minimum_percent", percent), ("unapplied", unapplied)]
        };
        browser.submit(SETTINGS, &online("100", "keep")).await.expect(303);
        let page = browser.submit(SETTINGS, &online("0", "return")).await.expect(422).html();
        assert_eq!(
            chosen(&page, "name=\"unapplied\" value=\"", " checked"),
            ["return"],
            "not the stored choice"
        );
        assert_eq!(chosen(&page, "<option value=\"", " selected"), ["bsb"]);
    })
    .await;
}

#[tokio::test]
async fn faulty_details_come_back_with_their_fault_and_others_are_refused() {
    on_both(async |server| {
        let (_, browser, _) = company(&server).await;
        let page = enter(&browser, "DE88 3704 0044 0532 0130 00").await.expect(422).html();
        assert!(page.contains("its check digits do not fit") && page.contains("value=\"DE88 3704"), "{page}");
        let days = [("action", "save_promise_days"), ("promise_days", "366")];
        assert!(browser.submit(SETTINGS, &days).await.expect(422).html().contains("href=\"#promise_days\""));
        let stale = browser.get(SETTINGS).await.expect(200);
        browser.submit(SETTINGS, &[days[0], ("promise_days", "30")]).await.expect(303);
        for changes in [
            vec![days[0], ("promise_days", "31")],
            vec![("action", "save_online"), ("minimum_percent", "40"), ("unapplied", "keep")],
        ] {
            let (form_token, version) = (hidden(&stale, "once"), hidden(&stale, "version"));
            let fields = [vec![("once", &*form_token), ("version", &*version)], changes].concat();
            let refused = browser.post(SETTINGS, &fields).await.expect(409).html();
            assert!(
                refused.contains(&format!("href=\"{SETTINGS}\">Open the current version</a>")),
                "{refused}"
            );
        }
        let page = read(&browser, SETTINGS).await;
        assert!(page.contains("value=\"30\"") && page.contains("value=\"100\""), "{page}");
        let signed_out = Browser::new(&server).get(SETTINGS).await.expect(303);
        assert!(signed_out.header("location").contains("/login"));
    })
    .await;
}

#[tokio::test]
async fn details_that_wait_are_not_removed_from_a_page_that_did_not_show_them() {
    on_both(async |server| {
        let (_, browser, _) = company(&server).await;
        enter(&browser, "DE89370400440532013000").await.expect(303);
        let opened = browser.get(SETTINGS).await.expect(200);
        let (once, version) = (hidden(&opened, "once"), hidden(&opened, "bank_details_version"));
        enter(&browser, "GB82WEST12345698765432").await.expect(303);
        let remove = [("once", &*once), ("bank_details_version", &*version), ("action", "remove.EUR")];
        let refused = browser.post(SETTINGS, &remove).await.expect(409).html();
        assert!(refused.contains("was changed in the meantime"), "{refused}");
        let opened = browser.get(SETTINGS).await.expect(200);
        assert!(opened.html().contains("GB82 WEST 1234 5698 7654 32"), "{}", opened.html());
        let (once, version) = (hidden(&opened, "once"), hidden(&opened, "bank_details_version"));
        let remove = [("once", &*once), ("bank_details_version", &*version), ("action", "remove.EUR")];
        browser.post(SETTINGS, &remove).await.expect(303);
        assert!(!read(&browser, SETTINGS).await.contains("GB82 WEST"), "it was withdrawn");
        // What is so already is no conflict, from whichever page.
        browser.submit(SETTINGS, &remove[1..]).await.expect(303);
    })
    .await;
}
