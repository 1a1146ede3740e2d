//! The payment page of an invoice.

use askama::Template;
use contacts::Address;
use invoices::figures::{date_text, money_text, number_text, unit_text};
use invoices::{Invoice, InvoiceForPayer, InvoicedContact, LineAmountTypes, LineItem, Payment, Status};
use kernel::{Money, PublicUrls, TimeZone};
use time::Date;

use crate::brand::Brand;
use crate::company::Company;
use crate::stylesheet;
use crate::texts::{ENGLISH, Texts};

/// The payment page of an invoice that is not a draft.
#[derive(Debug, Clone, Template)]
#[template(path = "payment.html")]
pub struct PaymentPage {
    t: &'static Texts,
    stylesheet: String,
    brand: Option<Brand>,
    title: String,
    heading: String,
    company: Company,
    status: String,
    is_alert: bool,
    amount_due: String,
    /// The address of the PDF, unless the account is switched off.
    pdf: Option<String>,
    facts: Vec<Labelled>,
    lines: Vec<Line>,
    totals: Vec<Labelled>,
    payments: Vec<PaymentRow>,
    time_zone: String,
    notes: Option<String>,
}

#[derive(Debug, Clone)]
struct Labelled {
    label: &'static str,
    text: String,
}

/// A line of the invoice.
#[derive(Debug, Clone)]
struct Line {
    description: String,
    detail: String,
    amount: String,
}

#[derive(Debug, Clone)]
struct PaymentRow {
    date: String,
    method: &'static str,
    amount: String,
}

impl PaymentPage {
    #[must_use]
    pub fn new(shown: &InvoiceForPayer, urls: &PublicUrls) -> Self {
        let (t, invoice) = (&ENGLISH, &shown.invoice);
        let company = Company::new(&shown.letterhead, urls, t);
        let heading = (t.invoice)(invoice.number.as_str());
        let pdf = || urls.payment_page_pdf(invoice.pay_token.reveal());
        let payments = invoice.payments.iter();
        Self {
            t,
            stylesheet: urls.asset(&stylesheet::NAME),
            brand: shown.letterhead.brand_color.as_deref().and_then(Brand::of),
            title: match company.name.as_str() {
                "" => heading.clone(),
                name => (t.title)(&heading, name),
            },
            heading,
            company,
            status: status(invoice, &shown.time_zone, t),
            is_alert: matches!(invoice.status, Status::Overdue | Status::Cancelled),
            amount_due: money_text(invoice.amount_due()),
            pdf: shown.account_is_active.then(pdf),
            facts: facts(invoice, t),
            lines: invoice.lines.iter().map(|line| self::line(line, invoice, t)).collect(),
            totals: totals(invoice, t),
            payments: payments.map(|payment| payment_row(payment, &shown.time_zone, t)).collect(),
            time_zone: (t.time_zone)(shown.time_zone.name()),
            notes: invoice.texts.notes.as_ref().map(|notes| notes.as_str().to_owned()),
        }
    }

    /// The style of the account's brand, which the page's `Content-Security-Policy` must allow.
    #[must_use]
    pub const fn brand(&self) -> Option<&Brand> {
        self.brand.as_ref()
    }
}

fn status(invoice: &Invoice, time_zone: &TimeZone, t: &Texts) -> String {
    let due = date_text(invoice.due_date);
    match invoice.status {
        Status::Draft | Status::Scheduled | Status::Unpaid => (t.due_on)(&due),
        Status::PartiallyPaid => (t.partly_paid)(&due),
        Status::Overdue => {
            let since = invoice.due_date.next_day().unwrap_or(invoice.due_date);
            (t.overdue_since)(&date_text(since))
        }
        Status::Paid => match paid_on(invoice, time_zone) {
            Some(date) => (t.paid_on)(&date_text(date)),
            // A total of 0 is paid on issue.
            None => t.paid.to_owned(),
        },
        Status::Cancelled => t.cancelled.to_owned(),
    }
}

/// The day of the last payment.
fn paid_on(invoice: &Invoice, time_zone: &TimeZone) -> Option<Date> {
    let last = invoice.payments.iter().map(|payment| payment.received_at).max()?;
    Some(time_zone.date_at(last))
}

fn facts(invoice: &Invoice, t: &Texts) -> Vec<Labelled> {
    let reference = invoice.texts.reference.as_ref();
    [
        (t.invoice_date, Some(date_text(invoice.invoice_date))),
        (t.due_date, Some(date_text(invoice.due_date))),
        (t.reference, reference.map(ToString::to_string)),
        (t.billed_to, invoice.contact.as_ref().map(recipient)),
    ]
    .into_iter()
    .filter_map(|(label, text)| Some(Labelled { label, text: text? }))
    .collect()
}

/// Name and postal address, a line each.
fn recipient(contact: &InvoicedContact) -> String {
    let Address { line1, line2, city, state, postal_code, country } =
        contact.address.clone().unwrap_or_default();
    let place = [city, state, postal_code].into_iter().flatten().map(|part| part.to_string());
    let place = place.collect::<Vec<_>>().join(" ");
    let [line1, line2, country] = [line1, line2, country].map(|part| part.map(|part| part.to_string()));
    let lines = [Some(contact.name.to_string()), line1, line2, Some(place), country];
    let lines: Vec<String> = lines.into_iter().flatten().filter(|line| !line.is_empty()).collect();
    lines.join("\n")
}

fn line(line: &LineItem, invoice: &Invoice, t: &Texts) -> Line {
    let (quantity, unit) = (number_text(line.quantity), unit_text(line.unit_amount, invoice.currency));
    let rate = number_text(line.tax_rate);
    let tax = match invoice.line_amount_types {
        LineAmountTypes::Inclusive if !line.tax_amount.is_zero() => Some((t.tax_included)(&rate)),
        LineAmountTypes::Exclusive if !line.tax_amount.is_zero() => Some((t.tax)(&rate)),
        _ => None,
    };
    let detail = [Some(format!("{quantity} × {unit}")), tax];
    Line {
        description: line.description.as_str().to_owned(),
        detail: detail.into_iter().flatten().collect::<Vec<_>>().join(" · "),
        amount: money_text(line.line_amount),
    }
}

/// The sums that lead from the lines to what is due.
fn totals(invoice: &Invoice, t: &Texts) -> Vec<Labelled> {
    let totals = invoice.totals;
    let has_tax = !totals.tax_total.is_zero();
    let (before, after) = match invoice.line_amount_types {
        LineAmountTypes::Exclusive => (has_tax, false),
        LineAmountTypes::Inclusive => (false, has_tax),
        LineAmountTypes::NoTax => (false, false),
    };
    let rows: [(&str, Money, bool); 6] = [
        (t.sub_total, totals.sub_total, before),
        (t.tax_total, totals.tax_total, before),
        (t.total, totals.total, true),
        (t.tax_total_included, totals.tax_total, after),
        (t.total_paid, invoice.amount_paid, !invoice.amount_paid.is_zero()),
        (t.amount_due, invoice.amount_due(), true),
    ];
    let shown = rows.into_iter().filter(|(_, _, is_shown)| *is_shown);
    shown.map(|(label, amount, _)| Labelled { label, text: money_text(amount) }).collect()
}

fn payment_row(payment: &Payment, time_zone: &TimeZone, t: &Texts) -> PaymentRow {
    PaymentRow {
        date: date_text(time_zone.date_at(payment.received_at)),
        method: (t.payment_method)(payment.method),
        amount: money_text(payment.amount),
    }
}
