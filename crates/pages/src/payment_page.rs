//! The payment page of an invoice.

use askama::Template;
use contacts::PostalAddress;
use invoices::figures::{amount_text, money_text, number_text, unit_text, written_date};
use invoices::{
    BankTransfer, Invoice, InvoiceForPayer, InvoiceStatus, InvoicedContact, LineAmountTypes, LineItem,
    Payment, Promise, TransferField,
};
use kernel::{Currency, Money, PublicUrls, TimeZone};
use payments::{OnlineForPayer, PayOffer, ReversalReason};
use time::Date;

use crate::brand::Brand;
use crate::form::{Control, Form, FormField, Problem};
use crate::invoice_texts;
use crate::page::Page;
use crate::payer_layout::PayerLayout;
use crate::qr_code::QrCode;
use crate::texts::{ENGLISH, Texts};

/// The payment page of an invoice that is not a draft.
#[derive(Debug, Clone, Template)]
#[template(path = "payment.html")]
pub struct PaymentPage {
    t: &'static Texts,
    layout: PayerLayout,
    status: String,
    is_alert: bool,
    /// The label of the large amount: the amount due, or on a paid invoice the amount paid.
    due_label: &'static str,
    amount_due: String,
    promised: Option<String>,
    /// The form to pay online, if that is offered.
    pay: Option<PayForm>,
    problems: Vec<Problem>,
    /// Payments in progress.
    processing: Vec<String>,
    /// Refunds and payments that were taken back.
    reversals: Vec<String>,
    /// The URL of the PDF, unless the account is switched off.
    pdf: Option<String>,
    /// Links to the payer's other options.
    ways: Vec<Way>,
    facts: Vec<Labelled>,
    lines: Vec<Line>,
    totals: Vec<Labelled>,
    transfer: Option<Transfer>,
    payments: Vec<PayerPaymentItem>,
    time_zone: String,
    notes: Option<String>,
}

/// The form that opens a checkout at the gateway.
#[derive(Debug, Clone)]
struct PayForm {
    action: String,
    form_token: String,
    /// The field for the amount, if a part may be paid.
    amount: Option<FormField>,
    button: String,
    /// The most that can be paid.
    most: String,
    origin: Option<String>,
}

/// A link to a form.
#[derive(Debug, Clone)]
struct Way {
    href: String,
    label: &'static str,
}

/// How to pay by bank transfer.
#[derive(Debug, Clone)]
struct Transfer {
    fields: Vec<Labelled>,
    code: Option<QrCode>,
    unchanged_since: String,
}

#[derive(Debug, Clone)]
pub(crate) struct Labelled {
    pub(crate) label: &'static str,
    pub(crate) text: String,
}

