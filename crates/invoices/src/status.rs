//! The statuses of an invoice (contract, "States and transitions").

use kernel::{Named, UnknownName};
use strum::{EnumString, IntoStaticStr, VariantNames};
use time::Date;

/// The status of an invoice.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, EnumString, IntoStaticStr, VariantNames,
)]
#[strum(serialize_all = "SCREAMING_SNAKE_CASE", ascii_case_insensitive)]
pub enum InvoiceStatus {
    /// Saved for review, not issued.
    Draft,
    /// Issued, with an invoice date after today.
    Scheduled,
    /// Issued, nothing paid, not due yet.
    Unpaid,
    /// Issued, nothing paid, past its due date.
    Overdue,
    /// Paid in part; the status stays after the due date.
    PartiallyPaid,
    /// Paid in full.
    Paid,
    /// Cancelled; nothing is due.
    Cancelled,
}

impl InvoiceStatus {
    /// Every status.
    pub const ALL: [Self; 7] = [
        Self::Draft,
        Self::Scheduled,
        Self::Unpaid,
        Self::Overdue,
        Self::PartiallyPaid,
        Self::Paid,
        Self::Cancelled,
    ];

    /// Parses a name, in any case.
    pub fn parse(text: &str) -> Result<Self, UnknownName> {
        Named::parse(text.trim())
    }

    /// The status of an issued invoice without payments (decisions, "Invoices", status on issue).
    ///
    /// `today` is the date in the account's time zone; `sent` means that the invoice is sent now, which
    /// issues it at once.
    #[must_use]
    pub fn on_issue(invoice_date: Date, due_date: Date, today: Date, sent: bool) -> Self {
        if invoice_date > today && !sent {
            Self::Scheduled
        } else if due_date < today {
            Self::Overdue
        } else {
            Self::Unpaid
        }
    }

    /// The status on a day. Only SCHEDULED and UNPAID depend on the day; any other status stays as it is.
    ///
    /// An invoice that was sent early, and is therefore no longer scheduled, does not become scheduled again.
    #[must_use]
    pub fn on_the_day(self, invoice_date: Date, due_date: Date, today: Date) -> Self {
        match self {
            Self::Scheduled => Self::on_issue(invoice_date, due_date, today, false),
            Self::Unpaid => Self::on_issue(invoice_date, due_date, today, true),
            Self::Draft | Self::Overdue | Self::PartiallyPaid | Self::Paid | Self::Cancelled => self,
        }
    }

    /// The day, in the account's time zone, on which this status changes by date: the invoice date of a
    /// scheduled invoice, the day after the due date of an unpaid one, none otherwise. An invoice due on the
    /// last day of the calendar, 9999-12-31, never becomes overdue.
    #[must_use]
    pub const fn changes_on(self, invoice_date: Date, due_date: Date) -> Option<Date> {
        match self {
            Self::Scheduled => Some(invoice_date),
            Self::Unpaid => due_date.next_day(),
            Self::Draft | Self::Overdue | Self::PartiallyPaid | Self::Paid | Self::Cancelled => None,
        }
    }

    /// Whether an invoice of this status is overdue on a day. A partly paid one keeps its status after the
    /// due date.
    #[must_use]
    pub fn is_late(self, due_date: Date, today: Date) -> bool {
        self == Self::Overdue || (self == Self::PartiallyPaid && due_date < today)
    }

    /// Whether an invoice of this status takes payments.
    #[must_use]
    pub const fn is_payable(self) -> bool {
        matches!(self, Self::Scheduled | Self::Unpaid | Self::Overdue | Self::PartiallyPaid)
    }

    /// Whether an invoice of this status may be amended: any but paid and cancelled.
    #[must_use]
    pub const fn is_editable(self) -> bool {
        !matches!(self, Self::Paid | Self::Cancelled)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use time::macros::date;

    #[test]
    fn the_status_on_issue_follows_from_the_dates() {
        let today = date!(2026 - 11 - 20);
        let (yesterday, tomorrow) = (date!(2026 - 11 - 19), date!(2026 - 11 - 21));
        for (invoice_date, due_date, sent, status) in [
            (today, today, false, InvoiceStatus::Unpaid),
            (yesterday, yesterday, false, InvoiceStatus::Overdue),
            (yesterday, tomorrow, false, InvoiceStatus::Unpaid),
            (tomorrow, tomorrow, false, InvoiceStatus::Scheduled),
            (tomorrow, tomorrow, true, InvoiceStatus::Unpaid),
        ] {
            assert_eq!(InvoiceStatus::on_issue(invoice_date, due_date, today, sent), status);
        }
    }

    #[test]
    fn partly_paid_invoice_is_late_from_the_day_after_its_due_date() {
        let (day, after) = (date!(2026 - 11 - 20), date!(2026 - 11 - 21));
        assert!(
            !InvoiceStatus::PartiallyPaid.is_late(day, day)
                && InvoiceStatus::PartiallyPaid.is_late(day, after)
        );
        assert!(InvoiceStatus::Overdue.is_late(day, after) && !InvoiceStatus::Paid.is_late(day, after));
    }

    #[test]
    fn only_scheduled_and_unpaid_depend_on_the_day() {
        let day = date!(2026 - 11 - 20);
        let (before, after) = (date!(2026 - 11 - 19), date!(2026 - 11 - 21));
        assert_eq!(InvoiceStatus::Scheduled.on_the_day(day, day, before), InvoiceStatus::Scheduled);
        assert_eq!(InvoiceStatus::Scheduled.on_the_day(day, day, day), InvoiceStatus::Unpaid);
        assert_eq!(InvoiceStatus::Scheduled.on_the_day(day, day, after), InvoiceStatus::Overdue);
        assert_eq!(InvoiceStatus::Unpaid.on_the_day(day, day, before), InvoiceStatus::Unpaid);
        assert_eq!(InvoiceStatus::Unpaid.on_the_day(day, day, after), InvoiceStatus::Overdue);
        for status in [
            InvoiceStatus::Draft,
            InvoiceStatus::Overdue,
            InvoiceStatus::PartiallyPaid,
            InvoiceStatus::Paid,
            InvoiceStatus::Cancelled,
        ] {
            assert_eq!(status.on_the_day(before, before, after), status);
            assert_eq!(status.changes_on(before, before), None);
        }
        assert_eq!(InvoiceStatus::Scheduled.changes_on(day, after), Some(day));
        assert_eq!(InvoiceStatus::Unpaid.changes_on(before, day), Some(after));
        assert_eq!(InvoiceStatus::Unpaid.changes_on(day, Date::MAX), None);
    }

    #[test]
    fn names_are_read_in_any_case() {
        for status in InvoiceStatus::ALL {
            assert_eq!(InvoiceStatus::parse(&status.as_str().to_lowercase()), Ok(status));
        }
        assert!(InvoiceStatus::parse("OPEN").is_err());
    }
}
