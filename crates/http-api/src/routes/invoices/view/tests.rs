//! Amounts in other currencies, and payments.

use kernel::{Id, Money};
use time::macros::datetime;

use super::*;
use crate::testing::House;

async fn raised(currency: &str) -> Invoice {
    let house = House::new();
    let body = format!(
        r#"{{"is_draft": true, "currency": "{currency}",
            "line_items": [{{"description": "Tea", "quantity": 1.50, "unit_amount": 4.0, "tax_rate": 12.5}}]}}"#
    );
    let created = house.post("/api/v1/invoices", &body).await;
    assert_eq!(created.status, 201, "{}", created.body);
    house.kept().invoices[0].clone()
}

fn written(invoice: &Invoice) -> String {
    serde_json::to_string(&InvoiceView::new(
        invoice,
        &kernel::PublicUrls::new("https://books.example.com"),
    ))
    .unwrap()
}

#[actix_web::test]
async fn amounts_have_the_decimals_of_their_currency() {
    for (currency, expected) in [
        (
            "JPY",
            r#""unit_amount":4,"tax_rate":12.5,"tax_type":null,"tax_amount":1,"line_amount":6}"#,
        ),
        (
            "AUD",
            r#""unit_amount":4.00,"tax_rate":12.5,"tax_type":null,"tax_amount":0.75,"line_amount":6.00}"#,
        ),
        (
            "BHD",
            r#""unit_amount":4.000,"tax_rate":12.5,"tax_type":null,"tax_amount":0.750,"line_amount":6.000}"#,
        ),
    ] {
        let body = written(&raised(currency).await);
        assert!(body.contains(expected), "{body}");
        assert!(body.contains(r#""quantity":1.5,"#), "{body}");
    }
}

#[actix_web::test]
async fn payments_are_shown_with_the_invoice() {
    let invoice = raised("AUD").await;
    let mut data = (*invoice).clone();
    data.payments = vec![Payment {
        id: Id::from_uuid(uuid::Uuid::from_u128(7)),
        amount: Money::new(250, data.currency),
        received_at: datetime!(2026-11-21 10:00 +11),
        method: invoices::PaymentMethod::BankTransfer,
        reference: None,
        recorded_by: invoices::RecordedBy::Operator,
    }];
    data.amount_paid = Money::new(250, data.currency);
    let body = written(&Invoice::from_stored(data));
    let payment = r#""payments":[{"id":"00000000-0000-0000-0000-000000000007","amount":2.50,"currency":"AUD","received_at":"2026-11-20T23:00:00.000Z","method":"bank_transfer","reference":null,"recorded_by":"operator"}]"#;
    assert!(body.contains(payment), "{body}");
    assert!(
        body.contains(r#""amount_paid":2.50,"amount_due":4.25"#),
        "{body}"
    );
}
