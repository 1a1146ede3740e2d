//! The port of language models, which are asked about messages that the rules are unsure of.

use async_trait::async_trait;
use classification::MessageType;

/// What a language model says of a text. The text may have told the model what to say, so nothing here is
/// trusted without a check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelAnswer {
    /// The name of a type; it may be any text.
    pub message_type: String,
    /// The words of the text that show the type; it may be any text.
    pub quote: String,
}

/// Why a language model gave no answer. The reason contains neither the text nor a secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ModelError(pub String);

/// A language model that the operator has configured.
#[cfg_attr(test, mockall::automock)]
#[async_trait]
pub trait LanguageModel: Send + Sync {
    /// The host that texts are sent to, with its port unless it is the default one. Owners consent to it by
    /// this name.
    fn host(&self) -> &str;

    /// Asks once which of these types a text has, and which of its words show it. `None` if the model answers
    /// in another form than requested. An adapter gives up after ten seconds at the latest, limits how much
    /// of the answer it reads, and sends only the text and the types.
    ///
    /// # Errors
    /// [`ModelError`] when the model gave no answer.
    async fn ask(&self, text: &str, types: &[MessageType]) -> Result<Option<ModelAnswer>, ModelError>;
}
