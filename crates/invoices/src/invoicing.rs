//! The service whose methods are the use cases of invoices.

use std::sync::Arc;

use kernel::{Clock, Ids, PublicUrls, SecureRandom};

use crate::policy::InvoicingPolicy;
use crate::ports::{InvoiceReads, InvoicingStore};

/// The use cases of invoices, over their ports.
#[derive(Clone)]
pub struct Invoicing {
    /// Begins transactions.
    pub store: Arc<dyn InvoicingStore>,
    /// Reads invoices outside any transaction.
    pub reads: Arc<dyn InvoiceReads>,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
    /// Generates ids.
    pub ids: Arc<dyn Ids>,
    /// The random source for tokens of payment pages.
    pub random: Arc<dyn SecureRandom>,
    /// The operator's settings.
    pub policy: InvoicingPolicy,
    /// Makes the addresses in events.
    pub urls: PublicUrls,
    /// Whether there is an accounting system for a [`LedgerWorker`](crate::ledger::LedgerWorker) to call. If
    /// not, no invoice is queued for it.
    pub ledger: bool,
}
