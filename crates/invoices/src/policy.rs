//! What the operator decides for all accounts.

/// Settings of invoicing that hold for the whole service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvoicingPolicy {
    /// The days from the invoice date to the due date when none is given.
    pub payment_terms_days: u16,
}

impl Default for InvoicingPolicy {
    fn default() -> Self {
        Self { payment_terms_days: 14 }
    }
}
