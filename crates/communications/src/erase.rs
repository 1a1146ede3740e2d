//! Erasing the data of a contact.

use contacts::ContactId;
use kernel::{AccountId, retry_contended};

use crate::conversations::{ConversationError, ConversationService};
use crate::erased_response::without_contact;
use crate::waiting_mail::{CONTACT_ERASED, ERASED};

impl ConversationService {
    /// Erases a contact: removes its messages, consents, words in escalations, name and addresses, also from
    /// drafts and stored responses, and drops mail that waits to be sent to it. Issued invoices stay, as the
    /// law requires, and so do opt-outs, without their texts. No message is matched to the contact any more.
    /// Idempotent.
    ///
    /// # Errors
    /// A [`ConversationError`]; then nothing was changed.
    pub async fn erase(&self, account: AccountId, contact: ContactId) -> Result<(), ConversationError> {
        retry_contended(async || {
            let now = self.clock.now();
            let mut tx = self.store.begin(account).await?;
            let locked = tx.preferences().lock(contact).await?;
            locked.ok_or(ConversationError::ContactNotFound)?;
            tx.preferences().erase(contact, ERASED, now).await?;
            tx.messages().erase(contact).await?;
            let waiting = tx.messages().give_up_mail(contact, CONTACT_ERASED, now).await?;
            let dropped: Vec<_> =
                waiting.iter().map(|mail| (mail.dropped(account, now), vec![mail.invoice])).collect();
            tx.messages().insert_all(&dropped).await?;
            let without = |body: &[u8]| without_contact(body, contact);
            tx.invoicing().stored_responses().rewrite(&contact.to_string(), &without).await?;
            Ok(tx.commit().await?)
        })
        .await
    }
}
