//! Cancelling.

use invoices::{InvoiceInput, InvoiceStatus, NotCancellable};
use kernel::Field;
use time::Duration;
use time::macros::date;

use crate::make::*;

#[test]
fn every_status_but_paid_and_cancelled_can_be_cancelled() {
    let scheduled = InvoiceInput { invoice_date: Field::Value(TODAY + Duration::DAY), ..input("100") };
    let overdue = InvoiceInput { invoice_date: Field::Value(date!(2020 - 01 - 01)), ..input("100") };
    let draft = InvoiceInput { is_draft: Field::Value(true), ..input("100") };
    let mut partial = unpaid("100");
    pay(&mut partial, "40").unwrap();
    for mut invoice in [create(scheduled), create(overdue), create(draft), unpaid("100"), partial] {
        let (paid, payments) = (invoice.amount_paid, invoice.payments.len());
        invoice.cancel(now()).unwrap();
        assert_eq!((invoice.status, invoice.amount_due()), (InvoiceStatus::Cancelled, aud("0")));
        assert_eq!((invoice.amount_paid, invoice.payments.len()), (paid, payments));
        let before = invoice.clone();
        assert_eq!(invoice.cancel(now()), Err(NotCancellable(InvoiceStatus::Cancelled)));
        assert_eq!(invoice, before, "a second cancellation is harmless");
    }
}
