//! What a message may mean.

use strum::{EnumString, IntoStaticStr, VariantNames};

/// What a customer's message says, as far as reminders and escalations are concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EnumString, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum MessageType {
    /// The customer cannot pay and needs help.
    Hardship,
    /// The customer says that the invoice or what it is for is wrong.
    Dispute,
    /// The customer will not pay.
    Refused,
    /// The customer wants to speak with a person.
    HumanRequest,
    /// The customer says on which day they will pay.
    Promise,
    /// The customer says that the invoice is paid already.
    PaidClaim,
    /// The customer wants no more messages.
    OptOut,
    /// Anything else.
    Other,
}

impl MessageType {
    /// Every type. Of two with the same score, the earlier one is preferred.
    pub const ALL: [Self; 8] = [
        Self::Hardship,
        Self::Dispute,
        Self::Refused,
        Self::HumanRequest,
        Self::Promise,
        Self::PaidClaim,
        Self::OptOut,
        Self::Other,
    ];

    /// Whether a message of this type raises an escalation.
    #[must_use]
    pub const fn raises(self) -> bool {
        matches!(self, Self::Hardship | Self::Dispute | Self::Refused | Self::HumanRequest)
    }
}
