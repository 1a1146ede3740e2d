//! Paying, in part and in full.

use invoices::{
    AmendRefused, InvoiceInput, InvoiceStatus, InvoiceTextsInput, NotCancellable, PaymentRefused,
};
use kernel::{Currency, Field, Money};
use proptest::prelude::*;

use crate::make::*;

#[test]
fn a_paid_invoice_is_neither_cancelled_nor_amended_nor_paid_again() {
    let mut invoice = unpaid("100");
    pay(&mut invoice, "100").unwrap();
    let before = invoice.clone();
    assert_eq!(invoice.cancel(now()), Err(NotCancellable(InvoiceStatus::Paid)));
    assert_eq!(
        amend(
            &mut invoice,
            InvoiceInput {
                texts: InvoiceTextsInput { reference: Field::Null, ..InvoiceTextsInput::default() },
                ..InvoiceInput::default()
            }
        ),
        Err(AmendRefused::Locked(InvoiceStatus::Paid))
    );
    assert_eq!(pay(&mut invoice, "1"), Err(PaymentRefused::NotPayable(InvoiceStatus::Paid)));
    assert_eq!(invoice, before);
}

#[test]
fn partial_payments_add_up_to_a_paid_invoice() {
    let mut invoice = unpaid("100");
    pay(&mut invoice, "0.01").unwrap();
    assert_eq!((invoice.status, invoice.amount_due()), (InvoiceStatus::PartiallyPaid, aud("99.99")));
    assert_eq!(pay(&mut invoice, "100"), Err(PaymentRefused::AboveDue(aud("99.99"))));
    assert_eq!(pay(&mut invoice, "0"), Err(PaymentRefused::NotAboveZero));
    assert_eq!(pay(&mut invoice, "-1"), Err(PaymentRefused::NotAboveZero));
    pay(&mut invoice, "99.99").unwrap();
    assert_eq!(
        (invoice.status, invoice.amount_due(), invoice.payments.len()),
        (InvoiceStatus::Paid, aud("0"), 2)
    );
}

#[test]
fn drafts_and_cancelled_invoices_take_no_payment() {
    let mut draft = create(InvoiceInput { is_draft: Field::Value(true), ..input("100") });
    assert_eq!(pay(&mut draft, "1"), Err(PaymentRefused::NotPayable(InvoiceStatus::Draft)));
    let mut cancelled = unpaid("100");
    cancelled.cancel(now()).unwrap();
    assert_eq!(pay(&mut cancelled, "1"), Err(PaymentRefused::NotPayable(InvoiceStatus::Cancelled)));
}

proptest! {
    #[test]
    fn payments_never_sum_up_to_more_than_the_total(amounts in prop::collection::vec(-50_i64..20_000, 1..30)) {
        let mut invoice = unpaid("100");
        for minor in amounts {
            let amount = Money::new(minor, Currency::parse("AUD").unwrap());
            let before = invoice.clone();
            if pay(&mut invoice, &amount.to_string()).is_err() {
                prop_assert_eq!(&invoice, &before);
            }
            let sum: i64 = invoice.payments.iter().map(|payment| payment.amount.minor()).sum();
            prop_assert_eq!(invoice.amount_paid.minor(), sum);
            prop_assert_eq!(invoice.amount_due().minor(), 10_000 - sum);
            prop_assert!(sum <= 10_000);
            prop_assert_eq!(invoice.status == InvoiceStatus::Paid, sum == 10_000);
        }
    }
}
