//! The escalation as responses show it.

use escalations::{Escalation, Notes};
use kernel::{Id, Named as _, instant_text};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

/// A customer's case that needs a person. It is raised by a message from the customer, by the form on the
/// payment page, by the owner who corrects what a message means, or by the operator.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Escalation)]
pub struct EscalationView<'a> {
    /// The escalation's id.
    #[schema(value_type = String, format = Uuid, example = "01a1f6b6-ee63-7000-8000-000000000001")]
    id: Uuid,
    /// The account of the customer.
    #[schema(value_type = String, format = Uuid)]
    account_id: Uuid,
    /// The invoice concerned.
    #[schema(value_type = Option<String>, format = Uuid)]
    invoice_id: Option<Uuid>,
    /// The contact concerned.
    #[schema(value_type = Option<String>, format = Uuid)]
    contact_id: Option<Uuid>,
    /// Why the customer needs a person.
    escalation_type: &'static str,
    #[doc = "How urgent it is: at present `medium` for `human_request` and `high` for the others. Handle all three."]
    priority: &'static str,
    /// The status of the escalation.
    status: &'static str,
    /// The channel of the customer's message.
    trigger_channel: &'static str,
    /// What the customer said, at most 10,000 characters.
    #[schema(example = "We never got the tea.")]
    customer_statement: &'a str,
    /// How the escalation was settled; null while it is open.
    resolution_outcome: Option<&'static str>,
    /// Notes on the resolution, at most 10,000 characters.
    resolution_notes: Option<&'a str>,
    /// When the escalation was settled.
    #[schema(format = DateTime)]
    resolved_at: Option<String>,
    /// When the escalation was raised.
    #[schema(format = DateTime, example = "2026-11-20T02:09:06.147Z")]
    created_at: String,
    /// When the escalation was last changed.
    #[schema(format = DateTime, example = "2026-11-20T02:09:06.147Z")]
    updated_at: String,
}

impl<'a> From<&'a Escalation> for EscalationView<'a> {
    fn from(escalation: &'a Escalation) -> Self {
        let resolution = escalation.resolution.as_ref();
        let notes = resolution.and_then(|resolution| resolution.notes.as_ref());
        Self {
            id: escalation.id.uuid(),
            account_id: escalation.account.uuid(),
            invoice_id: escalation.invoice.map(Id::uuid),
            contact_id: escalation.contact.map(Id::uuid),
            escalation_type: escalation.escalation_type.as_str(),
            priority: escalation.priority.as_str(),
            status: escalation.status().as_str(),
            trigger_channel: escalation.channel.as_str(),
            customer_statement: escalation.statement.as_str(),
            resolution_outcome: resolution.map(|resolution| resolution.outcome.as_str()),
            resolution_notes: notes.map(Notes::as_str),
            resolved_at: resolution.map(|resolution| instant_text(resolution.at)),
            created_at: instant_text(escalation.created_at),
            updated_at: instant_text(escalation.updated_at),
        }
    }
}

#[cfg(test)]
mod tests {
    use escalations::{Channel, EscalationType, NewEscalation, ResolutionOutcome, Statement};
    use time::Duration;

    use super::*;
    use testkit::FixedClock;

    fn json(escalation: &Escalation) -> String {
        serde_json::to_string(&EscalationView::from(escalation)).unwrap()
    }

    #[test]
    fn open_and_resolved_escalation_have_every_field() {
        let id = |n| Uuid::from_u128(n);
        let new = NewEscalation {
            escalation_type: EscalationType::HumanRequest,
            channel: Channel::Voice,
            statement: Statement::parse("Is there \"anybody\"?\n\tI mean a person.").unwrap(),
            invoice: Some(Id::from_uuid(id(0xa1))),
            contact: Some(Id::from_uuid(id(0xb2))),
        };
        let account = Id::from_uuid(id(1));
        let now = FixedClock::START;
        let mut escalation = Escalation::raise(Id::from_uuid(id(0xc3)), account, new, now);
        let open = json(&escalation);
        let notes = Some(Notes::parse("Grace called back.").unwrap());
        let outcome = ResolutionOutcome::PaymentArranged;
        let later = now + Duration::hours(1);
        escalation.resolve(outcome, notes, later).unwrap();
        insta::assert_snapshot!(format!("{open}\n{}", json(&escalation)));
    }
}
