//! What the provider of text messages calls back with.

use kernel::AccountId;

use crate::message::{MessageId, MessageState};

/// A call of the provider's.
#[derive(Clone, PartialEq, Eq)]
pub enum SmsCallback {
    /// A text message came in.
    Inbound {
        /// The number that it came from, as the provider writes it.
        from: String,
        /// What it says.
        text: String,
        /// The provider's id of it; the same at each attempt at calling back.
        provider_id: String,
    },
    /// What became of a message that went out.
    Receipt(SmsReceipt),
    /// Nothing that is not known already.
    Nothing,
}

/// What became of a message that went out. Receipts come in any order, and more than once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SmsReceipt {
    /// The account in whose name it was sent.
    pub account: AccountId,
    /// The message.
    pub message: MessageId,
    /// The provider's id of it.
    pub provider_id: String,
    /// The state that it got into.
    pub state: MessageState,
    /// The provider's word for what went wrong.
    pub detail: Option<String>,
}

/// Why a call is not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CallbackRefused {
    /// The provider did not sign it.
    #[error("the call is not signed by the provider of text messages")]
    NotSigned,
    /// It is signed, and says nothing that is known.
    #[error("the call is neither a text message nor a receipt")]
    Unreadable,
}

/// Reads what the provider of text messages calls back with.
pub trait SmsCallbacks: Send + Sync {
    /// Reads a form that was sent to an address, the whole one with its query.
    ///
    /// # Errors
    /// [`CallbackRefused`]; the signature is looked at first.
    fn read(
        &self,
        url: &str,
        fields: &[(&str, &str)],
        signature: &str,
    ) -> Result<SmsCallback, CallbackRefused>;
}

impl std::fmt::Debug for SmsCallback {
    /// Leaves out what the message says, which no log shows.
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
