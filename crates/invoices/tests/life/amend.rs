//! Amending, issuing and sending.

use invoices::{
    AmendRefused, InvoiceAmendment, InvoiceInput, InvoiceStatus, InvoiceTextsInput, LineAmountTypes,
    LineInput,
};
use kernel::{Currency, Decimal, Field, FieldErrors, SingleLine};
use time::macros::date;
use time::{Date, Duration};

use crate::make::*;

#[test]
fn a_draft_is_issued_with_the_status_of_its_dates() {
    let mut draft = create(InvoiceInput { is_draft: Field::Value(true), ..input("100") });
    amend(
        &mut draft,
        InvoiceInput {
            texts: InvoiceTextsInput {
                reference: Field::Value(SingleLine::parse("PO").unwrap()),
                ..InvoiceTextsInput::default()
            },
            ..InvoiceInput::default()
        },
    )
    .unwrap();
    assert_eq!(draft.status, InvoiceStatus::Draft);
    let issue = InvoiceInput { is_draft: Field::Value(false), ..InvoiceInput::default() };
    amend(&mut draft, issue).unwrap();
    assert_eq!(draft.status, InvoiceStatus::Unpaid);
    let back = InvoiceInput { is_draft: Field::Value(true), ..InvoiceInput::default() };
    assert_eq!(amend(&mut draft, back), Err(AmendRefused::CannotUnissue));
}

#[test]
fn a_draft_without_contact_and_lines_is_not_issued() {
    let draft = create(InvoiceInput { is_draft: Field::Value(true), ..InvoiceInput::default() });
    let issue = InvoiceInput { is_draft: Field::Value(false), ..InvoiceInput::default() };
    assert_eq!(faults(&draft, issue), ["line_items", "contact"]);
}

#[test]
fn a_draft_that_stays_one_is_not_sent() {
    let mut draft = create(InvoiceInput { is_draft: Field::Value(true), ..input("100") });
    let send = InvoiceInput { send_invoice: Field::Value(true), ..InvoiceInput::default() };
    assert_eq!(amend(&mut draft, send), Err(AmendRefused::DraftNotSent));
}

#[test]
fn a_kept_contact_without_an_address_is_named_with_the_other_faults() {
    let silent = || contacts::Contact { email: None, ..contact() };
    let issued = create_for(silent(), input("100"));
    let send = |invoice_date| InvoiceInput {
        send_invoice: Field::Value(true),
        is_draft: Field::Value(false),
        invoice_date,
        ..InvoiceInput::default()
    };
    assert_eq!(faults(&issued, send(Field::Null)), ["invoice_date", "contact.email"]);
    assert_eq!(faults(&issued, send(Field::Absent)), ["contact.email"]);
    let other = InvoiceInput { contact: input("100").contact, ..send(Field::Null) };
    assert_eq!(faults(&issued, other), ["invoice_date"]);
    // The contact of a draft may have got an address since the draft was saved.
    let draft = create_for(silent(), InvoiceInput { is_draft: Field::Value(true), ..input("100") });
    assert_eq!(faults(&draft, send(Field::Null)), ["invoice_date"]);
}

#[test]
fn amended_dates_or_sending_recalculate_the_status() {
    let mut invoice = unpaid("100");
    let later = InvoiceInput {
        invoice_date: Field::Value(TODAY + Duration::DAY),
        due_date: Field::Value(TODAY + Duration::WEEK),
        ..InvoiceInput::default()
    };
    amend(&mut invoice, later).unwrap();
    assert_eq!(invoice.status, InvoiceStatus::Scheduled);
    amend(&mut invoice, InvoiceInput { send_invoice: Field::Value(true), ..InvoiceInput::default() })
        .unwrap();
    assert_eq!(
        (invoice.status, invoice.send_count, invoice.sent_to_contact()),
        (InvoiceStatus::Unpaid, 1, true)
    );
    let past = InvoiceInput {
        invoice_date: Field::Value(date!(2020 - 01 - 01)),
        due_date: Field::Value(date!(2020 - 01 - 02)),
        ..InvoiceInput::default()
    };
    amend(&mut invoice, past).unwrap();
    assert_eq!(invoice.status, InvoiceStatus::Overdue);
}

#[test]
fn the_total_and_the_payments_stay_consistent() {
    let mut invoice = unpaid("100");
    pay(&mut invoice, "40").unwrap();
    let to = |amount: &str| InvoiceInput {
        line_items: Field::Value(vec![line(amount)]),
        ..InvoiceInput::default()
    };
    assert_eq!(amend(&mut invoice, to("39.99")), Err(AmendRefused::BelowPaid(aud("40"))));
    let jpy =
        InvoiceInput { currency: Field::Value(Currency::parse("JPY").unwrap()), ..InvoiceInput::default() };
    assert_eq!(amend(&mut invoice, jpy), Err(AmendRefused::CurrencyFixed));
    amend(&mut invoice, to("50")).unwrap();
    assert_eq!((invoice.status, invoice.amount_due()), (InvoiceStatus::PartiallyPaid, aud("10")));
    amend(&mut invoice, to("40")).unwrap();
    assert_eq!((invoice.status, invoice.amount_due()), (InvoiceStatus::Paid, aud("0")));
}

#[test]
fn an_issued_invoice_amended_to_zero_is_paid() {
    let mut invoice = unpaid("100");
    let zero = InvoiceInput { line_items: Field::Value(vec![line("0")]), ..InvoiceInput::default() };
    amend(&mut invoice, zero).unwrap();
    assert_eq!(invoice.status, InvoiceStatus::Paid);
    assert!(invoice.payments.is_empty());
}