impl Labelled {
    pub(crate) fn of((label, text): (&'static str, Option<String>)) -> Option<Self> {
        Some(Self { label, text: text? })
    }
}

/// A line of the invoice.
#[derive(Debug, Clone)]
pub(crate) struct Line {
    pub(crate) description: String,
    pub(crate) detail: String,
    pub(crate) amount: String,
}

#[derive(Debug, Clone)]
struct PayerPaymentItem {
    date: String,
    method: &'static str,
    amount: String,
    receipt: Option<ReceiptLink>,
}

#[derive(Debug, Clone)]
struct ReceiptLink {
    href: String,
    label: String,
}

impl PaymentPage {
    /// `today` is the present day in the account's time zone.
    #[must_use]
    pub fn new(
        shown: &InvoiceForPayer,
        online: &OnlineForPayer,
        form: &Form,
        today: Date,
        urls: &PublicUrls,
    ) -> Self {
        let (t, invoice) = (&ENGLISH, &shown.invoice);
        let heading = (t.invoice)(invoice.number.as_str());
        let (offers, token) = (shown.offers(), invoice.pay_token.reveal());
        let promise = shown.promise.as_ref().filter(|_| offers.payment);
        let payments = invoice.payments.iter();
        let checkout = urls.payment_page_checkout(token);
        let pay = online.pay.as_ref().map(|offer| pay_form(offer, form, checkout, t));
        Self {
            t,
            layout: PayerLayout::new(&shown.letterhead, heading, urls, t),
            status: status(invoice, &shown.time_zone, today, t),
            is_alert: is_alert(invoice, today),
            due_label: if invoice.status == InvoiceStatus::Paid { t.total_paid } else { t.amount_due },
            amount_due: money_text(match invoice.status {
                InvoiceStatus::Paid => invoice.amount_paid,
                _ => invoice.amount_due(),
            }),
            promised: promise.map(|promise| (t.payer.promised)(&written_date(promise.promised_on))),
            problems: form.problems(pay.as_ref().and_then(|pay| pay.amount.as_ref())),
            pay,
            processing: online
                .processing
                .iter()
                .map(|one| (t.payer.being_processed)(&money_text(*one)))
                .collect(),
            reversals: online.reversals.iter().map(|one| reversal(*one, invoice.currency, t)).collect(),
            pdf: offers.pdf.then(|| urls.payment_page_pdf(token)),
            ways: ways(shown, urls, t),
            facts: facts(invoice, invoice.contact.as_ref(), t),
            lines: invoice.lines.iter().map(|line| self::line(line, invoice, t)).collect(),
            totals: totals(invoice, t),
            transfer: shown
                .bank_transfer
                .as_ref()
                .filter(|_| offers.payment)
                .map(|to| transfer(to, shown, online, t)),
            payments: payments.map(|payment| payment_row(payment, shown, urls, t)).collect(),
            time_zone: (t.time_zone)(shown.time_zone.name()),
            notes: invoice.texts.notes.as_ref().map(|notes| notes.as_str().to_owned()),
        }
    }
}

impl Page for PaymentPage {
    fn brand(&self) -> Option<&Brand> {
        self.layout.brand.as_ref()
    }

