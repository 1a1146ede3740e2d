//! The data of a document.

use invoices::{BankTransfer, Invoice, Letterhead, WayToPay};

use crate::color::BrandColors;
use crate::typesetter::Typesetter;

/// An invoice to lay out, with everything that its layout needs.
pub(crate) struct DocumentContext<'a> {
    pub(crate) typesetter: &'a Typesetter,
    pub(crate) letterhead: &'a Letterhead,
    pub(crate) invoice: &'a Invoice,
    pub(crate) pay_url: &'a str,
    pub(crate) bank_transfer: Option<&'a BankTransfer>,
    /// How the payment page offers to pay.
    pub(crate) way_to_pay: WayToPay,
    pub(crate) brand: BrandColors,
    /// The logo's width and height in pixels, if there is a readable logo.
    pub(crate) logo: Option<(f32, f32)>,
    /// Whether the invoice's status is written across the page.
    pub(crate) has_watermark: bool,
}

impl DocumentContext<'_> {
    /// Whether the contact can pay: the invoice is issued, not cancelled and not paid, and has a payment
    /// page.
    pub(crate) fn is_payable(&self) -> bool {
        self.invoice.status.is_payable() && !self.pay_url.is_empty()
    }
}
