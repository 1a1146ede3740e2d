//! The escalation entity.

use std::ops::Deref;

use contacts::ContactId;
use invoices::InvoiceId;
use kernel::{AccountId, Id, MultiLine, Named as _, instant_text};
use time::OffsetDateTime;
use webhooks::{EscalationFacts, Event, Occurrence};

use crate::terms::{Channel, EscalationStatus, EscalationType, Priority, ResolutionOutcome};

/// Marks ids of escalations.
pub enum EscalationEntity {}

/// The id of an escalation.
pub type EscalationId = Id<EscalationEntity>;
/// What the customer said, at most 10,000 characters.
pub type Statement = MultiLine<10_000>;
/// The notes of a resolution, at most 10,000 characters.
pub type Notes = MultiLine<10_000>;

/// An escalation. Its fields are readable; they change only through its methods, which enforce the rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Escalation(EscalationData);

/// The fields of an escalation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EscalationData {
    /// The escalation's id.
    pub id: EscalationId,
    /// The account that the customer belongs to.
    pub account: AccountId,
    /// The invoice concerned.
    pub invoice: Option<InvoiceId>,
    /// The contact concerned.
    pub contact: Option<ContactId>,
    /// Why the customer needs a person.
    pub escalation_type: EscalationType,
    /// The urgency, fixed when it was raised.
    pub priority: Priority,
    /// The channel of the customer's message.
    pub channel: Channel,
    /// What the customer said.
    pub statement: Statement,
    /// How it was resolved; `None` while it is open.
    pub resolution: Option<Resolution>,
    /// When it was raised, UTC.
    pub created_at: OffsetDateTime,
    /// When it was last changed, UTC.
    pub updated_at: OffsetDateTime,
}

/// How an escalation was resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resolution {
    /// The outcome.
    pub outcome: ResolutionOutcome,
    /// The notes of the resolution.
    pub notes: Option<Notes>,
    /// When it was resolved, UTC.
    pub at: OffsetDateTime,
}

/// An escalation to raise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewEscalation {
    /// Why the customer needs a person.
    pub escalation_type: EscalationType,
    /// The channel of the customer's message.
    pub channel: Channel,
    /// What the customer said.
    pub statement: Statement,
    /// The invoice concerned.
    pub invoice: Option<InvoiceId>,
    /// The contact concerned.
    pub contact: Option<ContactId>,
}

/// The escalation was resolved before. The fields describe how.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the escalation was resolved already, at {} with the outcome {}", instant_text(*.at), .outcome.as_str())]
pub struct AlreadyResolved {
    /// When it was resolved, UTC.
    pub at: OffsetDateTime,
    /// The outcome.
    pub outcome: ResolutionOutcome,
}

impl Escalation {
    /// Raises an open escalation with the priority of its type.
    #[must_use]
    pub fn raise(id: EscalationId, account: AccountId, new: NewEscalation, now: OffsetDateTime) -> Self {
        Self(EscalationData {
            id,
            account,
            invoice: new.invoice,
            contact: new.contact,
            escalation_type: new.escalation_type,
            priority: new.escalation_type.priority(),
            channel: new.channel,
            statement: new.statement,
            resolution: None,
            created_at: now,
            updated_at: now,
        })
    }

    /// An escalation read from the store.
    #[must_use]
    pub const fn from_stored(data: EscalationData) -> Self {
        Self(data)
    }

    /// The status: resolved once there is a resolution.
    #[must_use]
    pub const fn status(&self) -> EscalationStatus {
        match self.0.resolution {
            None => EscalationStatus::Open,
            Some(_) => EscalationStatus::Resolved,
        }
    }

    /// Resolves the escalation.
    ///
    /// # Errors
    /// [`AlreadyResolved`] when it was resolved before; then nothing changed.
    pub fn resolve(
        &mut self,
        outcome: ResolutionOutcome,
        notes: Option<Notes>,
        now: OffsetDateTime,
    ) -> Result<(), AlreadyResolved> {
        if let Some(before) = &self.0.resolution {
            return Err(AlreadyResolved { at: before.at, outcome: before.outcome });
        }
        self.0.resolution = Some(Resolution { outcome, notes, at: now });
        self.0.updated_at = now;
        Ok(())
    }

    /// The event of its present status: `escalation.created` while it is open, `escalation.resolved`
    /// afterwards.
    #[must_use]
    pub fn event(&self, of: Occurrence) -> Event {
        let facts = EscalationFacts {
            id: self.id.uuid(),
            escalation_type: self.escalation_type.as_str(),
            priority: self.priority.as_str(),
            trigger_channel: self.channel.as_str(),
            invoice_id: self.invoice.map(Id::uuid),
            contact_id: self.contact.map(Id::uuid),
        };
        match &self.resolution {
            None => Event::escalation_created(of, &facts),
            Some(resolution) => {
                let outcome = Some(resolution.outcome.as_str());
                Event::escalation_resolved(of, &facts, outcome, resolution.at)
            }
        }
    }
}

impl Deref for Escalation {
    type Target = EscalationData;

    fn deref(&self) -> &EscalationData {
        &self.0
    }
}

#[cfg(test)]
mod tests;
