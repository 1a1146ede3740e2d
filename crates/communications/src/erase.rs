//! Erasing the data of a contact.

use contacts::ContactId;
use kernel::{AccountId, retry_contended};

use crate::conversations::{ConversationError, ConversationService};

/// The text that replaces erased names and words.
const ERASED: &str = "(erased)";

impl ConversationService {
    /// Erases a contact: removes its messages, consents, words in escalations, name and addresses, also from
    /// drafts. Issued invoices stay, as the law requires, and so do opt-outs, without their texts. No message
    /// is matched to the contact any more. Idempotent.
    ///
    /// # Errors
    /// A [`ConversationError`]; then nothing was changed.
    pub async fn erase(&self, account: AccountId, contact: ContactId) -> Result<(), ConversationError> {
        retry_contended(async || {
            let mut tx = self.store.begin(account).await?;
            let locked = tx.preferences().lock(contact).await?;
            locked.ok_or(ConversationError::ContactNotFound)?;
            tx.preferences().erase(contact, ERASED, self.clock.now()).await?;
            tx.messages().erase(contact).await?;
            Ok(tx.commit().await?)
        })
        .await
    }
}
