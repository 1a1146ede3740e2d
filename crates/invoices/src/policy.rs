//! The operator's settings for all accounts.

/// Settings of invoicing that apply to the whole service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvoicingPolicy {
    /// The days from invoice date to due date when the caller sends no due date.
    pub payment_terms_days: u16,
}

impl Default for InvoicingPolicy {
    fn default() -> Self {
        Self { payment_terms_days: 14 }
    }
}
