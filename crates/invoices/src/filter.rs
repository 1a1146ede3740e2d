//! The filter of a list of invoices.

use contacts::ContactId;
use time::Date;

use crate::number::InvoiceNumber;
use crate::search::InvoiceSearch;
use crate::status::InvoiceStatus;

/// Conditions that every listed invoice meets; an unset condition has no effect.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InvoiceFilter {
    /// Has one of these statuses; empty means any.
    pub statuses: Vec<InvoiceStatus>,
    /// Invoices this contact.
    pub contact: Option<ContactId>,
    /// Has exactly this number.
    pub number: Option<InvoiceNumber>,
    /// Dated on this day or later.
    pub date_from: Option<Date>,
    /// Dated on this day or earlier.
    pub date_to: Option<Date>,
    /// Matches this search.
    pub search: Option<InvoiceSearch>,
}
