//! What a reminder says.

use invoices::figures::{money_text, written_date};
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
        Self {
            company: letterhead.company_name.trim().to_owned(),
            contact,
            invoices: shown,
            tone,
            today: letterhead.date_at(now),
        }
    }

    /// The subject of an e-mail.
    pub(super) fn subject(&self) -> String {
        let from = if self.company.is_empty() { String::new() } else { format!(" from {}", self.company) };
        let is_overdue = self.invoices.first().is_some_and(|first| first.due_date < self.today);
        let kind = match self.tone {
            Tone::Firm if is_overdue => "Payment overdue",
            Tone::Friendly | Tone::Firm => "Reminder",
            Tone::Final => "Final reminder",
        };
        match self.invoices.as_slice() {
            [one] => format!("{kind}: invoice {}{from} {}", one.number, self.due(one.due_date)),
            several => format!("{kind}: {} invoices{from}", several.len()),
        }
    }

    /// `is due on 5 December 2026`.
    pub(super) fn due(&self, date: Date) -> String {
        let verb = if date < self.today { "was" } else { "is" };
        format!("{verb} due on {}", written_date(date))
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

#[cfg(test)]
mod tests {
    use kernel::Id;
    use testkit::{CountingIds, FixedClock};
    use time::macros::date;

    use super::*;

    fn content(tone: Tone, due_dates: &[Date]) -> ReminderContent {
        let invoice = |due_date: &Date| RemindedInvoice {
            id: Id::new(&CountingIds::default(), FixedClock::START),
            number: "INV-0007".to_owned(),
            amount_due: "EUR 121.00".to_owned(),
            due_date: *due_date,
            pay_link: String::new(),
            help_link: String::new(),
        };
        ReminderContent {
            company: "Example Company".to_owned(),
            contact: "Ada".to_owned(),
            invoices: due_dates.iter().map(invoice).collect(),
            tone,
            today: date!(2026 - 12 - 12),
        }
    }

    #[test]
    fn subject_states_the_tone_and_counts_no_reminders() {
        let (past, future) = (date!(2026 - 12 - 9), date!(2026 - 12 - 15));
        for (tone, due_dates, subject) in [
            (
                Tone::Friendly,
                &[future][..],
                "Reminder: invoice INV-0007 from Example Company is due on 15 December 2026",
            ),
            (
                Tone::Firm,
                &[future],
                "Reminder: invoice INV-0007 from Example Company is due on 15 December 2026",
            ),
            (
                Tone::Firm,
                &[past],
                "Payment overdue: invoice INV-0007 from Example Company was due on 9 December 2026",
            ),
            (
                Tone::Final,
                &[past],
                "Final reminder: invoice INV-0007 from Example Company was due on 9 December 2026",
            ),
            (Tone::Friendly, &[past, future], "Reminder: 2 invoices from Example Company"),
            (Tone::Final, &[past, past], "Final reminder: 2 invoices from Example Company"),
        ] {
            assert_eq!(content(tone, due_dates).subject(), subject);
        }
    }
}
