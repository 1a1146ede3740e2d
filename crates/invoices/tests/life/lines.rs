//! Checks of lines and of their total.

use invoices::{InvoiceInput, InvoicingPolicy, LineAmountTypes, LineInput, NewInvoice};
use kernel::{Decimal, Field, FieldErrors};

use crate::make::*;

fn decimal(text: &str) -> Field<Decimal> {
    Field::Value(Decimal::parse(text).unwrap())
}

fn check(sent: InvoiceInput) -> Vec<String> {
    let faults = FieldErrors::default();
    match NewInvoice::check(sent, faults, &scope(), InvoicingPolicy::default(), TODAY) {
        Ok(_) => Vec::new(),
        Err(faults) => faults.iter().map(|fault| format!("{}: {}", fault.field, fault.message)).collect(),
    }
}

fn of(lines: Vec<LineInput>) -> InvoiceInput {
    InvoiceInput { line_items: Field::Value(lines), ..input("1") }
}

#[test]
fn tax_rate_is_from_0_to_100_and_quantity_above_0() {
    let taxed = |rate: &str| check(of(vec![LineInput { tax_rate: decimal(rate), ..line("1") }]));
    let refused = ["line_items.0.tax_rate: must be from 0 to 100"];
    assert_eq!((taxed("0"), taxed("100")), (vec![], vec![]));
    assert_eq!(
        (taxed("100.0001"), taxed("-0.0001")),
        (refused.map(str::to_owned).into(), refused.map(str::to_owned).into())
    );
    let many =
        |quantity: &str| check(of(vec![line("1"), LineInput { quantity: decimal(quantity), ..line("1") }]));
    assert!(many("0.0001").is_empty());
    assert_eq!(many("0"), ["line_items.1.quantity: must be above 0"]);
}

#[test]
fn issued_invoice_has_1_to_500_lines() {
    let lines = |count: usize| check(of(vec![line("1"); count]));
    assert_eq!(lines(0), ["line_items: at least one line is required unless is_draft is true"]);
    assert_eq!((lines(1), lines(500)), (vec![], vec![]));
    assert_eq!(lines(501), ["line_items: must have at most 500 lines"]);
}

#[test]
fn line_without_tax_has_no_rate() {
    let no_tax = |rate: &str| InvoiceInput {
        line_amount_types: Field::Value(LineAmountTypes::NoTax),
        ..of(vec![LineInput { tax_rate: decimal(rate), ..line("1") }])
    };
    assert!(check(no_tax("0")).is_empty());
    assert_eq!(check(no_tax("10")), ["line_items.0.tax_rate: must be 0 when line_amount_types is NO_TAX"]);
}

#[test]
fn line_and_total_have_a_largest_amount() {
    let most = "999999999999";
    assert!(check(of(vec![line(most)])).is_empty());
    let huge = LineInput { quantity: decimal(most), ..line(most) };
    assert_eq!(
        check(of(vec![huge.clone()])),
        ["line_items.0.unit_amount: makes the line too large for any invoice"]
    );
    assert_eq!(
        check(of(vec![line(most), line("1")])),
        ["line_items: the total of the lines is larger than 999,999,999,999"]
    );
    // The amount of a line with another fault is not checked, nor is the total.
    let faulty = LineInput { tax_rate: decimal("101"), ..huge.clone() };
    assert_eq!(check(of(vec![faulty])), ["line_items.0.tax_rate: must be from 0 to 100"]);
    for unread in [
        LineInput { quantity: Field::Faulty, ..line(most) },
        LineInput { tax_rate: Field::Faulty, ..line(most) },
    ] {
        assert!(check(of(vec![unread])).is_empty());
    }
}

#[test]
fn total_is_not_negative_where_its_currency_and_kind_of_amounts_are_known() {
    let negative = || of(vec![line("1"), line("-1.01")]);
    assert!(check(of(vec![line("1"), line("-1")])).is_empty());
    assert_eq!(check(negative()), ["line_items: the total of the lines must not be negative"]);
    assert!(check(InvoiceInput { currency: Field::Faulty, ..negative() }).is_empty());
    assert!(check(InvoiceInput { line_amount_types: Field::Faulty, ..negative() }).is_empty());
    let without_contact = InvoiceInput { contact: Field::Absent, ..negative() };
    assert_eq!(check(without_contact).len(), 2);
    // A fault in another field does not hide a fault of the total.
    let faults = FieldErrors::one("invoice_number", "must have at most 50 characters");
    let checked = NewInvoice::check(negative(), faults, &scope(), InvoicingPolicy::default(), TODAY);
    assert!(checked.unwrap_err().names("line_items"));
}
