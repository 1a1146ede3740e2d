//! Tests of the parameters of the invoice list.

use kernel::{Cursor, CursorKey, Id};
use time::macros::date;

use super::*;
use crate::test_app::TestApp;

const INVOICES: &str = "/api/v1/invoices";

fn read(query: &str) -> Result<ListRequest, ApiError> {
    let account = Id::from_uuid(uuid::Uuid::from_u128(1));
    ListRequest::read(query, &CursorKey::new(b"cursors"), account)
}

#[test]
fn every_parameter_is_read() {
    let listing = read(
        "status=unpaid,%20OVERDUE,UNPAID&contact_id=01a1f6b6-ee63-7000-8000-000000000001\
         &invoice_number=INV%2D7&date_from=2026-01-01&date_to=2026-01-01&limit=500",
    )
    .unwrap();
    let filter = listing.filter;
    assert_eq!(filter.statuses, [InvoiceStatus::Unpaid, InvoiceStatus::Overdue]);
    assert_eq!(filter.number.unwrap().as_str(), "INV-7");
    assert!(filter.contact.is_some());
    assert_eq!(filter.date_from, Some(date!(2026 - 01 - 01)));
    assert_eq!(filter.date_to, filter.date_from);
    assert_eq!((listing.size, listing.after), (PageSize::MAX, None));
}

#[test]
fn every_faulty_parameter_is_named_at_once() {
    let query =
        "status=UNPAID,OPEN&contact_id=7&invoice_number=%00&date_from=x&date_to=2026-13-01&limit=0&cursor=x";
    let error = read(query).unwrap_err();
    insta::assert_snapshot!(String::from_utf8(error.body()).unwrap());
    assert!(read("status=,").is_err());
    assert!(read("date_from=2026-01-02&date_to=2026-01-01").is_err());
}

#[test]
fn cursor_is_refused_in_another_accounts_list() {
    let key = CursorKey::new(b"cursors");
    let cursor = Cursor { after: uuid::Uuid::from_u128(9) };
    let account = |n| cursor_scope(Id::from_uuid(uuid::Uuid::from_u128(n)));
    let own = read(&format!("cursor={}", key.seal(&account(1), cursor))).unwrap();
    assert_eq!(own.after, Some(cursor));
    let refused = read(&format!("cursor={}", key.seal(&account(2), cursor))).unwrap_err();
    let body = String::from_utf8(refused.body()).unwrap();
    assert!(body.contains("\"VALIDATION_ERROR\"") && body.contains("\"field\":\"cursor\""), "{body}");
}

#[actix_web::test]
async fn following_the_cursor_walks_the_whole_list() {
    let app = TestApp::new().await;
    for _ in 0..5 {
        app.post(INVOICES, r#"{"is_draft": true}"#).await;
    }
    let (mut seen, mut query) = (Vec::new(), "limit=2".to_owned());
    loop {
        let page = app.get(&format!("{INVOICES}?{query}")).await.json();
        let numbers = page["data"].as_array().unwrap().iter();
        seen.extend(numbers.map(|invoice| invoice["invoice_number"].as_str().unwrap().to_owned()));
        let Some(cursor) = page["next_cursor"].as_str() else {
            assert_eq!(page["has_more"], false);
            break;
        };
        assert_eq!(page["has_more"], true);
        query = format!("limit=2&cursor={cursor}");
    }
    assert_eq!(seen, ["INV-0005", "INV-0004", "INV-0003", "INV-0002", "INV-0001"]);
    let paid = app.get(&format!("{INVOICES}?status=PAID")).await;
    assert_eq!(paid.body, r#"{"data":[],"next_cursor":null,"has_more":false}"#);
}
