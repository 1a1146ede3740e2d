//! The services whose methods are the use cases of escalations.

use std::sync::Arc;

use contacts::ContactReads;
use invoices::InvoiceReads;
use kernel::{Clock, Id, Ids, PublicUrls, StoreResult};
use webhooks::{Occurrence, publish};

use crate::escalation::Escalation;
use crate::ports::{EscalationReads, EscalationsStore, EscalationsTx};

/// Raises and resolves escalations. Its callers are the service's own communications, the account's owner and
/// the operator; API keys have no access to it.
#[derive(Clone)]
pub struct EscalationService {
    /// Begins transactions.
    pub store: Arc<dyn EscalationsStore>,
    /// Finds the invoice of an escalation.
    pub invoices: Arc<dyn InvoiceReads>,
    /// Finds the contact of an escalation.
    pub contacts: Arc<dyn ContactReads>,
    /// The time of escalations and their events, UTC.
    pub clock: Arc<dyn Clock>,
    /// Generates ids.
    pub ids: Arc<dyn Ids>,
    /// Makes the addresses of escalations.
    pub urls: PublicUrls,
}

impl EscalationService {
    /// Publishes the event of an escalation that was raised or resolved.
    pub(crate) async fn publish(
        &self,
        tx: &mut dyn EscalationsTx,
        escalation: &Escalation,
    ) -> StoreResult<()> {
        let (account, at) = (escalation.account, escalation.updated_at);
        let id = Id::new(&*self.ids, at);
        let event = escalation.event(Occurrence { id, account, at, urls: self.urls.clone() });
        publish(tx.events(), &*self.ids, &event).await
    }
}

/// Reads escalations for their accounts.
#[derive(Clone)]
pub struct EscalationReader {
    /// Reads outside any transaction.
    pub reads: Arc<dyn EscalationReads>,
}
