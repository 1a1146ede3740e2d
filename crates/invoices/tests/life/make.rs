//! Builds the invoices of these tests.

use invoices::{
    AmendRefused, CreationContext, Invoice, InvoiceAmendment, InvoiceInput, InvoiceNumber, InvoiceStatus,
    InvoicingPolicy, LineInput, NewInvoice, PayToken, Payment, PaymentMethod, PaymentRefused, RecordedBy,
};
use kernel::{
    AccountId, AccountScope, Clock, Currency, Decimal, Field, FieldErrors, Id, Money, MultiLine, SingleLine,
    TimeZone,
};
use testkit::{CountingIds, FixedClock, FixedRandom};
use time::macros::date;
use time::{Date, OffsetDateTime};

pub(crate) const TODAY: Date = date!(2026 - 11 - 20);

pub(crate) fn now() -> OffsetDateTime {
    FixedClock::default().now()
}

pub(crate) fn aud(text: &str) -> Money {
    Money::parse(text, Currency::parse("AUD").unwrap()).unwrap()
}

pub(crate) fn scope() -> AccountScope {
    AccountScope {
        id: account(),
        time_zone: TimeZone::utc(),
        currency: Currency::parse("AUD").unwrap(),
        invoice_prefix: None,
        communications_enabled: true,
        monthly_invoice_limit: None,
    }
}

pub(crate) fn account() -> AccountId {
    Id::new(&CountingIds::default(), now())
}

pub(crate) fn line(amount: &str) -> LineInput {
    LineInput {
        description: Field::Value(MultiLine::parse("Consulting").unwrap()),
        unit_amount: Field::Value(Decimal::parse(amount).unwrap()),
        ..LineInput::default()
    }
}

pub(crate) fn contact() -> contacts::Contact {
    contacts::Contact {
        id: Id::new(&CountingIds::default(), now()),
        account: account(),
        name: SingleLine::parse("Ada").unwrap(),
        email: Some(kernel::EmailAddress::parse("ada@example.com").unwrap()),
        phone: None,
        external_id: None,
        address: None,
        created_at: now(),
        updated_at: now(),
    }
}

pub(crate) fn input(amount: &str) -> InvoiceInput {
    InvoiceInput {
        contact: Field::Value(contacts::ContactInput {
            email: Field::Value(kernel::EmailAddress::parse("ada@example.com").unwrap()),
            ..contacts::ContactInput::default()
        }),
        line_items: Field::Value(vec![line(amount)]),
        ..InvoiceInput::default()
    }
}

pub(crate) fn create(input: InvoiceInput) -> Invoice {
    create_for(contact(), input)
}

pub(crate) fn create_for(contact: contacts::Contact, input: InvoiceInput) -> Invoice {
    let new = NewInvoice::check(input, FieldErrors::default(), &scope(), InvoicingPolicy::default(), TODAY)
        .unwrap();
    let contact = new.contact.is_some().then_some(contact);
    let context = CreationContext {
        account: account(),
        number: InvoiceNumber::generated("INV-", 1),
        contact,
        pay_token: PayToken::generate(account(), &FixedRandom::default()),
        ids: &CountingIds::default(),
        now: now(),
        today: TODAY,
    };
    Invoice::create(new, context)
}

pub(crate) fn unpaid(amount: &str) -> Invoice {
    let invoice = create(input(amount));
    assert_eq!(invoice.status, InvoiceStatus::Unpaid);
    invoice
}

pub(crate) fn pay(invoice: &mut Invoice, amount: &str) -> Result<(), PaymentRefused> {
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

pub(crate) fn amend(
    invoice: &mut Invoice,
    sent: InvoiceInput,
) -> Result<invoices::invoice::transitions::AmendmentEffect, AmendRefused> {
    let amendment = InvoiceAmendment::check(sent, FieldErrors::default(), invoice, &scope()).unwrap();
    invoice.amend(amendment, None, &CountingIds::default(), TODAY, now())
}

pub(crate) fn faults(invoice: &Invoice, sent: InvoiceInput) -> Vec<String> {
    let faults = InvoiceAmendment::check(sent, FieldErrors::default(), invoice, &scope()).unwrap_err();
    faults.iter().map(|fault| fault.field.clone()).collect()
}
