//! The enumerations of an escalation (contract, "Escalation"; decisions, "Escalations").

use strum::{EnumString, IntoStaticStr, VariantArray, VariantNames};

/// Why a customer needs a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EnumString, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum EscalationType {
    /// The customer cannot pay and asks for help.
    Hardship,
    /// The customer disputes the invoice.
    Dispute,
    /// The customer asks for a person.
    HumanRequest,
    /// The customer refuses to pay.
    Refused,
}

/// The urgency of an escalation. No type has [`Priority::Low`] at present, but readers of escalations must
/// handle all three.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EnumString, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum Priority {
    /// Handled first.
    High,
    /// Handled next.
    Medium,
    /// Handled last.
    Low,
}

/// The status of an escalation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EnumString, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum EscalationStatus {
    /// A person must handle it.
    Open,
    /// A person has handled it.
    Resolved,
}

/// The channel of a customer's message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EnumString, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum Channel {
    /// By e-mail.
    Email,
    /// By text message.
    Sms,
    /// In a call.
    Voice,
}

/// How an escalation was resolved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EnumString, IntoStaticStr, VariantArray, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum ResolutionOutcome {
    /// The customer pays by an agreed arrangement.
    PaymentArranged,
    /// The invoice was corrected.
    InvoiceCorrected,
    /// The invoice was cancelled.
    InvoiceCancelled,
    /// The customer has paid.
    Paid,
    /// Nothing had to be done.
    NoAction,
    /// In another way.
    Other,
}

impl EscalationType {
    /// Every type.
    pub const ALL: [Self; 4] = [Self::Hardship, Self::Dispute, Self::HumanRequest, Self::Refused];

    /// The priority of an escalation of this type when it is raised.
    #[must_use]
    pub const fn priority(self) -> Priority {
        match self {
            Self::Hardship | Self::Dispute | Self::Refused => Priority::High,
            Self::HumanRequest => Priority::Medium,
        }
    }
}

impl Priority {
    /// Every priority.
    pub const ALL: [Self; 3] = [Self::High, Self::Medium, Self::Low];
}

impl EscalationStatus {
    /// Every status.
    pub const ALL: [Self; 2] = [Self::Open, Self::Resolved];
}

impl Channel {
    /// Every channel.
    pub const ALL: [Self; 3] = [Self::Email, Self::Sms, Self::Voice];
}

impl ResolutionOutcome {
    /// Every outcome.
    pub const ALL: &[Self] = <Self as VariantArray>::VARIANTS;
}

#[cfg(test)]
mod tests {
    use kernel::Named;

    use super::*;

    #[test]
    fn every_name_is_read_as_it_is_written_and_errors_list_all_names() {
        fn check<T: Named + PartialEq + std::fmt::Debug>(all: &[T]) {
            let refusal = T::parse("Open ").unwrap_err().to_string();
            for value in all {
                let name = value.as_str();
                assert_eq!(T::parse(name), Ok(*value));
                assert!(T::parse(&name.to_uppercase()).is_err());
                assert!(refusal.contains(name), "{refusal}");
            }
        }
        check(&EscalationType::ALL);
        check(&Priority::ALL);
        check(&Channel::ALL);
        check(ResolutionOutcome::ALL);
        assert_eq!(EscalationStatus::ALL.map(EscalationStatus::as_str), ["open", "resolved"]);
    }

    #[test]
    fn a_human_request_has_medium_priority_and_the_others_high() {
        let priorities = EscalationType::ALL.map(|one| one.priority().as_str());
        assert_eq!(priorities, ["high", "high", "medium", "high"]);
    }
}
