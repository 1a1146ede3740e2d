//! Erasing the data of a contact.

use contacts::ContactId;
use kernel::{AccountId, StoreResult, retry_contended};
use time::OffsetDateTime;

use crate::conversations::{ConversationError, ConversationService};
use crate::erased_response::without_contact;
use crate::message::{MessageId, MessageState};
use crate::ports::CommunicationsTx;
use crate::reminders::step_outcome::skip_unsent_steps;
use crate::waiting_mail::{CONTACT_ERASED, ERASED, RemovedMessage, unsent_state};

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
            let removed = tx.messages().erase(contact).await?;
            for message in removed.iter().filter(|message| message.state == MessageState::Queued) {
                skip_unsent_steps(&mut *tx, contact, message.id, now, &*self.ids).await?;
            }
            drop_waiting_mail(&mut *tx, account, contact, &removed, now).await?;
            let without = |body: &[u8]| without_contact(body, contact);
            tx.invoicing().stored_responses().rewrite(&contact.to_string(), &without).await?;
            Ok(tx.commit().await?)
        })
        .await
    }
}

/// Drops mail that waits to be sent to an erased contact, and removes its content. `removed` are the
/// messages that the erasure removed: of what was sent, nothing is kept.
pub(crate) async fn drop_waiting_mail(
    tx: &mut dyn CommunicationsTx,
    account: AccountId,
    contact: ContactId,
    removed: &[RemovedMessage],
    now: OffsetDateTime,
) -> StoreResult<()> {
    // The process may have ended before it recorded that the job of a mail that was sent is done.
    let was_sent = |one: &&RemovedMessage| matches!(one.state, MessageState::Sent | MessageState::Delivered);
    let sent: Vec<MessageId> = removed.iter().filter(was_sent).map(|one| one.id).collect();
    let waiting = tx.messages().give_up_mail(contact, &sent, CONTACT_ERASED, now).await?;
    let mut unsent = Vec::new();
    for mail in &waiting {
        match tx.messages().lock(mail.id).await? {
            // An attempt began when the invoice had another contact.
            Some(mut stored) => {
                let reason = Some(CONTACT_ERASED.to_owned());
                if stored.state == MessageState::Queued
                    && stored.transition_to(unsent_state(stored.began_at), reason, now).is_ok()
                {
                    tx.messages().update(&stored).await?;
                }
            }
            None => {
                let own = removed.iter().find(|one| one.id == mail.id);
                let began_at = own.and_then(|one| one.began_at);
                // One that has failed or was dropped for another reason is erased with it.
                if began_at.is_some() || own.is_none_or(|one| one.state == MessageState::Queued) {
                    unsent.push((mail.unsent(account, began_at, now), vec![mail.invoice]));
                }
            }
        }
    }
    tx.messages().insert_all(&unsent).await
}
