//! What was understood of a message, as it is stored.

use classification::{Classification, MessageType};
use strum::{EnumString, IntoStaticStr, VariantNames};
use time::Date;

/// How much of the words that decided is stored, in characters.
pub(crate) const MAX_EVIDENCE_LENGTH: usize = 500;

/// Who classified a message. The owner may correct the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EnumString, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum ClassifiedBy {
    /// The rules.
    Rules,
    /// The language model that the operator has configured.
    LanguageModel,
}

/// What was understood of a message, and the owner's correction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Understood {
    /// The type according to the rules or the language model.
    pub message_type: MessageType,
    /// Whether the service acted on it without a person.
    pub sure: bool,
    /// The words that decided; empty where none did.
    pub evidence: String,
    /// The promised day.
    pub date: Option<Date>,
    /// The version of the rules.
    pub version: u32,
    /// The type according to the owner.
    pub corrected: Option<MessageType>,
    /// Who classified the message.
    pub classified_by: ClassifiedBy,
}

impl Understood {
    /// The classification of a text by the rules. It is sure only if the sender is known for sure too. An
    /// opt-out is the exception: it applies to the sending address, even if its contact is unsure. Whether
    /// the contact's reminders go there is known only when it is stored.
    #[must_use]
    pub fn new(understood: &Classification, text: &str, is_sender_sure: bool) -> Self {
        let evidence = understood.evidence.clone().and_then(|span| text.get(span));
        Self {
            message_type: understood.message_type,
            sure: understood.sure && (is_sender_sure || understood.message_type == MessageType::OptOut),
            evidence: evidence.unwrap_or_default().chars().take(MAX_EVIDENCE_LENGTH).collect(),
            date: understood.date,
            version: understood.version,
            corrected: None,
            classified_by: ClassifiedBy::Rules,
        }
    }

    /// The type according to the owner, else the one that was understood.
    #[must_use]
    pub fn says(&self) -> MessageType {
        self.corrected.unwrap_or(self.message_type)
    }

    /// The type that the service acted on: the owner's, else the one that was understood for sure.
    #[must_use]
    pub fn acted_on(&self) -> Option<MessageType> {
        self.corrected.or_else(|| self.sure.then_some(self.message_type))
    }

    /// Whether the owner must read it, and reminders wait until then: for a claim that the invoice is paid,
    /// and for an unsure type other than `other`.
    #[must_use]
    pub fn needs_owner(&self) -> bool {
        match self.message_type {
            MessageType::Other => false,
            MessageType::PaidClaim => true,
            _ => !self.sure,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_evidence_is_cut() {
        let text = "é".repeat(2_000);
        let classification = Classification {
            message_type: MessageType::OptOut,
            sure: true,
            evidence: Some(0..text.len()),
            date: None,
            version: 1,
        };
        let understood = Understood::new(&classification, &text, true);
        assert_eq!(understood.evidence, "é".repeat(MAX_EVIDENCE_LENGTH));
    }
}
