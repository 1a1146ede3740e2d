//! Classifies messages with the weights that were learnt when this crate was built.

use classification::{Classification, LikenessModel, MessageType};
use escalations::EscalationType;
use time::Date;

static LIKENESS_MODEL: LikenessModel =
    LikenessModel::from_bytes(include_bytes!(concat!(env!("OUT_DIR"), "/likeness")));

/// Classifies a message that was written on a given day. `message` is its newest text, without quoted mail.
///
/// ```
/// use communications::{MessageType, classify};
/// use time::macros::date;
///
/// let text = "Sorry, I lost my job in May.";
/// let understood = classify(text, date!(2026 - 12 - 01));
/// assert_eq!(understood.message_type, MessageType::Hardship);
/// assert_eq!(&text[understood.evidence.unwrap()], "I lost my job");
/// ```
#[must_use]
pub fn classify(message: &str, written_on: Date) -> Classification {
    classification::classify(&LIKENESS_MODEL, message, written_on)
}

/// The escalation that a message of this type raises.
pub(crate) const fn escalation_for(message_type: MessageType) -> Option<EscalationType> {
    match message_type {
        MessageType::Hardship => Some(EscalationType::Hardship),
        MessageType::Dispute => Some(EscalationType::Dispute),
        MessageType::Refused => Some(EscalationType::Refused),
        MessageType::HumanRequest => Some(EscalationType::HumanRequest),
        MessageType::Promise | MessageType::PaidClaim | MessageType::OptOut | MessageType::Other => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_that_raise_have_an_escalation() {
        for message_type in MessageType::ALL {
            assert_eq!(escalation_for(message_type).is_some(), message_type.raises(), "{message_type:?}");
        }
    }
}
