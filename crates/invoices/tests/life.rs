//! The state table of an invoice (contract, "States and transitions"), row by row, on the entity alone.

use invoices::{
    AmendRefused, Amendment, Invoice, InvoiceInput, InvoiceNumber, InvoicingPolicy, Issue,
    LineInput, NewInvoice, NotCancellable, PayToken, Payment, PaymentMethod, PaymentRefused,
    RecordedBy, Status,
};
use kernel::{
    AccountId, AccountScope, Block, Clock, Currency, Decimal, Field, FieldErrors, Id, Line, Money,
    TimeZone,
};
use proptest::prelude::*;
use testkit::{CountingIds, FixedChance, StillClock};
use time::macros::date;
use time::{Date, Duration, OffsetDateTime};

const TODAY: Date = date!(2026 - 11 - 20);

fn now() -> OffsetDateTime {
    StillClock::default().now()
}

fn aud(text: &str) -> Money {
    Money::parse(text, Currency::parse("AUD").unwrap()).unwrap()
}

fn scope() -> AccountScope {
    AccountScope {
        id: account(),
        time_zone: TimeZone::utc(),
        currency: Currency::parse("AUD").unwrap(),
        invoice_prefix: None,
        communications_enabled: true,
        monthly_invoice_limit: None,
    }
}

fn account() -> AccountId {
    Id::new(&CountingIds::default(), now())
}

fn line(amount: &str) -> LineInput {
    LineInput {
        description: Field::Value(Block::parse("Consulting").unwrap()),
        unit_amount: Field::Value(Decimal::parse(amount).unwrap()),
        ..LineInput::default()
    }
}

fn contact() -> contacts::Contact {
    contacts::Contact {
        id: Id::new(&CountingIds::default(), now()),
        account: account(),
        name: Line::parse("Ada").unwrap(),
        email: None,
        phone: None,
        external_id: None,
        address: None,
        created_at: now(),
        updated_at: now(),
    }
}

fn input(amount: &str) -> InvoiceInput {
    InvoiceInput {
        contact: Field::Value(contacts::ContactInput::default()),
        line_items: Field::Value(vec![line(amount)]),
        ..InvoiceInput::default()
    }
}

fn raise(input: InvoiceInput) -> Invoice {
    let new = NewInvoice::check(
        input,
        FieldErrors::default(),
        &scope(),
        InvoicingPolicy::default(),
        TODAY,
    )
    .unwrap();
    let contact = new.contact.is_some().then(contact);
    let issue = Issue {
        account: account(),
        number: InvoiceNumber::generated("INV-", 1),
        contact,
        pay_token: PayToken::generate(&FixedChance::default()).unwrap(),
        ids: &CountingIds::default(),
        now: now(),
        today: TODAY,
    };
    Invoice::raise(new, issue)
}

fn unpaid(amount: &str) -> Invoice {
    let invoice = raise(input(amount));
    assert_eq!(invoice.status, Status::Unpaid);
    invoice
}

fn pay(invoice: &mut Invoice, amount: &str) -> Result<(), PaymentRefused> {
    let payment = Payment {
        id: Id::new(&CountingIds::default(), now()),
        amount: aud(amount),
        received_at: now(),
        method: PaymentMethod::Cash,
        reference: None,
        recorded_by: RecordedBy::Operator,
    };
    invoice.record_payment(payment, now())
}

fn amend(
    invoice: &mut Invoice,
    sent: InvoiceInput,
) -> Result<invoices::invoice::Amended, AmendRefused> {
    let amendment = Amendment::check(sent, FieldErrors::default(), invoice, &scope()).unwrap();
    invoice.amend(amendment, None, &CountingIds::default(), TODAY, now())
}

fn faults(invoice: &Invoice, sent: InvoiceInput) -> Vec<String> {
    let faults = Amendment::check(sent, FieldErrors::default(), invoice, &scope()).unwrap_err();
    faults.iter().map(|fault| fault.field.clone()).collect()
}

