//! What became of the steps that a message reminds of.

use contacts::ContactId;
use kernel::{Ids, StoreResult};
use time::OffsetDateTime;

use super::decision::{Decision, SkipReason, StepDecision};
use crate::message::{Message, MessageId, MessageState};
use crate::ports::CommunicationsTx;

/// Records that the steps of a message were sent, or skipped because it failed. A message that is still
/// queued decides nothing. Recording is repeated when it is unknown whether it succeeded.
pub(crate) async fn record_outcome_of_steps(
    tx: &mut dyn CommunicationsTx,
    message: &Message,
    now: OffsetDateTime,
    ids: &dyn Ids,
) -> StoreResult<()> {
    let decision = match message.state {
        MessageState::Sent | MessageState::Delivered => Decision::Sent,
        MessageState::Failed => Decision::Skip(SkipReason::Failed),
        _ => return Ok(()),
    };
    let Some(contact) = message.contact else {
        return Ok(());
    };
    let steps = tx.reminders().steps_of(message.id).await?;
    let undecided = steps.into_iter().filter(|step| step.decision != decision);
    let steps: Vec<StepDecision> = undecided.map(|step| StepDecision { decision, ..step }).collect();
    tx.reminders().record(contact, &steps, Some(message.id), now, ids).await
}

/// Records that the steps of a removed message were not sent, unless they were: an attempt that is in
/// progress may still succeed, and then records that it did.
pub(crate) async fn skip_unsent_steps(
    tx: &mut dyn CommunicationsTx,
    contact: ContactId,
    message: MessageId,
    now: OffsetDateTime,
    ids: &dyn Ids,
) -> StoreResult<()> {
    let steps = tx.reminders().steps_of(message).await?;
    let waiting = steps.into_iter().filter(|step| step.decision == Decision::Send);
    let decision = Decision::Skip(SkipReason::Failed);
    let skipped: Vec<StepDecision> = waiting.map(|step| StepDecision { decision, ..step }).collect();
    tx.reminders().record(contact, &skipped, Some(message), now, ids).await
}
