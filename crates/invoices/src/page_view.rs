//! Views of payment pages.

use kernel::AccountId;
use time::{Date, OffsetDateTime};

use crate::invoice::InvoiceId;

/// The first view of an invoice's payment page on a day. The viewer is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct PageView {
    /// The account of the invoice.
    pub account: AccountId,
    /// The viewed invoice.
    pub invoice: InvoiceId,
    /// The day, in the account's time zone.
    pub day: Date,
    /// The first view of the day, UTC.
    pub first_at: OffsetDateTime,
}
