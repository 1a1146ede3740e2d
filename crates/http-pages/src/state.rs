//! What the pages need: use cases, ports and settings, assembled by the app.

use std::sync::Arc;

use invoices::PayerInvoices;
use kernel::{Clock, PublicUrls};

use crate::unknown_tokens::UnknownTokens;

/// What the pages need. Each worker thread has one; what is in an `Arc` may be shared by all.
#[derive(Clone)]
pub struct PagesState {
    /// Reads invoices by the tokens of their payment pages.
    pub invoices: PayerInvoices,
    /// Counts unknown tokens. Shared by all worker threads.
    pub unknown_tokens: Arc<UnknownTokens>,
    /// The time that they are counted by.
    pub clock: Arc<dyn Clock>,
    /// Makes the addresses on the pages.
    pub urls: PublicUrls,
}
