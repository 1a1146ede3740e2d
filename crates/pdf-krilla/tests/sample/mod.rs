//! Sample invoices, made without a database.

use std::error::Error;

use contacts::PostalAddress;
use invoices::totals::{line_amounts, totals};
use invoices::{
    Invoice, InvoiceData, InvoiceNumber, InvoiceStatus, InvoiceTexts, InvoicedContact, Letterhead,
    LineAmountTypes, LineItem, PayToken, Payment, PaymentMethod, RecordedBy,
};
use kernel::{Currency, Decimal, EmailAddress, Id, Money, MultiLine, SingleLine};
use time::macros::{date, datetime};

/// The URL of a payment page, with a token of realistic length.
pub(crate) const PAY_URL: &str =
    "https://billing.example.com/pay/3q2-7wAAAABkZXRlcm1pbmlzdGljLXNhbXBsZS10b2tlbg";

type Sample<T> = Result<T, Box<dyn Error>>;

/// A line item: description, quantity, unit price, tax rate.
pub(crate) type Wanted<'a> = (&'a str, &'a str, &'a str, &'a str);

const GOODS: [Wanted<'static>; 12] = [
    ("Site inspection and written report", "1", "480", "10"),
    (
        "Labour, licensed electrician\nSwitchboard upgrade at 14 Harbour Street, 9 to 12 November",
        "13.5",
        "118.50",
        "10",
    ),
    ("Labour, apprentice", "9.25", "62", "10"),
    ("Residual current device, 2 pole, 63 A, 30 mA", "6", "74.95", "10"),
    ("Twin and earth cable, 2.5 mm², per metre", "140", "2.385", "10"),
    (
        "LED downlight, 9 W, warm white, dimmable, with driver and three-year manufacturer's warranty",
        "24",
        "31.90",
        "10",
    ),
    ("Double power point with USB-C", "11", "46.20", "10"),
    ("Smoke alarm, interconnected, replaced to the current standard", "4", "129", "10"),
    ("Scaffold hire, two days", "2", "310", "10"),
    ("Council permit, passed on at cost", "1", "165.40", "0"),
    ("Disposal of old fittings", "1", "85", "10"),
    ("Discount for a returning customer", "1", "-150", "10"),
];

/// A letterhead with all fields.
pub(crate) fn letterhead() -> Letterhead {
    Letterhead {
        company_name: "Brightwater Electrical Pty Ltd".to_owned(),
        email: Some("accounts@brightwater.example".to_owned()),
        phone: Some("+61 2 5550 1234".to_owned()),
        abn: Some("51 824 753 556".to_owned()),
        address_lines: vec![
            "Unit 4, 22 Wharf Road".to_owned(),
            "Pyrmont NSW 2009".to_owned(),
            "Australia".to_owned(),
        ],
        time_zone: None,
        brand_color: Some("#0F6B6B".to_owned()),
        logo_key: None,
        logo: None,
        logo_url: None,
    }
}

/// An unpaid invoice with this many ordinary lines.
pub(crate) fn invoice(lines: usize) -> Sample<Invoice> {
    let wanted: Vec<Wanted<'_>> = GOODS.iter().copied().cycle().take(lines).collect();
    Ok(Invoice::from_stored(facts(&wanted, "AUD", LineAmountTypes::Exclusive)?))
}

/// The data of an unpaid invoice, for tests to change.
pub(crate) fn facts(wanted: &[Wanted<'_>], currency: &str, types: LineAmountTypes) -> Sample<InvoiceData> {
    let currency = Currency::parse(currency)?;
    let lines: Vec<LineItem> =
        wanted.iter().map(|wanted| line(*wanted, types, currency)).collect::<Sample<_>>()?;
    let amounts = lines
        .iter()
        .map(|line| line_amounts(line.quantity, line.unit_amount, line.tax_rate, types, currency));
    let amounts: Vec<_> = amounts.collect::<Option<_>>().ok_or("too large")?;
    Ok(InvoiceData {
        id: id()?,
        account: id()?,
        number: InvoiceNumber::parse("INV-0042")?,
        status: InvoiceStatus::Unpaid,
        contact: Some(contact()?),
        invoice_date: date!(2026 - 11 - 20),
        due_date: date!(2026 - 12 - 04),
        currency,
        line_amount_types: types,
        lines,
        totals: totals(amounts, types, currency).ok_or("too large")?,
        amount_paid: Money::zero(currency),
        payments: Vec::new(),
        texts: InvoiceTexts {
            reference: Some(SingleLine::parse("PO 88213")?),
            notes: Some(MultiLine::parse(
                "Thank you for your business.\nPlease quote the invoice number with a bank transfer: BSB 062-000, account 1234 5678.",
            )?),
            staff: Some(SingleLine::parse("Maya Lindqvist")?),
        },
        last_sent_at: None,
        send_count: 0,
        pay_token: PayToken::from_stored(id()?, "sample".to_owned()),
        ledger_invoice_id: None,
        created_at: datetime!(2026-11-20 02:09:06.147 UTC),
        updated_at: datetime!(2026-11-20 02:09:06.147 UTC),
    })
}

/// Adds a payment and updates the invoice's data for it.
pub(crate) fn pay(
    data: &mut InvoiceData,
    minor: i64,
    method: PaymentMethod,
    reference: Option<&str>,
) -> Sample<()> {
    let amount = Money::new(minor, data.currency);
    data.payments.push(Payment {
        id: id()?,
        amount,
        received_at: datetime!(2026-11-24 04:30 UTC),
        method,
        reference: reference.map(SingleLine::parse).transpose()?,
        recorded_by: RecordedBy::Dashboard,
    });
    data.amount_paid = data.amount_paid.checked_add(amount).ok_or("too much")?;
    let all = data.amount_paid == data.totals.total;
    data.status = if all { InvoiceStatus::Paid } else { InvoiceStatus::PartiallyPaid };
    Ok(())
}

fn line(
    (description, quantity, unit_amount, tax_rate): Wanted<'_>,
    types: LineAmountTypes,
    currency: Currency,
) -> Sample<LineItem> {
    let [quantity, unit_amount, tax_rate] =
        [Decimal::parse(quantity)?, Decimal::parse(unit_amount)?, Decimal::parse(tax_rate)?];
    let amounts = line_amounts(quantity, unit_amount, tax_rate, types, currency).ok_or("too large")?;
    Ok(LineItem {
        id: id()?,
        description: MultiLine::parse(description)?,
        quantity,
        unit_amount,
        tax_rate,
        tax_type: None,
        tax_amount: amounts.tax_amount,
        line_amount: amounts.line_amount,
    })
}

fn contact() -> Sample<InvoicedContact> {
    Ok(InvoicedContact {
        id: id()?,
        external_id: None,
        name: SingleLine::parse("Harbourside Dental Group")?,
        email: Some(EmailAddress::parse("practice@harbourside.example")?),
        phone: Some(SingleLine::parse("+61 2 5550 9876")?),
        address: Some(PostalAddress {
            line1: Some(SingleLine::parse("Level 2")?),
            line2: Some(SingleLine::parse("14 Harbour Street")?),
            city: Some(SingleLine::parse("Sydney")?),
            state: Some(SingleLine::parse("NSW")?),
            postal_code: Some(SingleLine::parse("2000")?),
            country: Some(SingleLine::parse("Australia")?),
        }),
    })
}

/// One id serves for all: documents show no ids.
fn id<E>() -> Sample<Id<E>> {
    Ok(Id::parse("01936f3c-2b7e-7c00-8000-000000000001").ok_or("no id")?)
}
