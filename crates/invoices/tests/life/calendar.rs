//! What the calendar does.

use invoices::{InvoiceInput, Status};
use kernel::Field;
use time::Duration;

use crate::make::*;

#[test]
fn the_calendar_moves_an_invoice_once() {
    let mut invoice = raise(InvoiceInput {
        invoice_date: Field::Value(TODAY + Duration::DAY),
        due_date: Field::Value(TODAY + Duration::WEEK),
        ..input("100")
    });
    assert!(!invoice.fall_due(TODAY, now()));
    assert!(invoice.fall_due(TODAY + Duration::DAY, now()));
    assert_eq!(invoice.status, Status::Unpaid);
    assert!(!invoice.fall_due(TODAY + Duration::WEEK, now()));
    assert!(invoice.fall_due(TODAY + Duration::days(8), now()));
    assert_eq!(invoice.status, Status::Overdue);
    pay(&mut invoice, "1").unwrap();
    assert!(!invoice.fall_due(TODAY + Duration::days(800), now()));
}
