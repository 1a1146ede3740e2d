//! Metrics of received messages, of requests to a language model, and of the quarantine.

use std::sync::Arc;

use communications::{InboundMonitor, Inbox, MessageState, ModelOutcome};
use kernel::{Named as _, StoreResult};
use metrics::{counter, gauge};

use super::catalogue::{INBOUND, MODEL_READINGS, QUARANTINED};
use super::count;

/// The states that processing a message may end in.
const STATES: [MessageState; 4] =
    [MessageState::Handled, MessageState::Quarantined, MessageState::Automatic, MessageState::Dropped];

/// The outcomes for a message that a language model may be asked about.
const OUTCOMES: [ModelOutcome; 4] =
    [ModelOutcome::Taken, ModelOutcome::NotTaken, ModelOutcome::Failed, ModelOutcome::NotAsked];

/// Counts received messages.
#[derive(Debug, Clone, Copy)]
pub struct InboundMetrics;

impl InboundMetrics {
    /// Starts every counter at zero, so each state and outcome is shown before the first message.
    #[must_use]
    pub fn begin() -> Self {
        for state in STATES {
            counter!(INBOUND, "state" => state.as_str()).increment(0);
        }
        for outcome in OUTCOMES {
            counter!(MODEL_READINGS, "outcome" => name(outcome)).increment(0);
        }
        Self
    }
}

impl InboundMonitor for InboundMetrics {
    fn settled(&self, state: MessageState) {
        counter!(INBOUND, "state" => state.as_str()).increment(1);
    }

    fn language_model(&self, outcome: ModelOutcome) {
        counter!(MODEL_READINGS, "outcome" => name(outcome)).increment(1);
    }
}

const fn name(outcome: ModelOutcome) -> &'static str {
    match outcome {
        ModelOutcome::Taken => "taken",
        ModelOutcome::NotTaken => "not_taken",
        ModelOutcome::Failed => "failed",
        ModelOutcome::NotAsked => "not_asked",
    }
}

/// Counts the messages in quarantine, and shows the number.
pub async fn show_quarantined(inbox: Arc<dyn Inbox>) -> StoreResult<()> {
    gauge!(QUARANTINED).set(count(inbox.count_quarantined().await?));
    Ok(())
}
