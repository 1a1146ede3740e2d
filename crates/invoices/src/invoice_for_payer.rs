//! An invoice, and what its payer sees of the account that issued it.

use kernel::TimeZone;

use crate::bank_transfer::BankTransfer;
use crate::invoice::Invoice;
use crate::letterhead::Letterhead;
use crate::promise::Promise;

/// An invoice with what a payer sees of the account that issued it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvoiceForPayer {
    /// The invoice as it is now, with its payments.
    pub invoice: Invoice,
    /// The present letterhead.
    pub letterhead: Letterhead,
    /// The time zone that dates are shown in.
    pub time_zone: TimeZone,
    /// Whether the account is active. An invoice of an inactive account can only be read.
    pub account_is_active: bool,
    /// How many days from today a payer may promise to pay within.
    pub promise_days: u16,
    /// The latest promise, open or not.
    pub promise: Option<Promise>,
    /// The bank details of the invoice's currency that are in force.
    pub bank_transfer: Option<BankTransfer>,
    /// Whether the account has or had a gateway. If not, nothing was ever paid online.
    pub ever_had_gateway: bool,
}
