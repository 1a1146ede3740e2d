//! The use cases of escalations.

use escalations::{EscalationReader, EscalationService};
use kernel::PublicUrls;

use super::Dependencies;

impl Dependencies {
    /// The use cases that raise and resolve escalations.
    #[must_use]
    pub fn escalation_service(&self, urls: &PublicUrls) -> EscalationService {
        EscalationService {
            store: self.store.escalations.clone(),
            invoices: self.store.invoice_reads.clone(),
            contacts: self.store.contact_reads.clone(),
            clock: self.clock.clone(),
            ids: self.ids.clone(),
            urls: urls.clone(),
        }
    }

    /// The use case with which accounts read their escalations.
    #[must_use]
    pub fn escalation_reader(&self) -> EscalationReader {
        EscalationReader { reads: self.store.escalation_reads.clone() }
    }
}
