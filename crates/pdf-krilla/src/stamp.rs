//! The word across the page of an invoice that is not to be paid.

use invoices::Status;

use crate::ink::Ink;

/// The word and its colour; `None` for an invoice that is to be paid.
pub(crate) fn of(status: Status) -> Option<(&'static str, Ink)> {
    match status {
        Status::Draft => Some(("DRAFT", Ink::MUTED)),
        Status::Paid => Some(("PAID", Ink::GREEN)),
        Status::Cancelled => Some(("CANCELLED", Ink::RED)),
        Status::Scheduled | Status::Unpaid | Status::Overdue | Status::PartiallyPaid => None,
    }
}
