//! Erasing what is held about a contact.

use contacts::ContactId;
use kernel::{AccountId, retry_contended};

use crate::conversations::{ConversationError, ConversationService};

/// What stands in place of what was erased.
const ERASED: &str = "(erased)";

impl ConversationService {
    /// Erases a contact: its messages, consents and words in escalations are removed, its name and addresses
    /// too, also from drafts. Issued invoices stay, as the law wants them, and so do opt-outs, without what
    /// was said. No message is matched to it any more. Erasing it again changes nothing.
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
