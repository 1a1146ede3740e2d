//! What became of messages that came in, and how many wait in quarantine.

use std::sync::Arc;

use communications::{InboundMonitor, Inbox, MessageState};
use kernel::StoreError;
use metrics::{counter, gauge};

use super::catalogue::{INBOUND, QUARANTINED};
use super::count;

/// What a message may become when it is worked on.
const STATES: [MessageState; 4] =
    [MessageState::Handled, MessageState::Quarantined, MessageState::Automatic, MessageState::Dropped];

/// Counts messages that came in.
#[derive(Debug, Clone, Copy)]
pub struct InboundFigures;

impl InboundFigures {
    /// Shows every state, also while nothing has come in.
    #[must_use]
    pub fn begin() -> Self {
        for state in STATES {
            counter!(INBOUND, "state" => state.as_str()).increment(0);
        }
        Self
    }
}

impl InboundMonitor for InboundFigures {
    fn settled(&self, state: MessageState) {
        counter!(INBOUND, "state" => state.as_str()).increment(1);
    }
}

/// Counts what waits in quarantine, and shows it.
pub async fn show_quarantined(inbox: Arc<dyn Inbox>) -> Result<(), StoreError> {
    gauge!(QUARANTINED).set(count(inbox.count_quarantined().await?));
    Ok(())
}