#[test]
fn every_status_but_paid_and_cancelled_can_be_cancelled() {
    let scheduled = InvoiceInput {
        invoice_date: Field::Value(TODAY + Duration::DAY),
        ..input("100")
    };
    let overdue = InvoiceInput {
        invoice_date: Field::Value(date!(2020 - 01 - 01)),
        ..input("100")
    };
    let draft = InvoiceInput {
        is_draft: Field::Value(true),
        ..input("100")
    };
    let mut partial = unpaid("100");
    pay(&mut partial, "40").unwrap();
    for mut invoice in [
        raise(scheduled),
        raise(overdue),
        raise(draft),
        unpaid("100"),
        partial,
    ] {
        let (paid, payments) = (invoice.amount_paid, invoice.payments.len());
        invoice.cancel(now()).unwrap();
        assert_eq!(
            (invoice.status, invoice.amount_due()),
            (Status::Cancelled, aud("0"))
        );
        assert_eq!(
            (invoice.amount_paid, invoice.payments.len()),
            (paid, payments)
        );
        let before = invoice.clone();
        assert_eq!(
            invoice.cancel(now()),
            Err(NotCancellable(Status::Cancelled))
        );
        assert_eq!(invoice, before, "a second cancellation is harmless");
    }
}

#[test]
fn a_paid_invoice_is_neither_cancelled_nor_amended_nor_paid_again() {
    let mut invoice = unpaid("100");
    pay(&mut invoice, "100").unwrap();
    let before = invoice.clone();
    assert_eq!(invoice.cancel(now()), Err(NotCancellable(Status::Paid)));
    assert_eq!(
        amend(
            &mut invoice,
            InvoiceInput {
                reference: Field::Null,
                ..InvoiceInput::default()
            }
        ),
        Err(AmendRefused::Locked(Status::Paid))
    );
    assert_eq!(
        pay(&mut invoice, "1"),
        Err(PaymentRefused::NotPayable(Status::Paid))
    );
    assert_eq!(invoice, before);
}

#[test]
fn payments_are_partial_until_they_are_full() {
    let mut invoice = unpaid("100");
    pay(&mut invoice, "0.01").unwrap();
    assert_eq!(
        (invoice.status, invoice.amount_due()),
        (Status::PartiallyPaid, aud("99.99"))
    );
    assert_eq!(
        pay(&mut invoice, "100"),
        Err(PaymentRefused::AboveDue(aud("99.99")))
    );
    assert_eq!(pay(&mut invoice, "0"), Err(PaymentRefused::NotAboveZero));
    assert_eq!(pay(&mut invoice, "-1"), Err(PaymentRefused::NotAboveZero));
    pay(&mut invoice, "99.99").unwrap();
    assert_eq!(
        (invoice.status, invoice.amount_due(), invoice.payments.len()),
        (Status::Paid, aud("0"), 2)
    );
}

#[test]
fn drafts_and_cancelled_invoices_take_no_payment() {
    let mut draft = raise(InvoiceInput {
        is_draft: Field::Value(true),
        ..input("100")
    });
    assert_eq!(
        pay(&mut draft, "1"),
        Err(PaymentRefused::NotPayable(Status::Draft))
    );
    let mut cancelled = unpaid("100");
    cancelled.cancel(now()).unwrap();
    assert_eq!(
        pay(&mut cancelled, "1"),
        Err(PaymentRefused::NotPayable(Status::Cancelled))
    );
}

#[test]
fn a_draft_is_issued_with_the_status_of_its_dates() {
    let mut draft = raise(InvoiceInput {
        is_draft: Field::Value(true),
        ..input("100")
    });
    amend(
        &mut draft,
        InvoiceInput {
            reference: Field::Value(Line::parse("PO").unwrap()),
            ..InvoiceInput::default()
        },
    )
    .unwrap();
    assert_eq!(draft.status, Status::Draft);
    let issue = InvoiceInput {
        is_draft: Field::Value(false),
        ..InvoiceInput::default()
    };
    amend(&mut draft, issue).unwrap();
    assert_eq!(draft.status, Status::Unpaid);
    let back = InvoiceInput {
        is_draft: Field::Value(true),
        ..InvoiceInput::default()
    };
    assert_eq!(amend(&mut draft, back), Err(AmendRefused::CannotUnissue));
}

