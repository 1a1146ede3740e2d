//! Callbacks of the SMS provider.

use kernel::AccountId;

use crate::message::{MessageId, MessageState};

/// A callback of the SMS provider.
#[derive(Clone, PartialEq, Eq)]
pub enum SmsCallback {
    /// An inbound text message.
    Inbound {
        /// The number that it came from, as the provider writes it.
        from: String,
        /// What it says.
        text: String,
        /// How many pictures or other files came with it.
        attachments: u32,
        /// Whether the provider recognised an opt-out in it.
        opts_out: bool,
        /// The provider's id of the message; the same in each repetition of the callback.
        provider_id: String,
    },
    /// The delivery receipt of an outgoing message.
    Receipt(SmsReceipt),
    /// Nothing new.
    Nothing,
}

/// The delivery receipt of an outgoing message. Receipts arrive in any order, and more than once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SmsReceipt {
    /// The account in whose name it was sent.
    pub account: AccountId,
    /// The message.
    pub message: MessageId,
    /// The provider's id of the message.
    pub provider_id: String,
    /// The new state of the message.
    pub state: MessageState,
    /// The provider's description of what went wrong.
    pub detail: Option<String>,
    /// Whether the provider refused it because the number opted out.
    pub opted_out: bool,
}

/// Why a callback is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CallbackRefused {
    /// The provider did not sign it.
    #[error("the call is not signed by the provider of text messages")]
    NotSigned,
    /// It is signed, but is neither a text message nor a receipt.
    #[error("the call is neither a text message nor a receipt")]
    Unreadable,
}

/// Parses callbacks of the SMS provider.
pub trait SmsCallbacks: Send + Sync {
    /// Parses a form that was sent to `url`, which is complete, with its query.
    ///
    /// # Errors
    /// [`CallbackRefused`]; the signature is checked first.
    fn read(
        &self,
        url: &str,
        fields: &[(&str, &str)],
        signature: &str,
    ) -> Result<SmsCallback, CallbackRefused>;
}

impl std::fmt::Debug for SmsCallback {
    /// Leaves out the text of the message, which must not be logged.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Inbound { provider_id, .. } => {
                f.debug_struct("Inbound").field("provider_id", provider_id).finish_non_exhaustive()
            }
            Self::Receipt(receipt) => f.debug_tuple("Receipt").field(receipt).finish(),
            Self::Nothing => f.write_str("Nothing"),
        }
    }
}
