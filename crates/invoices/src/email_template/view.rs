//! The content of a mail, as text that the templates only place.

use kernel::Money;

use super::palette::Palette;
use crate::document::{InvoiceDocument, WayToPay};
use crate::figures::{money_text, number_text, unit_text, written_date};
use crate::invoice::Invoice;
use crate::letterhead::Letterhead;
use crate::line_amount_types::LineAmountTypes;
use crate::line_item::LineItem;
use crate::status::InvoiceStatus;

/// The content of a mail, for HTML and plain text.
pub(super) struct View {
    pub(super) palette: Palette,
    pub(super) company: String,
    pub(super) logo_url: Option<String>,
    pub(super) greeting: String,
    pub(super) opening: String,
    pub(super) number: String,
    pub(super) invoice_date: String,
    pub(super) due_date: String,
    pub(super) reference: Option<String>,
    /// The main amount of the mail, and its label.
    pub(super) amount: String,
    pub(super) amount_label: &'static str,
    /// Whether an amount is due.
    pub(super) is_payable: bool,
    /// Whether the payment page offers a way to pay it.
    pub(super) can_be_paid: bool,
    /// The label of the link to the payment page.
    pub(super) link_label: &'static str,
    pub(super) pay_url: String,
    pub(super) rows: Vec<MailLine>,
    /// The sums under the lines.
    pub(super) sums: Vec<Sum>,
    pub(super) notes: Vec<String>,
    pub(super) question: Option<String>,
    pub(super) footer: Vec<String>,
}

/// A line of the invoice.
pub(super) struct MailLine {
    pub(super) description: Vec<String>,
    pub(super) detail: String,
    pub(super) amount: String,
}

/// A sum under the lines.
pub(super) struct Sum {
    pub(super) label: &'static str,
    pub(super) amount: String,
}

impl View {
    /// The most lines that the HTML shows: mail programs truncate mails larger than about 100 KB.
    const MAX_ROWS: usize = 50;

    pub(super) fn new(document: &InvoiceDocument) -> Self {
        let InvoiceDocument { letterhead, invoice, .. } = document;
        let contact = invoice.contact.as_ref();
        let due = invoice.amount_due();
        let is_payable = !due.is_zero();
        let way_to_pay = if is_payable { document.way_to_pay } else { WayToPay::None };
        let (amount_label, amount) = match invoice.status {
            InvoiceStatus::Paid | InvoiceStatus::Cancelled => ("Total", invoice.totals.total),
            _ => ("Amount due", due),
        };
        Self {
            palette: Palette::of(letterhead.brand_color.as_deref()),
            company: company(letterhead),
            logo_url: letterhead.logo_url.clone().filter(|url| is_web_address(url)),
            greeting: mail::greeting(contact.map(|to| to.name.as_str())),
            opening: opening(letterhead, invoice),
            number: invoice.number.to_string(),
            invoice_date: written_date(invoice.invoice_date),
            due_date: written_date(invoice.due_date),
            reference: invoice.texts.reference.as_ref().map(ToString::to_string),
            amount: money_text(amount),
            amount_label,
            is_payable,
            can_be_paid: way_to_pay != WayToPay::None,
            link_label: way_to_pay.link_label(),
            pay_url: document.pay_url.clone(),
            rows: invoice.lines.iter().map(|line| row(line, invoice)).collect(),
            sums: sums(invoice, due),
            notes: lines(invoice.texts.notes.as_ref().map_or("", |notes| notes.as_str())),
            question: question(letterhead),
            footer: footer(letterhead),
        }
    }

    /// The lines that the HTML shows.
    pub(super) fn shown_rows(&self) -> impl Iterator<Item = &MailLine> {
        self.rows.iter().take(Self::MAX_ROWS)
    }

    /// How many lines the HTML leaves out.
    pub(super) fn hidden_rows(&self) -> usize {
        self.rows.len().saturating_sub(Self::MAX_ROWS)
    }
}

impl MailLine {
    /// The most characters of a description that the HTML shows.
    const MAX_DESCRIPTION: usize = 500;