#[test]
fn a_draft_without_contact_and_lines_is_not_issued() {
    let draft = raise(InvoiceInput {
        is_draft: Field::Value(true),
        ..InvoiceInput::default()
    });
    let issue = InvoiceInput {
        is_draft: Field::Value(false),
        ..InvoiceInput::default()
    };
    assert_eq!(faults(&draft, issue), ["line_items", "contact"]);
}

#[test]
fn a_draft_that_stays_one_is_not_sent() {
    let mut draft = raise(InvoiceInput {
        is_draft: Field::Value(true),
        ..input("100")
    });
    let send = InvoiceInput {
        send_invoice: Field::Value(true),
        ..InvoiceInput::default()
    };
    assert_eq!(amend(&mut draft, send), Err(AmendRefused::DraftNotSent));
}

#[test]
fn amended_dates_and_sending_work_the_status_out_again() {
    let mut invoice = unpaid("100");
    let later = InvoiceInput {
        invoice_date: Field::Value(TODAY + Duration::DAY),
        due_date: Field::Value(TODAY + Duration::WEEK),
        ..InvoiceInput::default()
    };
    amend(&mut invoice, later).unwrap();
    assert_eq!(invoice.status, Status::Scheduled);
    amend(
        &mut invoice,
        InvoiceInput {
            send_invoice: Field::Value(true),
            ..InvoiceInput::default()
        },
    )
    .unwrap();
    assert_eq!(
        (
            invoice.status,
            invoice.send_count,
            invoice.sent_to_contact()
        ),
        (Status::Unpaid, 1, true)
    );
    let past = InvoiceInput {
        invoice_date: Field::Value(date!(2020 - 01 - 01)),
        due_date: Field::Value(date!(2020 - 01 - 02)),
        ..InvoiceInput::default()
    };
    amend(&mut invoice, past).unwrap();
    assert_eq!(invoice.status, Status::Overdue);
}

#[test]
fn the_total_and_the_payments_stay_consistent() {
    let mut invoice = unpaid("100");
    pay(&mut invoice, "40").unwrap();
    let to = |amount: &str| InvoiceInput {
        line_items: Field::Value(vec![line(amount)]),
        ..InvoiceInput::default()
    };
    assert_eq!(
        amend(&mut invoice, to("39.99")),
        Err(AmendRefused::BelowPaid(aud("40")))
    );
    let jpy = InvoiceInput {
        currency: Field::Value(Currency::parse("JPY").unwrap()),
        ..InvoiceInput::default()
    };
    assert_eq!(amend(&mut invoice, jpy), Err(AmendRefused::CurrencyFixed));
    amend(&mut invoice, to("50")).unwrap();
    assert_eq!(
        (invoice.status, invoice.amount_due()),
        (Status::PartiallyPaid, aud("10"))
    );
    amend(&mut invoice, to("40")).unwrap();
    assert_eq!(
        (invoice.status, invoice.amount_due()),
        (Status::Paid, aud("0"))
    );
}

#[test]
fn without_payments_the_currency_may_change_and_amounts_are_worked_out_again() {
    let mut invoice = unpaid("100.4");
    amend(
        &mut invoice,
        InvoiceInput {
            currency: Field::Value(Currency::parse("JPY").unwrap()),
            ..InvoiceInput::default()
        },
    )
    .unwrap();
    assert_eq!(
        (
            invoice.totals.total.to_string(),
            invoice.lines[0].line_amount.to_string()
        ),
        ("100".into(), "100".into())
    );
    assert_eq!(invoice.amount_due().to_string(), "100");
}

#[test]
fn only_sent_fields_change_and_null_clears() {
    let mut invoice = raise(InvoiceInput {
        reference: Field::Value(Line::parse("PO").unwrap()),
        staff: Field::Value(Line::parse("Grace").unwrap()),
        ..input("100")
    });
    let before = invoice.clone();
    amend(
        &mut invoice,
        InvoiceInput {
            reference: Field::Null,
            ..InvoiceInput::default()
        },
    )
    .unwrap();
    assert_eq!((&invoice.reference, &invoice.staff), (&None, &before.staff));
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
            prop_assert_eq!(invoice.status == Status::Paid, sum == 10_000);
        }
    }
}