#[test]
fn without_payments_the_currency_may_change_and_amounts_are_worked_out_again() {
    let mut invoice = unpaid("100.4");
    amend(
        &mut invoice,
        InvoiceInput { currency: Field::Value(Currency::parse("JPY").unwrap()), ..InvoiceInput::default() },
    )
    .unwrap();
    assert_eq!(
        (invoice.totals.total.to_string(), invoice.lines[0].line_amount.to_string()),
        ("100".into(), "100".into())
    );
    assert_eq!(invoice.amount_due().to_string(), "100");
}

#[test]
fn only_sent_fields_change_and_null_clears() {
    let mut invoice = create(InvoiceInput {
        texts: InvoiceTextsInput {
            reference: Field::Value(SingleLine::parse("PO").unwrap()),
            staff: Field::Value(SingleLine::parse("Grace").unwrap()),
            ..InvoiceTextsInput::default()
        },
        ..input("100")
    });
    let before = invoice.clone();
    let amended = amend(
        &mut invoice,
        InvoiceInput {
            texts: InvoiceTextsInput { reference: Field::Null, ..InvoiceTextsInput::default() },
            ..InvoiceInput::default()
        },
    )
    .unwrap();
    assert!(!amended.lines_replaced, "they need not be stored");
    assert_eq!(invoice.texts.reference, None);
    assert_eq!(invoice.texts.staff, before.texts.staff);
    assert_eq!(
        (&invoice.lines, &invoice.contact, invoice.status),
        (&before.lines, &before.contact, before.status)
    );
    let nulls = InvoiceInput {
        due_date: Field::Null,
        currency: Field::Null,
        contact: Field::Null,
        line_items: Field::Null,
        ..InvoiceInput::default()
    };
    let mut named = faults(&invoice, nulls);
    named.sort_unstable();
    assert_eq!(named, ["contact", "currency", "due_date", "line_items"]);
}

#[test]
fn dates_are_checked_with_those_that_are_kept() {
    let invoice = unpaid("100");
    let dated = |invoice_date: Field<Date>, due_date: Field<Date>| InvoiceInput {
        invoice_date,
        due_date,
        ..InvoiceInput::default()
    };
    let (first, last) = (invoice.invoice_date, invoice.due_date);
    let before = first - Duration::DAY;
    assert_eq!(faults(&invoice, dated(Field::Absent, Field::Value(before))), ["due_date"]);
    assert_eq!(faults(&invoice, dated(Field::Value(last + Duration::DAY), Field::Absent)), ["invoice_date"]);
    assert_eq!(faults(&invoice, dated(Field::Value(last), Field::Value(first))), ["due_date"]);
    // Both dates on one day is valid, and so is a date beside one that could not be parsed, which has its own
    // fault.
    assert!(amend(&mut invoice.clone(), dated(Field::Absent, Field::Value(first))).is_ok());
    assert!(amend(&mut invoice.clone(), dated(Field::Faulty, Field::Value(before))).is_ok());
    let too_late = Field::Value(last + Duration::DAY);
    assert!(amend(&mut invoice.clone(), dated(too_late, Field::Faulty)).is_ok());
}

#[test]
fn lines_that_are_kept_are_checked_against_other_types_of_amounts() {
    let no_tax = || InvoiceInput {
        line_amount_types: Field::Value(LineAmountTypes::NoTax),
        ..InvoiceInput::default()
    };
    let taxed = LineInput { tax_rate: Field::Value(Decimal::parse("10").unwrap()), ..line("100") };
    let taxed = create(InvoiceInput { line_items: Field::Value(vec![taxed]), ..input("100") });
    assert_eq!(faults(&taxed, no_tax()), ["line_amount_types"]);
    let inclusive = Field::Value(LineAmountTypes::Inclusive);
    let other = InvoiceInput { line_amount_types: inclusive, ..InvoiceInput::default() };
    amend(&mut taxed.clone(), other).unwrap();
    let mut untaxed = unpaid("100");
    amend(&mut untaxed, no_tax()).unwrap();
    assert_eq!(untaxed.line_amount_types, LineAmountTypes::NoTax);
}

#[test]
fn currency_in_which_a_kept_line_is_too_large_is_named() {
    let large =
        |amount| LineInput { quantity: Field::Value(Decimal::parse("1000").unwrap()), ..line(amount) };
    let lines = vec![large("90000000000000"), large("-90000000000000"), line("1")];
    let invoice = create(InvoiceInput { line_items: Field::Value(lines), ..input("100") });
    let in_dinars = InvoiceInput {
        currency: Field::Value(kernel::Currency::parse("BHD").unwrap()),
        ..InvoiceInput::default()
    };
    assert_eq!(faults(&invoice, in_dinars), ["currency"]);
}

#[test]
fn amended_total_is_not_negative_where_its_currency_and_kind_of_amounts_are_known() {
    let negative = || InvoiceInput {
        line_items: Field::Value(vec![line("1"), line("-1.01")]),
        ..InvoiceInput::default()
    };
    let invoice = unpaid("100");
    assert_eq!(faults(&invoice, negative()), ["line_items"]);
    for unread in [
        InvoiceInput { currency: Field::Faulty, ..negative() },
        InvoiceInput { line_amount_types: Field::Faulty, ..negative() },
    ] {
        assert!(InvoiceAmendment::check(unread, FieldErrors::default(), &invoice, &scope()).is_ok());
    }
}

#[test]
fn version_of_an_invoice_that_is_entered_in_the_ledger_stays() {
    let mut invoice = unpaid("100");
    let seen = invoice.version();
    assert!(invoice.enter_in_ledger(SingleLine::parse("xero-7").unwrap(), now() + Duration::MINUTE));
    assert_eq!(invoice.version(), seen);
    pay(&mut invoice, "10").unwrap();
    assert_ne!(invoice.version(), seen);
}
