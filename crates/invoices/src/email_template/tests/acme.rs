//! The company, the customer and the invoices of the mails.

use contacts::Contact;
use kernel::{
    AccountScope, Currency, Decimal, EmailAddress, Field, FieldErrors, Id, Ids, MultiLine, SingleLine,
    TimeZone,
};
use testkit::{CountingIds, FixedClock, FixedRandom};
use time::macros::date;

use crate::invoice::{CreationContext, Invoice, InvoiceData};
use crate::{
    InvoiceInput, InvoiceNumber, InvoicingPolicy, Letterhead, LineAmountTypes, LineInput, NewInvoice,
    PayToken,
};

pub(super) fn acme() -> Letterhead {
    Letterhead {
        company_name: "Acme Pty Ltd".to_owned(),
        email: Some("accounts@acme.example".to_owned()),
        phone: Some("+61 2 5550 1234".to_owned()),
        abn: Some("51 824 753 556".to_owned()),
        address_lines: ["1 George Street", "Sydney NSW 2000", "Australia"].map(str::to_owned).to_vec(),
        time_zone: None,
        brand_color: Some("#0B6E4F".to_owned()),
        logo_key: None,
        logo: None,
        logo_url: None,
    }
}

pub(super) fn line(description: &str, quantity: &str, unit_amount: &str, tax_rate: &str) -> LineInput {
    let number = |text| Field::Value(Decimal::parse(text).unwrap());
    LineInput {
        description: Field::Value(MultiLine::parse(description).unwrap()),
        quantity: number(quantity),
        unit_amount: number(unit_amount),
        tax_rate: number(tax_rate),
        tax_type: Field::Absent,
    }
}

pub(super) fn input(currency: &str, types: LineAmountTypes, lines: Vec<LineInput>) -> InvoiceInput {
    InvoiceInput {
        currency: Field::Value(Currency::parse(currency).unwrap()),
        line_amount_types: Field::Value(types),
        line_items: Field::Value(lines),
        due_date: Field::Value(date!(2026 - 12 - 04)),
        contact: Field::Value(contacts::ContactInput {
            email: Field::Value(kernel::EmailAddress::parse("ada@example.com").unwrap()),
            ..contacts::ContactInput::default()
        }),
        ..InvoiceInput::default()
    }
}

pub(crate) fn contact(name: &str, email: Option<&str>) -> Contact {
    let ids = CountingIds::default();
    Contact {
        id: Id::new(&ids, FixedClock::START),
        account: Id::new(&ids, FixedClock::START),
        name: SingleLine::parse(name).unwrap(),
        email: email.map(|email| EmailAddress::parse(email).unwrap()),
        phone: None,
        external_id: None,
        address: None,
        created_at: FixedClock::START,
        updated_at: FixedClock::START,
    }
}

pub(super) fn created(input: InvoiceInput) -> Invoice {
    let ids = CountingIds::default();
    let account = Id::from_uuid(ids.uuid_at(FixedClock::START));
    let today = date!(2026 - 11 - 20);
    let scope = AccountScope {
        id: account,
        time_zone: TimeZone::utc(),
        currency: Currency::parse("AUD").unwrap(),
        invoice_prefix: None,
        communications_enabled: true,
        monthly_invoice_limit: None,
    };
    let policy = InvoicingPolicy::default();
    let new = NewInvoice::check(input, FieldErrors::default(), &scope, policy, today).unwrap();
    let context = CreationContext {
        account,
        number: InvoiceNumber::generated("INV-", 1),
        contact: Some(contact("Ada Lovelace", Some("ada@example.com"))),
        pay_token: PayToken::generate(account, &FixedRandom::default()),
        ids: &ids,
        now: FixedClock::START,
        today,
    };
    Invoice::create(new, context)
}

/// An invoice with all fields.
pub(crate) fn full() -> Invoice {
    let mut input = input(
        "AUD",
        LineAmountTypes::Exclusive,
        vec![
            line("Website design\nHome page and four templates", "1", "2400", "10"),
            line("Hosting, per month", "12", "29.95", "10"),
            line("Domain name acme-bikes.example", "1", "18", "0"),
            line("Discount for returning customers", "1", "-150", "10"),
        ],
    );
    input.texts.reference = Field::Value(SingleLine::parse("PO 4711").unwrap());
    let notes = "Thank you for your business.\nPlease quote the invoice number when paying by bank transfer.";
    input.texts.notes = Field::Value(MultiLine::parse(notes).unwrap());
    created(input)
}

pub(crate) fn with(invoice: &Invoice, change: impl FnOnce(&mut InvoiceData)) -> Invoice {
    let mut data: InvoiceData = (**invoice).clone();
    change(&mut data);
    Invoice::from_stored(data)
}
