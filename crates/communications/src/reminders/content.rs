//! What a reminder says.

use invoices::figures::{date_text, money_text};
use invoices::{Invoice, InvoiceId, Letterhead};
use kernel::PublicUrls;
use time::{Date, OffsetDateTime};

use super::policy::Tone;
use crate::sms_text::SmsText;

/// What a reminder tells its reader.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ReminderContent {
    /// The company that sends the reminder.
    pub(super) company: String,
    /// The contact's name.
    pub(super) contact: String,
    /// The invoices, in the order of their due dates.
    pub(super) invoices: Vec<RemindedInvoice>,
    /// How it is worded.
    pub(super) tone: Tone,
    /// The date in the account's time zone.
    pub(super) today: Date,
}

/// An invoice in a reminder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RemindedInvoice {
    pub(super) id: InvoiceId,
    pub(super) number: String,
    pub(super) amount_due: String,
    pub(super) due_date: Date,
    pub(super) pay_link: String,
    pub(super) help_link: String,
}

impl ReminderContent {
    pub(super) fn new(
        letterhead: &Letterhead,
        contact: String,
        invoices: &[Invoice],
        tone: Tone,
        now: OffsetDateTime,
        urls: &PublicUrls,
    ) -> Self {
        let mut shown: Vec<RemindedInvoice> = invoices.iter().map(|one| reminded(one, urls)).collect();
        shown.sort_by(|one, other| (one.due_date, &one.number).cmp(&(other.due_date, &other.number)));
        let zone = letterhead.time_zone.as_ref();
        Self {
            company: letterhead.company_name.trim().to_owned(),
            contact,
            invoices: shown,
            tone,
            today: zone.map_or_else(|| now.date(), |zone| zone.date_at(now)),
        }
    }

    /// The subject of an e-mail.
    pub(super) fn subject(&self) -> String {
        let from = if self.company.is_empty() { String::new() } else { format!(" from {}", self.company) };
        match self.invoices.as_slice() {
            [one] => {
                let kind = match self.tone {
                    Tone::Friendly => "Reminder",
                    Tone::Firm => "Second reminder",
                    Tone::Final => "Final reminder",
                };
                format!("{kind}: invoice {}{from} {}", one.number, self.due(one.due_date))
            }
            several => format!("Reminder: {} invoices{from}", several.len()),
        }
    }

    /// `is due on 5 December 2026`.
    pub(super) fn due(&self, date: Date) -> String {
        let verb = if date < self.today { "was" } else { "is" };
        format!("{verb} due on {}", date_text(date))
    }

    /// What it asks for.
    pub(super) const fn request(&self) -> &'static str {
        match self.tone {
            Tone::Friendly => "This is a friendly reminder. If you have paid already, please ignore it.",
            Tone::Firm => "Please pay the amount due, or tell us why you cannot.",
            Tone::Final => {
                "This is our last reminder. Please pay the amount due now, or tell us why you cannot."
            }
        }
    }

    /// The text message, which has one link: to the invoice with the earliest due date. `None` if the link is
    /// too long.
    pub(super) fn sms(&self) -> Option<SmsText> {
        let company = if self.company.is_empty() { "Reminder" } else { &self.company };
        let link = self.invoices.first().map_or("", |one| one.pay_link.as_str());
        match self.invoices.as_slice() {
            [one] => {
                let due = self.due(one.due_date);
                SmsText::reminder(
                    company,
                    &format!("invoice {}: {} {due}.", one.number, one.amount_due),
                    link,
                )
            }
            several => {
                let numbers: Vec<&str> = several.iter().map(|one| one.number.as_str()).collect();
                let about = format!("{} invoices are waiting for payment", several.len());
                SmsText::reminder_of_several(company, &about, &numbers, link)
            }
        }
    }
}

fn reminded(invoice: &Invoice, urls: &PublicUrls) -> RemindedInvoice {
    RemindedInvoice {
        id: invoice.id,
        number: invoice.number.as_str().to_owned(),
        amount_due: money_text(invoice.amount_due()),
        due_date: invoice.due_date,
        pay_link: urls.payment_page(invoice.pay_token.reveal()),
        help_link: urls.payment_page_help(invoice.pay_token.reveal()),
    }
}
