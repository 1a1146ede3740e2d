//! The payload of answer jobs.

use outbox::Task;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::message::MessageId;

/// An answer to send.
#[derive(Serialize, Deserialize)]
pub struct AnswerTask {
    pub(super) message: Uuid,
    /// The message that it answers.
    pub(super) answered: Uuid,
}

impl Task for AnswerTask {
    const KIND: &'static str = "answer";
}

impl AnswerTask {
    /// The message to send.
    #[must_use]
    pub const fn message(&self) -> MessageId {
        MessageId::from_uuid(self.message)
    }
}
