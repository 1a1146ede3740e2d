//! A second reading of a message that the rules are unsure of, by a language model.

use async_trait::async_trait;

use crate::classification::MessageType;

/// What a language model says of a text. The text may have told it what to say, so that nothing here is
/// believed as it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecondOpinion {
    /// The name of a type; any text.
    pub message_type: String,
    /// The words of the text that show it; any text.
    pub quote: String,
}

/// Why a language model gave no answer, with neither the text nor a secret in it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NoSecondOpinion(pub String);

/// A language model that the operator has set.
#[cfg_attr(test, mockall::automock)]
#[async_trait]
pub trait SecondReading: Send + Sync {
    /// The host that texts are sent to, with its port where that is not the usual one. Owners consent to it
    /// by this name.
    fn host(&self) -> &str;

    /// Asks once which of these types a text is of, and by which of its words. `None`: it answered something
    /// else than it was asked for. An adapter gives up after ten seconds at the latest, bounds what it reads
    /// of the answer, and passes nothing on but the text and the types.
    ///
    /// # Errors
    /// [`NoSecondOpinion`], when no answer came.
    async fn ask(&self, text: &str, types: &[MessageType]) -> Result<Option<SecondOpinion>, NoSecondOpinion>;
}
