//! What the jobs of reminders hold.

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

/// A reminder that is mailed to the owner, as it was shown.
#[derive(Serialize, Deserialize)]
pub(super) struct TestContent {
    pub(super) subject: String,
    pub(super) text: String,
    pub(super) html: String,
}
