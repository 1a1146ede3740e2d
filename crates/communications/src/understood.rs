//! What was understood of a message, as it is kept.

use kernel::names::{self, UnknownName};
use strum::{EnumString, IntoStaticStr, VariantNames};
use time::Date;

use crate::classification::{Classification, MessageType};

/// Whose reading of a message counts where the owner says nothing else.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EnumString, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum ReadBy {
    /// The rules'.
    Rules,
    /// That of the language model that the operator has set.
    LanguageModel,
}

impl ReadBy {
    /// The name as the store writes it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// Reads a name.
    ///
    /// # Errors
    /// [`UnknownName`], which lists the names.
    pub fn parse(text: &str) -> Result<Self, UnknownName> {
        names::parse(text)
    }
}

/// What was understood of a message, and what the owner says instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Understood {
    /// What it says by the rules, or by the language model.
    pub message_type: MessageType,
    /// Whether the service acted on it without a person.
    pub sure: bool,
    /// The words that decided; empty where none did.
    pub evidence: String,
    /// The day that is promised.
    pub date: Option<Date>,
    /// The version of the rules.
    pub version: u32,
    /// What it says by the owner's word.
    pub corrected: Option<MessageType>,
    /// Whose reading this is.
    pub read_by: ReadBy,
}

impl Understood {
    /// What the rules understood of a text. It is sure only where it is also sure whose message it is; who
    /// opts out need not be known, since that is done for the address.
    #[must_use]
    pub fn new(understood: &Classification, text: &str, is_sender_sure: bool) -> Self {
        let evidence = understood.evidence.clone().and_then(|span| text.get(span));
        Self {
            message_type: understood.message_type,
            sure: understood.sure && (is_sender_sure || understood.message_type == MessageType::OptOut),
            evidence: evidence.unwrap_or_default().to_owned(),
            date: understood.date,
            version: understood.version,
            corrected: None,
            read_by: ReadBy::Rules,
        }
    }

    /// What it says: by the owner's word where there is one.
    #[must_use]
    pub fn says(&self) -> MessageType {
        self.corrected.unwrap_or(self.message_type)
    }

    /// Whether reminders wait until the owner has read it: a claim that the invoice is paid, and whatever the
    /// reading is not sure of.
    #[must_use]
    pub fn needs_reading(&self) -> bool {
        match self.message_type {
            MessageType::Other => false,
            MessageType::PaidClaim => true,
            _ => !self.sure,
        }
    }
}
