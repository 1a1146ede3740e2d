//! The services that the use cases of escalations are methods of.

use std::sync::Arc;

use contacts::ContactReads;
use invoices::InvoiceReads;
use kernel::{Clock, Ids, PublicUrls};

use crate::ports::{EscalationReads, EscalationsStore};

/// Raises and resolves escalations. Its callers are the service's own communications and the operator; no
/// account has access to it.
#[derive(Clone)]
pub struct EscalationService {
    /// Begins transactions.
    pub store: Arc<dyn EscalationsStore>,
    /// Finds the invoice of an escalation.
    pub invoices: Arc<dyn InvoiceReads>,
    /// Finds the contact of an escalation.
    pub contacts: Arc<dyn ContactReads>,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
    /// Makes ids.
    pub ids: Arc<dyn Ids>,
    /// Makes the addresses of escalations.
    pub urls: PublicUrls,
}

/// Reads escalations for their accounts.
#[derive(Clone)]
pub struct EscalationReader {
    /// Reads outside any transaction.
    pub reads: Arc<dyn EscalationReads>,
}
