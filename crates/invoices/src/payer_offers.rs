//! What an invoice's payer can do.

use crate::invoice_for_payer::InvoiceForPayer;
use crate::status::InvoiceStatus;

/// What an invoice's payer can do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PayerOffers {
    /// Pay, by bank transfer or online, and promise to pay.
    pub payment: bool,
    /// Ask for help.
    pub help: bool,
    /// Download the invoice.
    pub pdf: bool,
    /// Download receipts of its payments.
    pub receipts: bool,
}

impl InvoiceForPayer {
    /// What the invoice's payer can do. While the account is switched off, the invoice can only be read.
    #[must_use]
    pub fn offers(&self) -> PayerOffers {
        if !self.account_is_active {
            return PayerOffers::default();
        }
        match self.invoice.status {
            InvoiceStatus::Draft => PayerOffers::default(),
            InvoiceStatus::Scheduled
            | InvoiceStatus::Unpaid
            | InvoiceStatus::Overdue
            | InvoiceStatus::PartiallyPaid => {
                PayerOffers { payment: true, help: true, pdf: true, receipts: true }
            }
            InvoiceStatus::Paid => PayerOffers { payment: false, help: true, pdf: true, receipts: true },
            InvoiceStatus::Cancelled => {
                PayerOffers { payment: false, help: true, pdf: true, receipts: false }
            }
        }
    }
}
