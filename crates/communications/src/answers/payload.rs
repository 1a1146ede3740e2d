//! The payload of answer jobs.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// An answer to send.
#[derive(Serialize, Deserialize)]
pub struct AnswerTask {
    pub(super) message: Uuid,
    /// The message that it answers.
    pub(super) answered: Uuid,
}

impl AnswerTask {
    /// The job kind of answers.
    pub const KIND: &'static str = "answer";
}
