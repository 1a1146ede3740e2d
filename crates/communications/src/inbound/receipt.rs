//! Delivery receipts of text messages.

use kernel::{StoreResult, retry_contended};

use super::receive::InboundService;
use crate::attempted::close_number;
use crate::message::{Direction, MessageState};
use crate::reminders::step_outcome::record_outcome_of_steps;
use crate::sms_callbacks::SmsReceipt;

impl InboundService {
    /// Records the delivery receipt of a sent text message. Receipts arrive in any order: a message that was
    /// delivered or failed stays so, unless it failed because no answer came to its attempt. A receipt for an
    /// unknown message, or with another provider's id than the message has, changes nothing.
    ///
    /// # Errors
    /// A [`kernel::StoreError`]; then nothing was recorded.
    pub async fn note_receipt(&self, receipt: &SmsReceipt) -> StoreResult<()> {
        retry_contended(async || {
            let mut tx = self.store.begin(receipt.account).await?;
            let Some(mut message) = tx.messages().lock(receipt.message).await? else {
                return Ok(());
            };
            let known = message.provider_id.as_deref();
            let is_same = known.is_none_or(|known| known == receipt.provider_id);
            if message.direction != Direction::Out || !is_same {
                return Ok(());
            }
            let before = message.clone();
            // The receipt may arrive before the response that contains the provider's id.
            message.set_provider_id(receipt.provider_id.clone());
            let noted = message.transition_to(receipt.state, receipt.detail.clone(), self.clock.now());
            if message.state == MessageState::Failed {
                message.mark_not_accepted();
            }
            if noted.is_ok() && message != before {
                tx.messages().update(&message).await?;
                let now = self.clock.now();
                if matches!(before.state, MessageState::Queued | MessageState::Failed) {
                    // The answer to the attempt may be lost.
                    record_outcome_of_steps(&mut *tx, &message, now, &*self.ids).await?;
                }
                if receipt.opted_out {
                    let evidence = receipt.detail.as_deref().unwrap_or_default();
                    close_number(&mut *tx, &message, evidence, now, &*self.ids).await?;
                }
                tx.commit().await?;
            }
            Ok(())
        })
        .await
    }
}
