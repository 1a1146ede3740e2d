//! What became of messages that came in and of questions to a language model, and how many wait in
//! quarantine.

use std::sync::Arc;

use communications::{InboundMonitor, Inbox, MessageState, SecondReadingOutcome};
use kernel::StoreError;
use metrics::{counter, gauge};

use super::catalogue::{INBOUND, QUARANTINED, SECOND_READINGS};
use super::count;

/// What a message may become when it is worked on.
const STATES: [MessageState; 4] =
    [MessageState::Handled, MessageState::Quarantined, MessageState::Automatic, MessageState::Dropped];

/// What may become of a message that a language model may be asked about.
const OUTCOMES: [SecondReadingOutcome; 4] = [
    SecondReadingOutcome::Taken,
    SecondReadingOutcome::NotTaken,
    SecondReadingOutcome::Failed,
    SecondReadingOutcome::NotAsked,
];

/// Counts messages that came in.
#[derive(Debug, Clone, Copy)]
pub struct InboundFigures;

impl InboundFigures {
    /// Shows every state and outcome, also while nothing has come in.
    #[must_use]
    pub fn begin() -> Self {
        for state in STATES {
            counter!(INBOUND, "state" => state.as_str()).increment(0);
        }
        for outcome in OUTCOMES {
            counter!(SECOND_READINGS, "outcome" => name(outcome)).increment(0);
        }
        Self
    }
}

impl InboundMonitor for InboundFigures {
    fn settled(&self, state: MessageState) {
        counter!(INBOUND, "state" => state.as_str()).increment(1);
    }

    fn read_again(&self, outcome: SecondReadingOutcome) {
        counter!(SECOND_READINGS, "outcome" => name(outcome)).increment(1);
    }
}

const fn name(outcome: SecondReadingOutcome) -> &'static str {
    match outcome {
        SecondReadingOutcome::Taken => "taken",
        SecondReadingOutcome::NotTaken => "not_taken",
        SecondReadingOutcome::Failed => "failed",
        SecondReadingOutcome::NotAsked => "not_asked",
    }
}

/// Counts what waits in quarantine, and shows it.
pub async fn show_quarantined(inbox: Arc<dyn Inbox>) -> Result<(), StoreError> {
    gauge!(QUARANTINED).set(count(inbox.count_quarantined().await?));
    Ok(())
}
