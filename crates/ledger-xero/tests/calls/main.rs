//! The requests to Xero and the handling of its responses, tested against a stand-in on a local port.
#![expect(clippy::unwrap_used, reason = "a test that is wrong should stop there")]

mod stand_in;

use std::sync::Arc;

use invoices::{Invoice, Ledger, LedgerError};
use kernel::{Currency, Money, SingleLine};
use ledger_xero::XeroLedger;
use stand_in::{
    ID, SECRET, StandIn, entered, invoice, json, key, numbered, our_reference, refused, settings, text_of,
};
use testkit::FixedClock;
use time::Duration;
use wiremock::matchers::path;
use wiremock::{Mock, MockServer, ResponseTemplate};

/// The text of a temporary failure.
fn temporary<T: std::fmt::Debug>(done: Result<T, LedgerError>) -> String {
    match done {
        Err(LedgerError::Temporary(text)) => text,
        other => panic!("{other:?}"),
    }
}

fn permanent<T: std::fmt::Debug>(done: Result<T, LedgerError>) -> String {
    match done {
        Err(LedgerError::Permanent(text)) => text,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn push_writes_every_number_exactly() {
    let xero = StandIn::start().await;
    xero.answers("PUT", "/Invoices", entered("AUTHORISED", &our_reference())).await;
    let id = xero.ledger.push(key(), &invoice()).await.unwrap();
    assert_eq!(id.as_str(), ID);
    let call = &xero.requests().await[1];
    let body = String::from_utf8(call.body.clone()).unwrap();
    assert_eq!(
        body.replace(&invoice().id.to_string(), "OUR-ID"),
        concat!(
            r#"{"Invoices":[{"Type":"ACCREC","Status":"AUTHORISED","#,
            r#""Contact":{"Name":"Ada Lovelace","EmailAddress":"ada@example.com"},"#,
            r#""InvoiceNumber":"INV-0007","Reference":"PO 7 / OUR-ID","Date":"2026-11-20","DueDate":"2026-12-04","#,
            r#""CurrencyCode":"AUD","LineAmountTypes":"Exclusive","LineItems":["#,
            r#"{"Description":"Rent","Quantity":1.5,"UnitAmount":25.0605,"AccountCode":"200","TaxType":"OUTPUT2","#,
            r#""TaxAmount":5.64,"LineAmount":37.59},"#,
            r#"{"Description":"Discount","Quantity":1,"UnitAmount":-5,"AccountCode":"200","#,
            r#""TaxAmount":0.00,"LineAmount":-5.00}]}]}"#
        )
    );
    for (header, value) in [
        ("Idempotency-Key", &*key().to_string()),
        ("Xero-Tenant-Id", "tenant-1"),
        ("Accept", "application/json"),
        ("Content-Type", "application/json"),
    ] {
        assert_eq!(text_of(call, header), value);
    }
}

#[tokio::test]
async fn line_with_an_amount_of_three_decimals_is_given_up_without_a_call() {
    let xero = StandIn::start().await;
    xero.answers("PUT", "/Invoices", entered("AUTHORISED", &our_reference())).await;
    let dinars = |minor| {
        let mut data = (*invoice()).clone();
        data.currency = Currency::parse("BHD").unwrap();
        for line in &mut data.lines {
            line.tax_amount = Money::new(10, data.currency);
            line.line_amount = Money::new(minor, data.currency);
        }
        Invoice::from_stored(data)
    };
    let reason = permanent(xero.ledger.push(key(), &dinars(1_501)).await);
    assert!(reason.contains("BHD 1.501") && reason.contains("by hand"), "{reason}");
    assert!(xero.ledger.push(key(), &dinars(1_510)).await.is_ok());
    let pushed = xero.calls().await.into_iter().filter(|call| call.starts_with("PUT"));
    assert_eq!(pushed.count(), 1);
}

#[tokio::test]
async fn token_is_fetched_once_and_again_shortly_before_it_expires() {
    let xero = StandIn::start().await;
    xero.answers("PUT", "/Invoices", entered("AUTHORISED", &our_reference())).await;
    let (ours, key) = (invoice(), key());
    let both = tokio::join!(xero.ledger.push(key, &ours), xero.ledger.push(key, &ours));
    assert!(both.0.is_ok() && both.1.is_ok());
    for wait in [Duration::seconds(29 * 60 - 1), Duration::seconds(1)] {
        xero.clock.advance(wait);
        xero.ledger.push(key, &ours).await.unwrap();
    }
    assert_eq!(
        xero.calls().await,
        [
            "POST /connect/token",
            "PUT /Invoices?unitdp=4 token-1",
            "PUT /Invoices?unitdp=4 token-1",
            "PUT /Invoices?unitdp=4 token-1",
            "POST /connect/token",
            "PUT /Invoices?unitdp=4 token-2",
        ]
    );
}

#[tokio::test]
async fn refused_token_is_replaced_once() {
    let xero = StandIn::start().await;
    let expired = r#"{"Title":"Unauthorized","Status":401,"Detail":"TokenExpired: token expired"}"#;
    xero.answers_once("PUT", "/Invoices", json(401, expired)).await;
    xero.answers("PUT", "/Invoices", entered("AUTHORISED", &our_reference())).await;
    xero.ledger.push(key(), &invoice()).await.unwrap();
    assert_eq!(
        xero.calls().await,
        [
            "POST /connect/token",
            "PUT /Invoices?unitdp=4 token-1",
            "POST /connect/token",
            "PUT /Invoices?unitdp=4 token-2",
        ]
    );

    let xero = StandIn::start().await;
    xero.answers("PUT", "/Invoices", json(401, expired)).await;
    let text = temporary(xero.ledger.push(key(), &invoice()).await);
    assert_eq!(text, "Xero answered 401 Unauthorized: TokenExpired: token expired");
    assert_eq!(xero.calls().await.len(), 4);
}

#[tokio::test]
async fn number_taken_by_an_earlier_push_leads_to_its_invoice() {
    let xero = StandIn::start().await;
    xero.answers("PUT", "/Invoices", refused("Invoice # must be unique")).await;
    xero.answers("GET", "/Invoices", entered("AUTHORISED", &our_reference())).await;
    let id = xero.ledger.push(key(), &invoice()).await.unwrap();
    assert_eq!(id.as_str(), ID);
    let calls = xero.calls().await;
    assert_eq!(calls[2], "GET /Invoices?InvoiceNumbers=INV-0007 token-1");
}

#[tokio::test]
async fn number_taken_by_another_invoice_is_a_refusal_and_changes_nothing() {
    for others in [
        entered("AUTHORISED", "PO 7"),
        entered("AUTHORISED", &format!("PO 7 / {}", key())),
        entered("VOIDED", &our_reference()),
        json(200, r#"{"Invoices":[]}"#),
    ] {
        let xero = StandIn::start().await;
        xero.answers("PUT", "/Invoices", refused("Invoice # must be unique")).await;
        xero.answers("GET", "/Invoices", others).await;
        assert_eq!(
            permanent(xero.ledger.push(key(), &invoice()).await),
            "Xero answered 400 Bad Request: A validation exception occurred: Invoice # must be unique"
        );
        assert_eq!(xero.ledger.find(&invoice()).await, Ok(None));
    }
}

#[tokio::test]
async fn invoice_whose_number_changed_after_the_push_is_found_by_its_id() {
    let xero = StandIn::start().await;
    xero.answers_once("GET", "/Invoices", json(200, r#"{"Invoices":[]}"#)).await;
    xero.answers("GET", "/Invoices", entered("AUTHORISED", &our_reference())).await;
    let amended = numbered(8);
    let id = xero.ledger.find(&amended).await.unwrap().unwrap();
    assert_eq!(id.as_str(), ID);
    let calls = xero.calls().await;
    assert_eq!(calls[1], "GET /Invoices?InvoiceNumbers=INV-0008 token-1");
    assert_eq!(calls[2], format!("GET /Invoices?searchTerm={} token-1", amended.id));
}

#[tokio::test]
async fn void_sets_the_status() {
    let xero = StandIn::start().await;
    let at = format!("/Invoices/{ID}");
    xero.answers("POST", &at, entered("VOIDED", &our_reference())).await;
    let id = SingleLine::parse(ID).unwrap();
    xero.ledger.void(&id).await.unwrap();
    let call = &xero.requests().await[1];
    assert_eq!(
        String::from_utf8(call.body.clone()).unwrap(),
        format!(r#"{{"InvoiceID":"{ID}","Status":"VOIDED"}}"#)
    );
}

#[tokio::test]
async fn void_of_a_void_invoice_succeeds_and_of_a_paid_one_fails() {
    let at = format!("/Invoices/{ID}");
    let id = SingleLine::parse(ID).unwrap();
    for (status, is_void) in [("VOIDED", true), ("DELETED", true), ("PAID", false)] {
        let xero = StandIn::start().await;
        let message = "Invoice not of valid status for modification";
        xero.answers("POST", &at, refused(message)).await;
        xero.answers("GET", &at, entered(status, &our_reference())).await;
        let voided = xero.ledger.void(&id).await;
        if is_void {
            assert_eq!(voided, Ok(()));
        } else {
            assert!(permanent(voided).ends_with(message));
        }
    }
    let xero = StandIn::start().await;
    assert_eq!(permanent(xero.ledger.void(&id).await), "Xero answered 404 Not Found");
}

#[tokio::test]
async fn temporary_failure_keeps_retry_after() {
    for status in [302, 403, 409, 500, 503] {
        let xero = StandIn::start().await;
        let elsewhere = format!("{}/elsewhere", xero.server.uri());
        let answer = ResponseTemplate::new(status)
            .insert_header("Retry-After", "37")
            .insert_header("Location", elsewhere);
        xero.answers("PUT", "/Invoices", answer).await;
        let text = temporary(xero.ledger.push(key(), &invoice()).await);
        assert!(text.starts_with(&format!("Xero answered {status}")), "{text}");
        assert!(text.ends_with("(Retry-After: 37)"), "{text}");
        assert_eq!(xero.calls().await.len(), 2, "no redirect is followed");
    }
}

/// The wait after a postponed call.
fn postponed<T: std::fmt::Debug>(done: Result<T, LedgerError>) -> Duration {
    match done {
        Err(LedgerError::Later { wait, .. }) => wait,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn limit_of_calls_postpones_all_calls_without_another_until_it_is_over() {
    for (retry_after, seconds) in [("37", 60), ("90", 90), ("soon", 60), ("-5", 60), ("999999999", 86_400)] {
        let xero = StandIn::start().await;
        let limited = ResponseTemplate::new(429).insert_header("Retry-After", retry_after);
        xero.answers_once("PUT", "/Invoices", limited).await;
        xero.answers("PUT", "/Invoices", entered("AUTHORISED", &our_reference())).await;
        assert_eq!(xero.ledger.not_before(), None);
        let first = xero.ledger.push(key(), &invoice()).await;
        let Err(LedgerError::Later { reason, wait }) = first else { panic!("{first:?}") };
        assert_eq!(wait, Duration::seconds(seconds));
        assert_eq!(reason, format!("Xero answered 429 Too Many Requests (Retry-After: {retry_after})"));
        assert_eq!(xero.ledger.not_before(), Some(FixedClock::START + wait));

        xero.clock.advance(wait - Duration::SECOND);
        assert_eq!(postponed(xero.ledger.push(key(), &invoice()).await), Duration::SECOND);
        assert_eq!(postponed(xero.ledger.find(&invoice()).await), Duration::SECOND);
        assert_eq!(xero.calls().await.len(), 2);
        xero.clock.advance(Duration::SECOND);
        xero.ledger.push(key(), &invoice()).await.unwrap();
    }
}

#[tokio::test]
async fn unusable_answer_is_temporary() {
    let endless = ResponseTemplate::new(200).set_body_bytes(vec![b' '; 1024 * 1024 + 1]);
    for (answer, says) in [
        (endless, "more than 1048576 bytes"),
        (json(200, "<html>"), "cannot be read"),
        (json(200, "{}"), "has no invoice"),
    ] {
        let xero = StandIn::start().await;
        xero.answers("PUT", "/Invoices", answer).await;
        let text = temporary(xero.ledger.push(key(), &invoice()).await);
        assert!(text.contains(says), "{text}");
    }
}

#[tokio::test]
async fn unreachable_xero_is_temporary() {
    // Nothing listens on port 9, that of the discard protocol (RFC 863).
    let clock = Arc::new(FixedClock::default());
    let ledger = XeroLedger::new(settings("http://127.0.0.1:9"), clock).unwrap();
    let text = temporary(ledger.push(key(), &invoice()).await);
    assert!(text.starts_with("no answer from Xero: "), "{text}");
}

#[tokio::test]
async fn refused_credentials_are_temporary_and_not_shown() {
    let invalid = r#"{"error":"invalid_client"}"#;
    let echo = format!(r#"{{"error":"{SECRET} is wrong"}}"#);
    let odd = format!(r#"{{"access_token":"{SECRET}","expires_in":"{SECRET}"}}"#);
    for (answer, says) in [
        (json(400, invalid), "Xero gives us no token (400 Bad Request): invalid_client"),
        (json(401, &echo), "Xero gives us no token (401 Unauthorized)"),
        (json(200, &odd), "Xero's answer to our credentials is no token"),
    ] {
        let server = MockServer::start().await;
        Mock::given(path("/connect/token")).respond_with(answer).mount(&server).await;
        let settings = settings(&server.uri());
        assert!(!format!("{settings:?}").contains(SECRET));
        let ledger = XeroLedger::new(settings, Arc::new(FixedClock::default())).unwrap();
        assert_eq!(temporary(ledger.push(key(), &invoice()).await), says);
    }
}
