//! The states of an invoice (contract, "States and transitions").

use time::Date;

/// Where an invoice stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Status {
    /// Saved for review, not issued.
    Draft,
    /// Issued with a date to come.
    Scheduled,
    /// Issued, nothing paid, not due yet.
    Unpaid,
    /// Issued, nothing paid, the due date has passed.
    Overdue,
    /// Paid in part; it stays so after the due date.
    PartiallyPaid,
    /// Paid in full.
    Paid,
    /// Cancelled; nothing is due.
    Cancelled,
}

/// The text is no status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be DRAFT, SCHEDULED, UNPAID, OVERDUE, PARTIALLY_PAID, PAID or CANCELLED")]
pub struct NoSuchStatus;

impl Status {
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

    /// The name as the API and the store write it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Draft => "DRAFT",
            Self::Scheduled => "SCHEDULED",
            Self::Unpaid => "UNPAID",
            Self::Overdue => "OVERDUE",
            Self::PartiallyPaid => "PARTIALLY_PAID",
            Self::Paid => "PAID",
            Self::Cancelled => "CANCELLED",
        }
    }

    /// Reads a name, in any case.
    ///
    /// # Errors
    /// [`NoSuchStatus`].
    pub fn parse(text: &str) -> Result<Self, NoSuchStatus> {
        let text = text.trim();
        Self::ALL
            .into_iter()
            .find(|status| status.as_str().eq_ignore_ascii_case(text))
            .ok_or(NoSuchStatus)
    }

    /// The status of an issued invoice on which nothing has been paid (decisions, "Invoices", status on issue).
    ///
    /// `today` is the date in the account's time zone; `sent` says that it is sent now, which issues it at once.
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

    /// Whether an invoice in this state may be amended: not once it is paid or cancelled.
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
            (today, today, false, Status::Unpaid),
            (yesterday, yesterday, false, Status::Overdue),
            (yesterday, tomorrow, false, Status::Unpaid),
            (tomorrow, tomorrow, false, Status::Scheduled),
            (tomorrow, tomorrow, true, Status::Unpaid),
        ] {
            assert_eq!(
                Status::on_issue(invoice_date, due_date, today, sent),
                status
            );
        }
    }

    #[test]
    fn names_are_read_in_any_case() {
        for status in Status::ALL {
            assert_eq!(Status::parse(&status.as_str().to_lowercase()), Ok(status));
        }
        assert_eq!(Status::parse("OPEN"), Err(NoSuchStatus));
    }
}