    fn form_origin(&self) -> Option<&str> {
        self.pay.as_ref()?.origin.as_deref()
    }
}

fn pay_form(offer: &PayOffer, form: &Form, action: String, t: &Texts) -> PayForm {
    let most = money_text(offer.most);
    let amount = offer.least.map(|least| {
        let hint = (t.payer.pay_amount_between)(&money_text(least), &most);
        let mut field = form.field("amount", t.payer.pay_amount, Control::Number).hint(hint);
        if field.value.is_empty() {
            field.value = offer.most.to_string();
        }
        field
    });
    PayForm {
        action,
        form_token: form.form_token.clone(),
        button: if amount.is_some() { (t.payer.pay_up_to)(&most) } else { (t.payer.pay)(&most) },
        amount,
        most,
        origin: offer.checkout_origin.clone(),
    }
}

/// `Refunded 20.00`; an amount in another currency than the invoice's names it.
fn reversal((amount, reason): (Money, ReversalReason), of_invoice: Currency, t: &Texts) -> String {
    let is_other = amount.currency() != of_invoice;
    let text = if is_other { money_text(amount) } else { amount_text(amount) };
    match reason {
        ReversalReason::Refund | ReversalReason::Elsewhere => (t.payer.refunded)(&text),
        ReversalReason::Return => (t.payer.returned)(&money_text(amount)),
        ReversalReason::Dispute => (t.payer.taken_back)(&text),
    }
}

/// The forms that the payer can open.
fn ways(shown: &InvoiceForPayer, urls: &PublicUrls, t: &Texts) -> Vec<Way> {
    let (offers, token) = (shown.offers(), shown.invoice.pay_token.reveal());
    let can_promise = shown.promise.as_ref().is_none_or(Promise::can_be_replaced_by_payer);
    let promise = (offers.payment && can_promise).then(|| Way {
        href: urls.payment_page_promise(token),
        label: if shown.promise.is_some() { t.payer.change_promise } else { t.payer.promise },
    });
    let help = offers.help.then(|| Way { href: urls.payment_page_help(token), label: t.payer.ask_for_help });
    help.into_iter().chain(promise).collect()
}

/// The bank details with the payment reference, and a QR code for a banking app of both and of the amount due
/// less payments in progress. There is no code if they cover all that is due.
fn transfer(to: &BankTransfer, shown: &InvoiceForPayer, online: &OnlineForPayer, t: &Texts) -> Transfer {
    let number = shown.invoice.number.as_str();
    let label = |(field, text): &(TransferField, String)| Labelled {
        label: (t.payer.transfer_field)(*field),
        text: text.clone(),
    };
    let reference = Labelled { label: t.payer.reference, text: number.to_owned() };
    let payload = payments::epc_payload(to, online.left_of(shown.invoice.amount_due()), number);
    let since = written_date(shown.time_zone.date_at(to.unchanged_since));
    Transfer {
        fields: to.fields.iter().map(label).chain([reference]).collect(),
        code: payload.and_then(|payload| QrCode::new(&payload)),
        unchanged_since: (t.payer.unchanged_since)(&since),
    }
}

/// Whether the status stands out.
pub(crate) fn is_alert(invoice: &Invoice, today: Date) -> bool {
    invoice.status == InvoiceStatus::Cancelled || invoice.status.is_late(invoice.due_date, today)
}

pub(crate) fn status(invoice: &Invoice, time_zone: &TimeZone, today: Date, t: &Texts) -> String {
    let due = written_date(invoice.due_date);
    let late_since = || written_date(invoice.due_date.next_day().unwrap_or(invoice.due_date));
    match invoice.status {
        InvoiceStatus::Draft | InvoiceStatus::Scheduled | InvoiceStatus::Unpaid => (t.due_on)(&due),
        InvoiceStatus::PartiallyPaid if invoice.status.is_late(invoice.due_date, today) => {
            (t.partly_paid_overdue_since)(&late_since())
        }
        InvoiceStatus::PartiallyPaid => (t.partly_paid)(&due),
        InvoiceStatus::Overdue => (t.overdue_since)(&late_since()),
        InvoiceStatus::Paid => match paid_on(invoice, time_zone) {
            Some(date) => (t.paid_on)(&written_date(date)),
            // An invoice with a total of 0 is paid when it is issued, without a payment.
            None => t.paid.to_owned(),
        },
        InvoiceStatus::Cancelled => t.cancelled.to_owned(),
    }
}

/// The day of the last payment.
fn paid_on(invoice: &Invoice, time_zone: &TimeZone) -> Option<Date> {
    let last = invoice.payments.iter().map(|payment| payment.received_at).max()?;
    Some(time_zone.date_at(last))
}

/// What the invoice says of itself, billed to its contact as it is stored or, of a draft, as it is now.
pub(crate) fn facts(invoice: &Invoice, contact: Option<&InvoicedContact>, t: &Texts) -> Vec<Labelled> {
    let dates = [
        (t.invoice_date, Some(written_date(invoice.invoice_date))),
        (t.due_date, Some(written_date(invoice.due_date))),
    ];
    let billed_to = [(t.billed_to, contact.map(recipient))];
    let texts = invoice_texts::of_everybody(&invoice.texts, t);
    let facts = dates.into_iter().chain(texts).chain(billed_to);
    facts.filter_map(Labelled::of).collect()
}

/// Name and postal address, on separate lines.
fn recipient(contact: &InvoicedContact) -> String {
    let PostalAddress { line1, line2, city, state, postal_code, country } =
        contact.address.clone().unwrap_or_default();
    let place = [city, state, postal_code].into_iter().flatten().map(|part| part.to_string());
    let place = place.collect::<Vec<_>>().join(" ");
    let [line1, line2, country] = [line1, line2, country].map(|part| part.map(|part| part.to_string()));
    let lines = [Some(contact.name.to_string()), line1, line2, Some(place), country];
    let lines: Vec<String> = lines.into_iter().flatten().filter(|line| !line.is_empty()).collect();
    lines.join("\n")
}

pub(crate) fn line(line: &LineItem, invoice: &Invoice, t: &Texts) -> Line {
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

/// The sums between the lines and the amount due.
pub(crate) fn totals(invoice: &Invoice, t: &Texts) -> Vec<Labelled> {
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

fn payment_row(payment: &Payment, shown: &InvoiceForPayer, urls: &PublicUrls, t: &Texts) -> PayerPaymentItem {
    let date = written_date(shown.time_zone.date_at(payment.received_at));
    let amount = money_text(payment.amount);
    let token = shown.invoice.pay_token.reveal();
    let receipt = shown.offers().receipts.then(|| ReceiptLink {
        href: urls.payment_page_receipt(token, payment.id),
        label: (t.payer.receipt_of)(&amount, &date),
    });
    PayerPaymentItem { date, method: (t.payment_method)(payment.method), amount, receipt }
}
