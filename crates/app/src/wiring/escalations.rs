//! What escalations stand on.

use escalations::{EscalationReader, EscalationService};
use kernel::PublicUrls;

use super::Dependencies;

impl Dependencies {
    /// The service at which escalations are raised and resolved.
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

    /// Where accounts read their escalations.
    #[must_use]
    pub fn escalation_reader(&self) -> EscalationReader {
        EscalationReader { reads: self.store.escalation_reads.clone() }
    }
}
