//! What escalations stand on.

use escalations::{EscalationDesk, EscalationRecords};

use super::Dependencies;

impl Dependencies {
    /// The desk at which escalations are raised and resolved. `public_url` is the base of every address handed out.
    #[must_use]
    pub fn escalation_desk(&self, public_url: &str) -> EscalationDesk {
        EscalationDesk {
            store: self.store.escalations.clone(),
            invoices: self.store.invoice_reads.clone(),
            contacts: self.store.contact_reads.clone(),
            clock: self.clock.clone(),
            ids: self.ids.clone(),
            public_url: public_url.to_owned(),
        }
    }

    /// Where accounts read their escalations.
    #[must_use]
    pub fn escalation_records(&self) -> EscalationRecords {
        EscalationRecords {
            reads: self.store.escalation_reads.clone(),
        }
    }
}