    /// The description as the HTML shows it.
    pub(super) fn shown_description(&self) -> Vec<String> {
        let mut left = Self::MAX_DESCRIPTION;
        let mut shown = Vec::new();
        for line in &self.description {
            let length = line.chars().count();
            if length > left {
                shown.push(line.chars().take(left).chain(['…']).collect());
                break;
            }
            left -= length;
            shown.push(line.clone());
        }
        shown
    }
}

fn company(letterhead: &Letterhead) -> String {
    match letterhead.company_name.trim() {
        "" => "Invoice".to_owned(),
        name => name.to_owned(),
    }
}

/// Whether a picture may be loaded from this address: from the web only.
fn is_web_address(url: &str) -> bool {
    url.starts_with("https://") || url.starts_with("http://")
}

fn opening(letterhead: &Letterhead, invoice: &Invoice) -> String {
    let (date, due) = (written_date(invoice.due_date), money_text(invoice.amount_due()));
    let which = match letterhead.company_name.trim() {
        "" => invoice.number.to_string(),
        name => format!("{} from {name}", invoice.number),
    };
    match invoice.status {
        InvoiceStatus::Paid => {
            format!("Here is invoice {which} for your records: nothing is left to pay.")
        }
        InvoiceStatus::Cancelled => format!("Invoice {which} has been cancelled: nothing is left to pay."),
        InvoiceStatus::Overdue => {
            format!("Invoice {which} was due on {date}, and {due} is still to be paid.")
        }
        // Its due date may have passed.
        InvoiceStatus::PartiallyPaid => {
            format!("Invoice {which} is partly paid: {due} is still to be paid. The due date is {date}.")
        }
        _ => format!("Here is invoice {which}: {due} is due on {date}."),
    }
}

fn row(line: &LineItem, invoice: &Invoice) -> MailLine {
    let quantity = number_text(line.quantity);
    let unit = unit_text(line.unit_amount, invoice.currency);
    let mut detail = format!("{quantity} × {unit}");
    if invoice.line_amount_types != LineAmountTypes::NoTax && !line.tax_amount.is_zero() {
        let rate = number_text(line.tax_rate);
        let how = match invoice.line_amount_types {
            LineAmountTypes::Inclusive => "tax included",
            _ => "tax",
        };
        detail = format!("{detail} · {rate}% {how}");
    }
    MailLine { description: lines(line.description.as_str()), detail, amount: money_text(line.line_amount) }
}

/// The sums from the lines down to the amount due.
fn sums(invoice: &Invoice, due: Money) -> Vec<Sum> {
    let (totals, types) = (invoice.totals, invoice.line_amount_types);
    let has_tax = !totals.tax_total.is_zero();
    let mut sums = Vec::new();
    let mut add = |label, amount| {
        let amount = money_text(amount);
        sums.push(Sum { label, amount });
    };
    if has_tax && types == LineAmountTypes::Exclusive {
        add("Subtotal", totals.sub_total);
        add("Tax", totals.tax_total);
    }
    add("Total", totals.total);
    if has_tax && types == LineAmountTypes::Inclusive {
        add("Tax included", totals.tax_total);
    }
    if !invoice.amount_paid.is_zero() {
        add("Paid", invoice.amount_paid);
    }
    add("Amount due", due);
    sums
}

fn question(letterhead: &Letterhead) -> Option<String> {
    let reply = letterhead.reply_to().map(|_| "reply to this e-mail".to_owned());
    let call = letterhead.phone.as_ref().map(|phone| format!("call {phone}"));
    let ways: Vec<String> = reply.into_iter().chain(call).collect();
    let ways = ways.join(" or ");
    (!ways.is_empty()).then(|| format!("Questions about this invoice? Just {ways}."))
}

fn footer(letterhead: &Letterhead) -> Vec<String> {
    let reach = [letterhead.email.clone(), letterhead.phone.clone()];
    let reach: Vec<String> = reach.into_iter().flatten().collect();
    let abn = letterhead.abn.as_ref().map(|abn| format!("ABN {abn}"));
    let address = letterhead.address_lines.join(", ");
    [Some(address), Some(reach.join(" · ")), abn]
        .into_iter()
        .flatten()
        .filter(|line| !line.trim().is_empty())
        .collect()
}

fn lines(text: &str) -> Vec<String> {
    text.lines().map(str::to_owned).collect()
}
