//! What the job of a reminder holds.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// A reminder to send.
#[derive(Serialize, Deserialize)]
pub struct ReminderTask {
    /// The message.
    pub(super) message: Uuid,
}

impl ReminderTask {
    /// The kind of job that a reminder is.
    pub const KIND: &'static str = "reminder";
}
