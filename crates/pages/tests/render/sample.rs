//! Invoices as payers see them, made without a database.

use contacts::PostalAddress;
use invoices::totals::{line_amounts, totals};
use invoices::{
    Invoice, InvoiceData, InvoiceForPayer, InvoiceNumber, InvoiceStatus, InvoiceTexts, InvoicedContact,
    Letterhead, LineAmountTypes, LineItem, PayToken, Payment, PaymentMethod, RecordedBy,
};
use kernel::{
    Currency, Decimal, EmailAddress, Id, LogoKey, LogoKind, Money, MultiLine, PublicUrls, SingleLine,
    TimeZone,
};
use pages::{PaymentPage, Template as _};
use testkit::FixedRandom;
use time::Date;
use time::macros::{date, datetime};

pub(crate) fn urls() -> PublicUrls {
    PublicUrls::new("https://books.example.com")
}

/// A day before the due date of the samples.
pub(crate) const TODAY: Date = date!(2026 - 11 - 25);

pub(crate) fn html(shown: &InvoiceForPayer) -> String {
    let (online, form) = (payments::OnlineForPayer::default(), pages::Form::default());
    PaymentPage::new(shown, &online, &form, TODAY, &urls()).render().unwrap()
}

/// An invoice with this many lines, with all optional parts.
pub(crate) fn shown(status: InvoiceStatus, lines: usize) -> InvoiceForPayer {
    InvoiceForPayer {
        invoice: Invoice::from_stored(data(status, lines)),
        letterhead: letterhead(),
        time_zone: TimeZone::parse("Australia/Sydney").unwrap(),
        account_is_active: true,
        promise_days: 14,
        promise: None,
        bank_transfer: None,
        ever_had_gateway: false,
    }
}

/// The same invoice with changed data.
pub(crate) fn changed(shown: &InvoiceForPayer, change: impl FnOnce(&mut InvoiceData)) -> InvoiceForPayer {
    let mut data: InvoiceData = (*shown.invoice).clone();
    change(&mut data);
    InvoiceForPayer { invoice: Invoice::from_stored(data), ..shown.clone() }
}

pub(crate) fn letterhead() -> Letterhead {
    Letterhead {
        company_name: "Brightwater Electrical Pty Ltd".to_owned(),
        email: Some("accounts@brightwater.example".to_owned()),
        phone: Some("+61 2 5550 1234".to_owned()),
        abn: Some("51 824 753 556".to_owned()),
        address_lines: ["Unit 4, 22 Wharf Road", "Pyrmont NSW 2009", "Australia"].map(str::to_owned).to_vec(),
        time_zone: None,
        brand_color: Some("#0F6B6B".to_owned()),
        logo_key: Some(LogoKey::generate(LogoKind::Png, &FixedRandom::default())),
        logo: None,
        logo_url: None,
    }
}

fn data(status: InvoiceStatus, lines: usize) -> InvoiceData {
    let (currency, types) = (Currency::parse("AUD").unwrap(), LineAmountTypes::Exclusive);
    let lines: Vec<LineItem> = (0..lines).map(|n| line(n, types, currency)).collect();
    let amounts = lines
        .iter()
        .map(|line| line_amounts(line.quantity, line.unit_amount, line.tax_rate, types, currency).unwrap());
    let totals = totals(amounts.collect::<Vec<_>>(), types, currency).unwrap();
    let paid = match status {
        InvoiceStatus::Paid => totals.total,
        InvoiceStatus::PartiallyPaid => Money::parse("40", currency).unwrap(),
        _ => Money::zero(currency),
    };
    InvoiceData {
        id: id(),
        account: id(),
        number: InvoiceNumber::parse("INV-0042").unwrap(),
        status,
        contact: Some(contact()),
        invoice_date: date!(2026 - 11 - 20),
        due_date: date!(2026 - 12 - 04),
        currency,
        line_amount_types: types,
        lines,
        totals,
        amount_paid: paid,
        payments: (!paid.is_zero()).then(|| payment(paid)).into_iter().collect(),
        texts: InvoiceTexts {
            reference: Some(SingleLine::parse("PO 88213").unwrap()),
            notes: Some(MultiLine::parse("Thank you.\nPlease quote the invoice number.").unwrap()),
            staff: Some(SingleLine::parse("Maya Lindqvist").unwrap()),
        },
        last_sent_at: None,
        send_count: 0,
        pay_token: PayToken::generate(id(), &FixedRandom::default()),
        ledger_invoice_id: None,
        created_at: datetime!(2026-11-20 02:09:06.147 UTC),
        updated_at: datetime!(2026-11-20 02:09:06.147 UTC),
    }
}

/// A payment on 24 November in Sydney, which is 23 November UTC.
fn payment(amount: Money) -> Payment {
    Payment {
        id: id(),
        amount,
        received_at: datetime!(2026-11-23 20:00 UTC),
        method: PaymentMethod::BankTransfer,
        reference: Some(SingleLine::parse("R 1").unwrap()),
        recorded_by: RecordedBy::Operator,
    }
}

/// A line whose text differs from that of all others, so that compression is realistic.
fn line(n: usize, types: LineAmountTypes, currency: Currency) -> LineItem {
    let words = ["cable", "labour", "switchboard", "permit", "scaffold", "downlight", "disposal", "report"];
    let word = |step: usize| words[(n * step + n / 8) % words.len()];
    let description = format!("{} {} {n}\n{} at {} Harbour Street", word(3), word(5), word(7), n * 37 % 91);
    let number = |text: String| Decimal::parse(&text).unwrap();
    let (quantity, unit_amount) =
        (number(format!("{}.5", n + 1)), number(format!("{}.{}", n * 71 % 997 + 10, n % 9)));
    let tax_rate = number("10".to_owned());
    let amounts = line_amounts(quantity, unit_amount, tax_rate, types, currency).unwrap();
    LineItem {
        id: id(),
        description: MultiLine::parse(&description).unwrap(),
        quantity,
        unit_amount,
        tax_rate,
        tax_type: None,
        tax_amount: amounts.tax_amount,
        line_amount: amounts.line_amount,
    }
}

fn contact() -> InvoicedContact {
    let line = |text: &str| Some(SingleLine::parse(text).unwrap());
    InvoicedContact {
        id: id(),
        external_id: None,
        name: SingleLine::parse("Harbourside Dental Group").unwrap(),
        email: Some(EmailAddress::parse("practice@harbourside.example").unwrap()),
        phone: Some(SingleLine::parse("+61 2 5550 9876").unwrap()),
        address: Some(PostalAddress {
            line1: line("Level 2"),
            line2: None,
            city: line("Sydney"),
            state: line("NSW"),
            postal_code: line("2000"),
            country: line("Australia"),
        }),
    }
}

/// The id of all records: pages show no ids.
pub(crate) fn id<E>() -> Id<E> {
    Id::parse("01936f3c-2b7e-7c00-8000-000000000001").unwrap()
}
